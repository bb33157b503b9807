package demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.dlpack.DlPack;
import dev.streamfence.column.dlpack.TensorConsumer;
import dev.streamfence.column.dlpack.TensorProducer;
import org.junit.jupiter.api.Test;

/** Functions that C code calls work in a module that opens nothing. */
class TensorTest {
  @Test
  void anExportedTensorComesBackAndIsDeleted() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<float[]> x = gpu.memory().upload(stream, new float[] {1, 2, 3})) {
      long tensor = DlPack.export(x, TensorConsumer.onStream(1)).handOver();
      try (DeviceArray<float[]> back =
          DlPack.tensor(tensor).adopt(stream, float[].class, TensorProducer.done())) {
        assertArrayEquals(new float[] {1, 2, 3}, back.download(stream));
      }
    }
  }
}
