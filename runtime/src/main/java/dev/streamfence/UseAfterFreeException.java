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
    super(use + " uses " + block + ", which is closed", closedAt);
    this.generation = generation;
  }

  /** The closed block's number, which no other block of this process has. */
  public long generation() {
    return generation;
  }
}
