package dev.streamfence.simulation;

/** When a simulated device carries out what is queued on its streams. Immutable. */
public enum Schedule {
  /** As early as possible: each operation runs as soon as what it waits for is done. */
  EAGER,
  /**
   * As late as possible: an operation runs only when the host waits for it, or something that it
   * waits for does.
   */
  LAZY,
  /**
   * In an order and at moments drawn from the device's seed: the same seed and calls give the same
   * order.
   */
  RANDOM
}
