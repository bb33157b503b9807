package dev.streamfence;

/**
 * A launch or copy would read an array that nothing has written since it was allocated. Found where
 * memory is guarded, see {@link RuntimeOptions#guardMemory}. Nothing was queued.
 */
public final class UninitializedReadException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final long generation;

  /**
   * Creates a refusal.
   *
   * @param use what wanted to read, such as {@code saxpy: parameter 'x'}
   * @param block the block in words
   * @param generation its number, which no other block of this process has
   */
  public UninitializedReadException(String use, String block, long generation) {
    super(
        use
            + " reads "
            + block
            + ", which nothing has written; upload or fill it first, or declare what only writes it"
            + " as @Writes");
    this.generation = generation;
  }

  /** The block's number, which no other block of this process has. */
  public long generation() {
    return generation;
  }
}
