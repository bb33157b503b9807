package demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import org.junit.jupiter.api.Test;

class VectorKernelsTest {
  @Test
  void readmeExampleRunsOnTheSimulatedDevice() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<float[]> x = gpu.memory().upload(stream, new float[] {1, 2, 3});
        DeviceArray<float[]> y = gpu.memory().upload(stream, new float[] {10, 20, 30})) {
      VectorKernels kernels = VectorKernelsLauncher.on(stream);
      kernels.saxpy(2f, x, y, 3);
      assertArrayEquals(new float[] {12, 24, 36}, y.download(stream));
    }
  }
}
