package dev.streamfence.internal.order;

/** How errors name a submission and the allocations that it uses. Called only after a failure. */
public interface UseLabels {
  /** The submitted work, such as {@code saxpy on stream 2}. */
  String purpose();

  /**
   * The role of the allocation that was registered with {@code label}, such as {@code saxpy:
   * parameter 'x'}.
   */
  String use(int label);
}
