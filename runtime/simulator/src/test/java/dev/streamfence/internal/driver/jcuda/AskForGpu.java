package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.DeviceRuntime;

/** A program that asks whether there is a GPU, and accepts that there is none. */
final class AskForGpu {
  private AskForGpu() {}

  public static void main(String[] arguments) {
    System.out.println(DeviceRuntime.isGpuAvailable());
  }
}
