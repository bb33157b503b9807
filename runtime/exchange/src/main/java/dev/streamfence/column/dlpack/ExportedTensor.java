package dev.streamfence.column.dlpack;

import dev.streamfence.internal.column.foreign.TensorLoan;

/**
 * A tensor that was made of an array for another library. Closing it ends it, unless it was handed
 * over: then it ends when the library calls its deleter. Thread-safe.
 */
public sealed interface ExportedTensor extends AutoCloseable permits TensorLoan {
  /** Whether it is a {@code DLManagedTensorVersioned}, and not a {@code DLManagedTensor}. */
  boolean isVersioned();

  /** The name of a Python capsule for it, {@code dltensor} or {@code dltensor_versioned}. */
  String capsuleName();

  /**
   * Hands the tensor over to its consumer, who calls its deleter once, on any thread.
   *
   * @return the address of the structure
   * @throws IllegalStateException if it was handed over already, or is closed
   */
  long handOver();

  /** Ends the tensor if it was not handed over. Closing it again does nothing. */
  @Override
  void close();
}
