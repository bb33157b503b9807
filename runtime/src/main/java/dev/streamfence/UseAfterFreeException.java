package dev.streamfence;

import org.jspecify.annotations.Nullable;

/** A block of device memory was used after it had been closed. Nothing was queued. */
public final class UseAfterFreeException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final long generation;

  /**
   * Creates a refusal.
   *
   * @param use what wanted the block, such as {@code saxpy: parameter 'x'}
   * @param block the block in words
   * @param generation its number, which no other block of this process has
   * @param closedAt where it was closed, if that was traced
   */
  public UseAfterFreeException(
      String use, String block, long generation, @Nullable Throwable closedAt) {
    this(use + " uses " + block + ", which is closed", generation, closedAt);
  }

  private UseAfterFreeException(String message, long generation, @Nullable Throwable closedAt) {
    super(message, closedAt);
    this.generation = generation;
  }

  /**
   * Creates the refusal of an array whose memory another one has.
   *
   * @param use what wanted the array, such as {@code saxpy: parameter 'x'}
   * @param array the array in words
   * @param generation its block's number, which no other block of this process has
   * @param heir the array that has its memory, in words
   */
  static UseAfterFreeException handedOver(String use, String array, long generation, String heir) {
    return new UseAfterFreeException(
        use + " uses " + array + ", whose memory was handed over to " + heir + "; use that",
        generation,
        null);
  }

  /** The closed block's number, which no other block of this process has. */
  public long generation() {
    return generation;
  }
}
