package first;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import org.junit.jupiter.api.Test;

class SaxpyTest {
  @Test
  void addsTheProduct() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
      float[] result = Main.saxpy(gpu, 2, new float[] {1, 2, 3}, new float[] {10, 20, 30});
      assertArrayEquals(new float[] {12, 24, 36}, result);
    }
  }

  @Test
  void anArrayThatIsTooShortIsRefused() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<float[]> x = gpu.memory().upload(stream, new float[2]);
        DeviceArray<float[]> y = gpu.memory().upload(stream, new float[3])) {
      KernelArgumentException refusal =
          assertThrows(
              KernelArgumentException.class,
              () -> VectorKernelsLauncher.on(stream).saxpy(2, x, y, 3));
      System.out.println(refusal.getMessage());
    }
  }
}
