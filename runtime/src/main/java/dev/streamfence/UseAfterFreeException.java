package dev.streamfence;

import org.jspecify.annotations.Nullable;

/**
 * An array was used after it was closed, handed over or joined with other parts. Nothing was
 * queued.
 */
public final class UseAfterFreeException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final long generation;

  /**
   * Creates the exception.
   *
   * @param use the attempted use, such as {@code saxpy: parameter 'x'}
   * @param allocation a description of the allocation
   * @param generation the allocation's number, unique in this process
   * @param closedAt where it was closed, if that was traced
   */
  public UseAfterFreeException(
      String use, String allocation, long generation, @Nullable Throwable closedAt) {
    this(use + " uses " + allocation + ", which is closed", generation, closedAt);
  }

  private UseAfterFreeException(String message, long generation, @Nullable Throwable closedAt) {
    super(message, closedAt);
    this.generation = generation;
  }

  /**
   * Creates the exception for an array whose memory was handed over to another one.
   *
   * @param use the attempted use, such as {@code saxpy: parameter 'x'}
   * @param array a description of the array
   * @param generation its allocation's number, unique in this process
   * @param heir a description of the array that has its memory
   */
  public static UseAfterFreeException handedOver(
      String use, String array, long generation, String heir) {
    return new UseAfterFreeException(
        use + " uses " + array + ", whose memory was handed over to " + heir + "; use that",
        generation,
        null);
  }

  /**
   * Creates the exception for a part of an array that was joined with the others.
   *
   * @param use the attempted use, such as {@code saxpy: parameter 'x'}
   * @param part a description of the part
   * @param generation the part's number, unique in this process
   * @param whole a description of the memory that it was a part of
   */
  public static UseAfterFreeException joined(
      String use, String part, long generation, String whole) {
    return new UseAfterFreeException(
        use + " uses " + part + ", which was joined with the other parts; use " + whole,
        generation,
        null);
  }

  /** The closed allocation's number, unique in this process. */
  public long generation() {
    return generation;
  }
}
