package dev.streamfence.internal.column;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.internal.ForwardingResource;
import dev.streamfence.internal.Undeclared;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.memory.MemoryStream;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Driver calls that fail while a table is made, sliced or closed: nothing leaks. */
final class TableFailuresTest {
  private static final int INVALID_VALUE = 1;
  private static final Schema SCHEMA =
      Schema.of(
          ColumnField.nullable("a", ColumnType.INT32),
          ColumnField.of("b", ColumnType.FLOAT64),
          ColumnField.nullable("c", ColumnType.BOOL));

  @Test
  void whicheverDriverCallFailsAnAllocationLeavesNothing() {
    long calls = callsOfAnAllocation();
    assertThat(calls).isGreaterThan(8);
    for (int nth = 1; nth <= calls; nth++) {
      SimulatedDevice device = SimulatedDevice.builder().build();
      try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
          DeviceStream stream = gpu.streams().acquire()) {
        device.failCall(nth, INVALID_VALUE);
        assertThatThrownBy(() -> DeviceTable.allocate(stream, SCHEMA, 100))
            .as("call %s of %s", nth, calls)
            .isInstanceOf(CudaDriverException.class)
            .hasNoSuppressedExceptions();
        assertThat(gpu.memory().statistics().liveBytes()).as("call %s", nth).isZero();
      }
      assertThat(device.liveObjects()).as("call %s", nth).isZero();
    }
  }

  /** A resource in Kotlin or Scala may throw a checked exception. */
  @Test
  void whicheverRequestAResourceRefusesATableLeavesNothing() {
    Exception refusal = new IOException("down");
    int[] left = new int[1];
    SimulatedDevice device = SimulatedDevice.builder().build();
    RuntimeOptions options =
        RuntimeOptions.defaults()
            .withMemoryResource(
                driver ->
                    new ForwardingResource(driver) {
                      @Override
                      public long allocate(long sizeInBytes, MemoryStream stream) {
                        if (left[0]-- == 0) {
                          throw Undeclared.thrown(refusal);
                        }
                        return super.allocate(sizeInBytes, stream);
                      }
                    });
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device, options);
        DeviceStream stream = gpu.streams().acquire()) {
      // Three columns, two of them with nulls, and the number of rows.
      for (int granted = 0; granted < 6; granted++) {
        left[0] = granted;
        assertThatThrownBy(() -> DeviceTable.allocate(stream, SCHEMA, 100))
            .as("after %s requests", granted)
            .isSameAs(refusal);
        assertThat(gpu.memory().statistics().liveBytes()).as("%s requests", granted).isZero();
      }
      DeviceTable.allocate(stream, SCHEMA, 100).close();
    }
    assertThat(device.liveObjects()).isZero();
  }

  private static long callsOfAnAllocation() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire()) {
      long before = device.calls();
      DeviceTable table = DeviceTable.allocate(stream, SCHEMA, 100);
      long calls = device.calls() - before;
      table.close();
      return calls;
    }
  }

  @Test
  void aTableThatCannotBeMadeLeavesTheColumnsOpen() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire();
        DeviceColumn<int[]> column =
            DeviceColumn.of(
                ColumnField.of("x", ColumnType.INT32), gpu.memory().upload(stream, new int[4]))) {
      long live = gpu.memory().statistics().liveBytes();
      for (DriverCall call : List.of(DriverCall.ALLOCATE_ASYNC, DriverCall.FILL_32_ASYNC)) {
        device.failCall(call, 1, INVALID_VALUE);
        assertThatThrownBy(
                () -> DeviceTable.of(stream, Schema.of(column.field()), List.of(column), 4))
            .isInstanceOf(CudaDriverException.class);
        assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(live);
        assertThat(column.values().download(stream)).hasSize(4);
      }
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aCloseGoesOnAfterAFailureAndCanBeRepeated() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire()) {
      DeviceTable table = DeviceTable.allocate(stream, SCHEMA, 100);
      DeviceArray<double[]> second = table.column("b", double[].class).values();
      device.failCall(DriverCall.FREE_ASYNC, 1, INVALID_VALUE);
      device.failCall(DriverCall.FREE_ASYNC, 2, INVALID_VALUE);
      assertThatThrownBy(table::close)
          .isInstanceOf(CudaDriverException.class)
          .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
      assertThat(table.isOpen()).isFalse();
      assertThat(second.isOpen()).isFalse();
      assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(400 + 13);
      table.close();
      assertThat(gpu.memory().statistics().liveBytes()).isZero();
      long frees = device.calls(DriverCall.FREE_ASYNC);
      table.close();
      assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(frees);
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aColumnBelongsToOneTable() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    ColumnField field = ColumnField.of("x", ColumnType.INT32);
    Schema one = Schema.of(field);
    Schema two = Schema.of(ColumnField.of("free", ColumnType.INT32), field);
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire()) {
      DeviceColumn<int[]> free =
          DeviceColumn.of(two.field(0), gpu.memory().upload(stream, new int[4]));
      DeviceColumn<int[]> column = DeviceColumn.of(field, gpu.memory().upload(stream, new int[4]));
      DeviceTable table = DeviceTable.of(stream, one, List.of(column), 4);
      long live = gpu.memory().statistics().liveBytes();
      DeviceArray<int[]> rows = gpu.memory().upload(stream, new int[] {4});
      for (ReadableColumn<?> taken : List.of(column, table.column("x"))) {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> DeviceTable.of(stream, two, List.of(free, taken), 4))
            .withMessageContaining(
                "column 'x' (int32 not null) of 4 rows belongs to another table");
        assertThatIllegalArgumentException()
            .isThrownBy(() -> DeviceTable.of(two, List.of(free, taken), 4, rows));
      }
      assertThatIllegalArgumentException()
          .isThrownBy(
              () -> DeviceTable.of(stream, Schema.of(two.field(0), field), List.of(free, free), 4))
          .withMessageContaining("is passed twice; pass a slice of it");
      rows.close();
      assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(live);
      // What was refused beside it stays free.
      DeviceTable other = DeviceTable.of(stream, Schema.of(two.field(0)), List.of(free), 4);
      // A slice belongs to none: the table neither owns nor closes it.
      DeviceTable slices = DeviceTable.of(stream, one, List.of(column.slice(0, 4)), 4);
      slices.close();
      assertThat(column.isOpen()).isTrue();
      other.append(column).close();
      assertThat(column.isOpen()).isTrue();
      other.close();
      table.close();
      assertThat(column.isOpen()).isFalse();
      assertThat(gpu.memory().statistics().liveBytes()).isZero();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void oneColumnIsNotGivenToTwoTablesByTwoThreads() throws Exception {
    SimulatedDevice device = SimulatedDevice.builder().build();
    ColumnField field = ColumnField.of("x", ColumnType.INT32);
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire()) {
      for (int i = 0; i < 200; i++) {
        DeviceColumn<int[]> column =
            DeviceColumn.of(field, gpu.memory().allocate(stream, int[].class, 4));
        Queue<DeviceTable> made = new ConcurrentLinkedQueue<>();
        CountDownLatch begin = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
          Thread thread =
              new Thread(
                  () -> {
                    try {
                      begin.await();
                      made.add(DeviceTable.of(stream, Schema.of(field), List.of(column), 4));
                    } catch (IllegalArgumentException e) {
                      // The other thread has it.
                    } catch (InterruptedException e) {
                      throw new AssertionError(e);
                    }
                  });
          threads.add(thread);
          thread.start();
        }
        begin.countDown();
        for (Thread thread : threads) {
          thread.join();
        }
        assertThat(made).hasSize(1);
        made.forEach(DeviceTable::close);
        assertThat(gpu.memory().statistics().liveBytes()).isZero();
      }
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aTableThatLosesOneOfItsColumnsToAnotherLeavesTheRest() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    AtomicReference<Runnable> beforeAFill = new AtomicReference<>(() -> {});
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(device),
            (method, call) -> {
              if (method.equals("fillAsync")) {
                beforeAFill.getAndSet(() -> {}).run();
              }
              return call.proceed();
            });
    Schema schema =
        Schema.of(
            ColumnField.of("own", ColumnType.INT32), ColumnField.of("shared", ColumnType.INT32));
    try (DeviceRuntime gpu = RuntimeOverDriver.open(driver, RuntimeOptions.defaults());
        DeviceStream stream = gpu.streams().acquire();
        DeviceStream other = gpu.streams().acquire()) {
      DeviceColumn<int[]> own =
          DeviceColumn.of(schema.field(0), gpu.memory().allocate(stream, int[].class, 4));
      DeviceColumn<int[]> shared =
          DeviceColumn.of(schema.field(1), gpu.memory().allocate(stream, int[].class, 4));
      CompletableFuture<DeviceTable> winner = new CompletableFuture<>();
      beforeAFill.set(
          () ->
              winner
                  .completeAsync(
                      () -> DeviceTable.of(other, schema.select("shared"), List.of(shared), 4))
                  .join());
      assertThatIllegalArgumentException()
          .isThrownBy(() -> DeviceTable.of(stream, schema, List.of(own, shared), 4))
          .withMessageContaining("belongs to another table");
      DeviceTable.of(stream, schema.select("own"), List.of(own), 4).close();
      winner.join().close();
      assertThat(gpu.memory().statistics().liveBytes()).isZero();
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aSliceThatCannotBeMadeLeavesTheTableAsItIs() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire();
        DeviceTable table = DeviceTable.allocate(stream, SCHEMA, 100)) {
      long live = gpu.memory().statistics().liveBytes();
      device.failCall(DriverCall.FILL_32_ASYNC, 1, INVALID_VALUE);
      assertThatThrownBy(() -> table.slice(stream, 0, 10)).isInstanceOf(CudaDriverException.class);
      assertThat(gpu.memory().statistics().liveBytes()).isEqualTo(live);
      try (DeviceTable slice = table.slice(stream, 0, 10)) {
        assertThat(slice.rows(stream)).isZero();
      }
    }
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void aTableThatOutlivesItsRuntimeIsClosedWithoutAnError() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    DeviceRuntime gpu = DeviceRuntime.simulated(device);
    DeviceTable table = DeviceTable.allocate(gpu.streams().acquire(), SCHEMA, 100);
    gpu.close();
    table.close();
    assertThat(device.liveObjects()).isZero();
  }
}
