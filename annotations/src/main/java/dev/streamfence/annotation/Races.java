package dev.streamfence.annotation;

/**
 * What is done about threads of one launch that may touch the same elements without an order, as
 * far as a kernel's PTX shows them, see {@link Kernel}.
 */
public enum Races {
  /**
   * The compiler warns of two threads that conflict in launches of ordinary size whatever the data
   * are. {@link Trusted} on the array silences the warning.
   */
  REPORTED,

  /**
   * The PTX has to prove that no two threads of a launch conflict; otherwise the interface does not
   * compile. The proof assumes that 32-bit arithmetic does not wrap around, that no access leaves
   * its array, and that a {@code LaunchShape} has one thread and one block in each dimension that
   * the kernel does not read; the launcher's documentation lists these sizes. If it holds for
   * blocks up to a size alone, {@link Kernel#requiredBlock} has to declare one.
   */
  REFUSED
}
