package dev.streamfence.examples.e07_arrow_tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SaleAmountsTest {
  private record Amount(int item, BigDecimal amount) {}

  /** Sales of 0 to 99 pieces; every seventh quantity is not known. */
  private static List<Sale> sales(int rows) {
    Random random = new Random(7);
    List<Sale> sales = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      int quantity = random.nextInt(100);
      String price = BigDecimal.valueOf(random.nextInt(10_000_000) - 1000, 2).toString();
      sales.add(new Sale(row, row % 7 == 6 ? null : quantity, price));
    }
    return sales;
  }

  private static List<Amount> inPlainJava(List<Sale> sales, int least) {
    List<Amount> amounts = new ArrayList<>();
    for (Sale sale : sales) {
      if (sale.quantity() != null && sale.quantity() >= least) {
        BigDecimal quantity = BigDecimal.valueOf(sale.quantity());
        amounts.add(new Amount(sale.item(), new BigDecimal(sale.price()).multiply(quantity)));
      }
    }
    return amounts;
  }

  private static List<Amount> onTheDevice(DeviceRuntime device, List<Sale> rows, int least) {
    List<Amount> amounts = new ArrayList<>();
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot sales = Sale.table(allocator, rows);
        DeviceStream stream = device.streams().acquire();
        VectorSchemaRoot result = SaleAmounts.amountsOf(stream, sales, least, allocator)) {
      for (int row = 0; row < result.getRowCount(); row++) {
        amounts.add(
            new Amount(
                (int) result.getVector("item").getObject(row),
                (BigDecimal) result.getVector("amount").getObject(row)));
      }
    }
    return amounts;
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void amountsAreThoseOfPlainJavaOnEverySchedule(Schedule schedule) {
    SimulatedDevice simulated =
        SimulatedDevice.builder().schedule(schedule).checkUninitializedReads(true).build();
    List<Sale> sales = sales(1001);
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated)) {
      assertThat(onTheDevice(device, sales, 70))
          .containsExactlyInAnyOrderElementsOf(inPlainJava(sales, 70))
          .hasSizeBetween(200, 400);
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
    assertThat(simulated.findings()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 8, 9})
  void allRowsOrNoneMayBeSelected(int rows) {
    List<Sale> sales = sales(rows);
    try (DeviceRuntime device = DeviceRuntime.simulated()) {
      assertThat(onTheDevice(device, sales, 0))
          .containsExactlyInAnyOrderElementsOf(inPlainJava(sales, 0))
          .hasSize(rows - rows / 7);
      assertThat(onTheDevice(device, sales, 100)).isEmpty();
    }
  }

  @Test
  void aTableOfAnotherSchemaIsRefused() {
    try (BufferAllocator allocator = new RootAllocator();
        VectorSchemaRoot other = VectorSchemaRoot.of(new IntVector("item", allocator));
        DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire()) {
      assertThatThrownBy(() -> SaleAmounts.amountsOf(stream, other, 5, allocator))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "sales are (item: int32 not null, quantity: int32, price: decimal64(9, 2) not null),"
                  + " not (item: int32)");
    }
  }

  @Test
  void printsTheAmounts() {
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      SaleAmounts.main(new String[0]);
    } finally {
      System.setOut(console);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8).lines())
        .containsExactlyInAnyOrder("item\tamount", "3\t59.88", "4\t70.00");
  }

  @Test
  @Tag("gpu")
  void amountsOnTheGpuAreThoseOfPlainJava() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    List<Sale> sales = sales(100_000);
    try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
      assertThat(onTheDevice(gpu, sales, 70))
          .containsExactlyInAnyOrderElementsOf(inPlainJava(sales, 70));
    }
  }
}
