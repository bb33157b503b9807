package dev.streamfence.stream;

/** How errors name a submission and the blocks it uses. Asked only when something went wrong. */
public interface UseLabels {
  /** What is submitted, such as {@code saxpy on stream 2}. */
  String purpose();

  /**
   * What the block is to it that was registered with {@code label}, such as {@code saxpy: parameter
   * 'x'}.
   */
  String use(int label);
}
