package dev.streamfence.examples.tpch;

import dev.streamfence.DeviceInfo;

/**
 * How fast a device's memory can be at best, by what its driver reports: the clock times the width
 * of the bus times two, since memory of the kinds that GPUs have transfers twice per clock. No
 * program reaches it. Immutable.
 *
 * @param clockKilohertz the memory's clock; 0 if the driver does not report it
 * @param busWidthBits the width of its bus; 0 if the driver does not report it
 */
record MemoryPeak(int clockKilohertz, int busWidthBits) {

  /** The peak of a device. */
  static MemoryPeak of(DeviceInfo device) {
    return new MemoryPeak(device.memoryClockKilohertz(), device.memoryBusWidthBits());
  }

  /** Whether the driver reports both numbers. */
  boolean isKnown() {
    return clockKilohertz > 0 && busWidthBits > 0;
  }

  /** The peak in bytes per second; 0 if it is not known. */
  double bytesPerSecond() {
    return 2 * 1000.0 * clockKilohertz * busWidthBits / Byte.SIZE;
  }
}
