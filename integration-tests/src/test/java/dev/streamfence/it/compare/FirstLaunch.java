package dev.streamfence.it.compare;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;

/** A process that opens the device, loads a module of thirty kernels, launches one and waits. */
final class FirstLaunch {
  static final String DONE = "launched";

  private static final int N = 1 << 16;

  private FirstLaunch() {}

  /**
   * Prints {@link #DONE}, and then closes.
   *
   * @param arguments whether launches are compared with the lengths of their arrays
   */
  public static void main(String[] arguments) {
    RuntimeOptions options =
        RuntimeOptions.defaults().withBoundsChecks(Boolean.parseBoolean(arguments[0]));
    try (DeviceRuntime gpu = DeviceRuntime.open(0, options);
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<float[]> x = gpu.memory().allocateZeroed(stream, float[].class, N);
        DeviceArray<float[]> y = gpu.memory().allocate(stream, float[].class, N)) {
      ThirtyKernelsLauncher.on(stream).narrow0(x, y, N);
      stream.synchronize();
      System.out.println(DONE);
    }
  }
}
