package dev.streamfence.internal.simulator.schedule;

/**
 * How long work takes on the simulated device's own clock: a model that has the proportions of a
 * GPU, so that a timeline looks like one, and that gives the same work the same time each run. It
 * does not predict the time on any GPU. The clock of a stream goes on with its work, waits for
 * other streams, and is never behind the moment at which the host has queued the work.
 */
public final class ModelledTime {
  private static final long KERNEL_NANOS = 2_000;
  private static final long COPY_NANOS = 1_000;

  /** Of all threads together, per nanosecond. */
  private static final long INSTRUCTIONS = 100;

  /** Over the bus, per nanosecond: a PCI Express link of version 4. */
  private static final long HOST_BYTES = 25;

  private static final long DEVICE_BYTES = 1_000;

  private ModelledTime() {}

  /** A launch whose threads together run that many instructions. */
  public static long kernel(long instructions) {
    return KERNEL_NANOS + instructions / INSTRUCTIONS;
  }

  /** A copy between host and device. */
  public static long hostCopy(long bytes) {
    return COPY_NANOS + bytes / HOST_BYTES;
  }

  /** A copy within the device, or a fill. */
  public static long onDevice(long bytes) {
    return COPY_NANOS + bytes / DEVICE_BYTES;
  }
}
