package dev.streamfence.simulation;

/** When a simulated device runs the work queued on its streams. Immutable. */
public enum Schedule {
  /** As early as possible: each operation runs as soon as the operations it waits for are done. */
  EAGER,
  /**
   * As late as possible: an operation runs only when the host waits for it, directly or through
   * another operation, or for the whole runtime. So everything has run when the runtime is
   * synchronised or closed, also work of other code.
   */
  LAZY,
  /**
   * In an order and at moments drawn from the device's seed: the same seed and the same calls give
   * the same order.
   */
  RANDOM
}
