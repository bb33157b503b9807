package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.DeviceRuntime;

/** A program that lists the devices, and accepts that there is none. */
final class ListDevices {
  private ListDevices() {}

  public static void main(String[] arguments) {
    System.out.println(DeviceRuntime.devices());
  }
}
