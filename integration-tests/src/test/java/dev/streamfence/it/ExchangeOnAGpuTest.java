package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.column.arrow.ArrowDevice;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.column.dlpack.TensorProducer;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On a GPU, a second runtime stands for another library, as the two know nothing of each other. */
@Tag("gpu")
final class ExchangeOnAGpuTest extends ExchangeSuite {
  private static final int ELEMENTS = 1 << 16;
  private static final int ROUNDS = 100;

  /** About a millisecond, in which the host does everything up to the read. */
  private static final int SLOWLY = 500_000;

  @Override
  DeviceRuntime open() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    return DeviceRuntime.open(0);
  }

  @Test
  void runtimesPassEachOtherTensorsInOrder() {
    try (DeviceRuntime other = open()) {
      assertThat(wrongTensors(other, true)).isZero();
    }
  }

  @Test
  @Tag("races-on-purpose")
  void withoutTheOrderTheTensorsAreWrong() {
    try (DeviceRuntime other = open()) {
      assertThat(wrongTensors(other, false)).isPositive();
    }
  }

  /** How often the other runtime sees another number than the slow kernel has written. */
  private int wrongTensors(DeviceRuntime other, boolean isOrdered) {
    int wrong = 0;
    try (DeviceRuntime gpu = open()) {
      DeviceStream here = gpu.streams().acquire();
      DeviceStream there = other.streams().acquire();
      long theirs = isOrdered ? handle(there) : -1;
      for (int i = 0; i < ROUNDS; i++) {
        DeviceArray<int[]> x = gpu.memory().allocateZeroed(here, int[].class, ELEMENTS);
        here.synchronize();
        SuiteKernelsLauncher.on(here).incrementSlowly(x, ELEMENTS, SLOWLY);
        long tensor = DlPack.export(x, TensorConsumer.onStream(theirs)).handOver();
        try (DeviceArray<int[]> y =
                DlPack.tensor(tensor).adopt(there, int[].class, TensorProducer.done());
            DeviceArray<int[]> copy = y.copy(there)) {
          int[] seen = copy.download(there);
          int[] written = x.download(here);
          wrong += Arrays.equals(seen, written) ? 0 : 1;
        }
        x.close();
      }
    }
    return wrong;
  }

  @Test
  void runtimesPassEachOtherTablesInOrder() {
    Schema schema = Schema.of(ColumnField.of("x", ColumnType.INT32));
    try (DeviceRuntime gpu = open();
        DeviceRuntime other = open();
        Memory array = new Memory(128);
        Memory arrowSchema = new Memory(72)) {
      DeviceStream here = gpu.streams().acquire();
      DeviceStream there = other.streams().acquire();
      for (int i = 0; i < ROUNDS; i++) {
        try (DeviceTable table = DeviceTable.allocate(here, schema, ELEMENTS)) {
          table.setRows(here, ELEMENTS);
          DeviceArray<int[]> x = table.column("x", int[].class).values();
          x.fill(here, 0);
          here.synchronize();
          SuiteKernelsLauncher.on(here).incrementSlowly(x, ELEMENTS, SLOWLY);
          ArrowDevice.export(
              here, table, Pointer.nativeValue(array), Pointer.nativeValue(arrowSchema));
          try (DeviceTable taken =
              ArrowDevice.adopt(
                  there, Pointer.nativeValue(array), Pointer.nativeValue(arrowSchema))) {
            ReadableColumn<int[]> column = taken.readable("x", int[].class);
            assertThat(column.origin()).isEqualTo(ColumnOrigin.ARROW);
            int[] seen = column.values().download(there);
            assertThat(seen).isEqualTo(x.download(here));
            assertThat(seen[0]).isPositive();
          }
        }
      }
    }
  }
}
