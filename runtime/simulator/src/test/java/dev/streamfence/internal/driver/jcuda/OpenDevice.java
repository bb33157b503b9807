package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.DeviceException;
import dev.streamfence.internal.driver.CudaDriver;

/** A process that opens the second device, and prints its name or the error. */
final class OpenDevice {
  private OpenDevice() {}

  public static void main(String[] arguments) {
    for (int i = 0; i < 2; i++) {
      try (CudaDriver driver = JCudaDevices.open(1)) {
        System.out.println("opened " + driver.properties().name());
      } catch (DeviceException e) {
        System.out.println("refused " + e.getMessage());
      }
    }
  }
}
