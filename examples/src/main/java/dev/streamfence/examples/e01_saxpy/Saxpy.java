package dev.streamfence.examples.e01_saxpy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.util.Arrays;

/** Computes {@code a * x + y} on a GPU, or on the simulated device if there is no GPU. */
public final class Saxpy {
  private Saxpy() {}

  /** Prints {@code [12.0, 24.0, 36.0]}. */
  public static void main(String[] arguments) {
    try (DeviceRuntime device =
        DeviceRuntime.isGpuAvailable() ? DeviceRuntime.open(0) : DeviceRuntime.simulated()) {
      System.out.println(
          Arrays.toString(
              saxpy(device, 2f, new float[] {1f, 2f, 3f}, new float[] {10f, 20f, 30f})));
    }
  }

  /** Waits for the device and returns {@code a * x + y}; both arrays have the same length. */
  static float[] saxpy(DeviceRuntime device, float a, float[] x, float[] y) {
    try (DeviceStream stream = device.streams().acquire();
        DeviceArray<float[]> deviceX = device.memory().upload(stream, x);
        DeviceArray<float[]> deviceY = device.memory().upload(stream, y)) {
      VectorKernels kernels = VectorKernelsLauncher.on(stream);
      kernels.saxpy(a, deviceX, deviceY, x.length);
      return deviceY.download(stream);
    }
  }
}
