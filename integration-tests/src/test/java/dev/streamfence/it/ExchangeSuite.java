package dev.streamfence.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnOrigin;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.ReadableColumn;
import dev.streamfence.column.Schema;
import dev.streamfence.column.arrow.ArrowDevice;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.ExportedTensor;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.column.dlpack.TensorProducer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The promises of every device about the structures of other libraries. */
abstract class ExchangeSuite {
  private static final int ELEMENTS = 1000;

  private DeviceRuntime gpu;
  private DeviceStream a;
  private DeviceStream b;

  abstract DeviceRuntime open();

  @BeforeEach
  void openDevice() {
    gpu = open();
    a = gpu.streams().acquire();
    b = gpu.streams().acquire();
  }

  @AfterEach
  void closeDevice() {
    if (gpu != null) {
      gpu.close();
    }
  }

  @Test
  void tensorsComeBackOnAnotherStreamWithTheSameHazards() {
    long theirs = handle(b);
    try (DeviceArray<int[]> x = gpu.memory().allocateZeroed(a, int[].class, ELEMENTS)) {
      for (int i = 1; i <= 20; i++) {
        SuiteKernelsLauncher.on(a).incrementSlowly(x, ELEMENTS, 100);
        ExportedTensor tensor =
            DlPack.export(x, TensorConsumer.onStream(theirs).understanding(1, 1));
        try (DeviceArray<int[]> back =
            DlPack.versionedTensor(tensor.handOver())
                .adopt(b, int[].class, TensorProducer.onStream(theirs))) {
          SuiteKernelsLauncher.on(b).incrementSlowly(back, ELEMENTS, 100);
        }
      }
      assertThat(x.download(a)).containsOnly(40);
    }
  }

  @Test
  void tablesComeBackWithRowsValuesAndNulls() {
    Schema schema =
        Schema.of(
            ColumnField.nullable("n", ColumnType.INT32),
            ColumnField.of("b", ColumnType.BOOL8),
            ColumnField.of("t", ColumnType.UTF8));
    try (Memory array = new Memory(128);
        Memory arrowSchema = new Memory(72);
        DeviceTable table =
            DeviceTable.of(
                a,
                schema,
                List.of(
                    DeviceColumn.of(
                        schema.field(0),
                        gpu.memory().upload(a, new int[] {7, 0, 9}),
                        gpu.memory().upload(a, new byte[] {0b101})),
                    DeviceColumn.of(
                        schema.field(1), gpu.memory().upload(a, new boolean[] {true, false, true})),
                    DeviceColumn.ofText(
                        schema.field(2),
                        gpu.memory().upload(a, new int[] {0, 2, 2, 5}),
                        gpu.memory().upload(a, "abcde".getBytes(UTF_8)),
                        gpu.memory().upload(a, new byte[0]))),
                3)) {
      long before = gpu.memory().statistics().downloads();
      ArrowDevice.export(a, table, Pointer.nativeValue(array), Pointer.nativeValue(arrowSchema));
      assertThat(gpu.memory().statistics().downloads()).isEqualTo(before);
      try (DeviceTable back =
          ArrowDevice.adopt(b, Pointer.nativeValue(array), Pointer.nativeValue(arrowSchema))) {
        assertThat(back.schema()).isEqualTo(schema);
        assertThat(back.rows(b)).isEqualTo(3);
        ReadableColumn<int[]> n = back.readable("n", int[].class);
        assertThat(n.origin()).isEqualTo(ColumnOrigin.ARROW_EXPORT);
        assertThat(n.values().download(b)).containsExactly(7, 0, 9);
        assertThat(n.validity().download(b)).containsExactly(0b101);
        assertThat(back.readable("b", boolean[].class).values().download(b))
            .containsExactly(true, false, true);
        ReadableColumn<byte[]> t = back.readable("t", byte[].class);
        assertThat(new String(t.values().download(b), UTF_8)).isEqualTo("abcde");
        assertThat(t.offsets().download(b)).containsExactly(0, 2, 2, 5);
      }
    }
  }

  /** The raw handle of a stream. */
  static long handle(DeviceStream stream) {
    long[] handle = new long[1];
    stream.submit("asking for the handle", uses -> {}, call -> handle[0] = call.streamHandle());
    return handle[0];
  }
}
