package first;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.util.Arrays;

public final class Main {
  private Main() {}

  /** Computes a * x + y on the device. */
  static float[] saxpy(DeviceRuntime gpu, float a, float[] x, float[] y) {
    try (DeviceStream stream = gpu.streams().acquire();
        DeviceArray<float[]> deviceX = gpu.memory().upload(stream, x);
        DeviceArray<float[]> deviceY = gpu.memory().upload(stream, y)) {
      VectorKernelsLauncher.on(stream).saxpy(a, deviceX, deviceY, x.length);
      return deviceY.download(stream);
    }
  }

  public static void main(String[] arguments) {
    boolean hasGpu = !DeviceRuntime.devices().isEmpty();
    try (DeviceRuntime gpu = hasGpu ? DeviceRuntime.open(0) : DeviceRuntime.simulated()) {
      float[] result = saxpy(gpu, 2, new float[] {1, 2, 3}, new float[] {10, 20, 30});
      System.out.println(Arrays.toString(result));
    }
  }
}
