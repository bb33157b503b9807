package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.Schema;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is read from files, and what the queries say to it. */
class TpchFilesTest {
  @TempDir private Path folder;

  @Test
  void tablesOfSeveralBatchesComeBackAsTheyWereWritten() {
    TpchData data = TpchGeneratorTest.generate(0.02, 2);
    assertThat(data.lineItems().rows()).isGreaterThan(100_000);
    TpchFiles.write(folder, data);
    // Without these AssertJ compares each number by reflection, which takes seconds.
    assertThat(TpchFiles.read(folder))
        .usingRecursiveComparison()
        .withEqualsForType(Arrays::equals, long[].class)
        .withEqualsForType(Arrays::equals, int[].class)
        .withEqualsForType(Arrays::equals, byte[].class)
        .isEqualTo(data);
  }

  @Test
  void filesThatTheDemoWritesGiveTheAnswersOfTheGeneratedRows() {
    Console writing = new Console();
    Console reading = new Console();
    String made = folder.resolve("made/here").toString();

    assertThat(writing.run("--scale", "0.001", "--device", "simulated", "--write-data", made))
        .as(writing.err())
        .isZero();
    assertThat(reading.run("--device", "simulated", "--data", made)).as(reading.err()).isZero();

    assertThat(writing.out()).contains("TPC-H at scale 0.001 on", "generate", "write");
    assertThat(reading.out())
        .contains("TPC-H of the files in " + made + " on", "read", "Both queries agree")
        .doesNotContain("generate");
    assertThat(answers(reading)).hasSize(5).isEqualTo(answers(writing));
  }

  @Test
  @Tag("gpu")
  void filesGiveTheAnswersOfPlainJavaOnTheGpu() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    Console console = new Console();
    TpchFiles.write(folder, TpchGeneratorTest.generate(0.05, 4));
    assertThat(console.run("--device", "gpu", "--data", folder.toString()))
        .as(console.out() + console.err())
        .isZero();
  }

  private static List<String> answers(Console console) {
    return console
        .out()
        .lines()
        .filter(line -> line.matches("\\| Q(6|12) +\\| [A-Za-z].*"))
        .toList();
  }

  /** Other tools write text without dictionary, order columns otherwise, and have more of them. */
  @Test
  void filesOfOtherToolsAreRead() throws IOException {
    SampleFile.orders()
        .without("o_orderpriority")
        .with("o_totalprice", SampleFile.doubles(1, 2))
        .with("o_orderpriority", SampleFile.texts("1-URGENT", "5-LOW"))
        .with("o_comment", SampleFile.texts("größe", null))
        .write(folder.resolve("orders.arrow"), 1);
    SampleFile.lineItems()
        .with("l_quantity", SampleFile.decimals(12, 2, "23.99", "1.00"))
        .with("l_shipmode", SampleFile.encoded(List.of("TRUCK", "SHIP", "?", "MAIL"), 3, 1))
        .write(folder.resolve("lineitem.arrow"), 3);

    TpchData data = TpchFiles.read(folder);

    assertThat(data.orders().codes("o_orderpriority"))
        .containsExactly(OrderPriority.URGENT.code(), OrderPriority.LOW.code());
    assertThat(data.lineItems().longs("l_quantity")).startsWith(23_99, 1_00, 23_99).hasSize(6);
    assertThat(data.lineItems().codes("l_shipmode"))
        .startsWith(ShipMode.MAIL.code(), ShipMode.SHIP.code())
        .hasSize(6);
    verify(data, "22054.50", new Q12Answer(3, 0, 0, 3));
  }

  @Test
  void extremeValuesOverflowNoSum() throws IOException {
    SampleFile.orders()
        .with("o_orderkey", SampleFile.keys((1L << 62) - 1, 2L))
        .write(folder.resolve("orders.arrow"), 1);
    SampleFile.lineItems()
        .with("l_orderkey", SampleFile.keys((1L << 62) - 1, Long.valueOf(2)))
        .with("l_quantity", SampleFile.decimals(15, 2, "-9999999999999.99", "23.99"))
        .with("l_extendedprice", SampleFile.decimals(15, 2, "104950.00", "0.00"))
        .write(folder.resolve("lineitem.arrow"), 2);
    verify(TpchFiles.read(folder), "10495.00", new Q12Answer(2, 0, 0, 2));
  }

  private static void verify(TpchData data, String revenue, Q12Answer late) {
    TpchJob job = new TpchJob(2, 2, new JavaOracle());
    try (DeviceRuntime device = DeviceChoice.SIMULATED.open(2, false)) {
      JobReport report = job.run(device, "of a sample", data);
      assertThat(report.onDevice()).isEqualTo(report.expected());
      assertThat(report.onDevice().q6().revenue()).isEqualTo(new BigDecimal(revenue));
      assertThat(report.onDevice().q12()).isEqualTo(late);
    }
  }

  @Test
  void noFileIsReplacedAndNoRowGeneratedForIt() throws IOException {
    Path orders = Files.writeString(folder.resolve("orders.arrow"), "precious");
    Console console = new Console();

    assertThat(console.run("--device", "simulated", "--write-data", folder.toString())).isOne();

    assertThat(console.err())
        .isEqualToIgnoringNewLines(
            "tpch: " + orders + " is there already; name another folder, or delete it");
    assertThat(orders).hasContent("precious");
    assertThat(folder).isDirectoryNotContaining(file -> !file.equals(orders));
  }

  @Test
  void aFolderThatCannotBeMadeIsNamed() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    TpchData data = TpchGeneratorTest.generate(0.001, 1);
    assertThatThrownBy(() -> TpchFiles.write(file, data))
        .isInstanceOf(DataFileException.class)
        .hasMessageContaining("cannot make the folder " + file);
  }

  @Test
  void aFileThatCannotBeMadeIsNamed() {
    Path file = folder.resolve("no/such/folder/orders.arrow");
    HostTable orders = TpchGeneratorTest.generate(0.001, 1).orders();
    assertThatThrownBy(() -> ArrowFileOutput.write(file, orders))
        .isInstanceOf(DataFileException.class)
        .hasMessageContaining("cannot write " + file);
  }

  /** A column that TPC-H does not have fails once the file has been begun. */
  @Test
  void aFileThatCannotBeWrittenToItsEndIsDeleted() {
    Path file = folder.resolve("numbers.arrow");
    Schema numbers = Schema.of(ColumnField.of("number", ColumnType.INT32));
    assertThatThrownBy(
            () -> ArrowFileOutput.write(file, new HostTable(numbers, (Object) new int[] {1})))
        .isInstanceOf(ClassCastException.class);
    assertThat(file).doesNotExist();
  }
}
