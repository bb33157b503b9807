package dev.streamfence;

import org.jspecify.annotations.Nullable;

/**
 * An array was used after it was closed, handed over or joined with other parts. Nothing was
 * queued.
 */
public final class UseAfterFreeException extends DeviceException {
  private static final long serialVersionUID = 1L;

  /** How the array ended. */
  public enum Ending {
    /** It was closed, or the array that it is a part of was closed. */
    CLOSED,
    /** Its memory was handed over to another array. */
    HANDED_OVER,
    /** It was joined with the other parts. */
    JOINED
  }

  private final Ending kind;
  private final String kernel;
  private final String parameter;
  private final long generation;

  /**
   * Creates the exception.
   *
   * @param use the attempted use
   * @param allocation a description of the allocation
   * @param generation the allocation's number, unique in this process
   * @param closedAt where it was closed, if that was traced
   */
  public UseAfterFreeException(
      AttemptedUse use, String allocation, long generation, @Nullable Throwable closedAt) {
    this(Ending.CLOSED, use, allocation + ", which is closed", generation, closedAt);
  }

  private UseAfterFreeException(
      Ending kind, AttemptedUse use, String fact, long generation, @Nullable Throwable closedAt) {
    super(use + " uses " + fact, closedAt);
    this.kind = kind;
    this.kernel = use.kernel();
    this.parameter = use.parameter();
    this.generation = generation;
  }

  /**
   * Creates the exception for an array whose memory was handed over to another one.
   *
   * @param use the attempted use
   * @param array a description of the array
   * @param generation its allocation's number, unique in this process
   * @param heir a description of the array that has its memory
   */
  public static UseAfterFreeException handedOver(
      AttemptedUse use, String array, long generation, String heir) {
    return new UseAfterFreeException(
        Ending.HANDED_OVER,
        use,
        array + ", whose memory was handed over to " + heir + "; use that",
        generation,
        null);
  }

  /**
   * Creates the exception for a part of an array that was joined with the others.
   *
   * @param use the attempted use
   * @param part a description of the part
   * @param generation the part's number, unique in this process
   * @param whole a description of the memory that it was a part of
   */
  public static UseAfterFreeException joined(
      AttemptedUse use, String part, long generation, String whole) {
    return new UseAfterFreeException(
        Ending.JOINED,
        use,
        part + ", which was joined with the other parts; use " + whole,
        generation,
        null);
  }

  /** How the array ended. */
  public Ending kind() {
    return kind;
  }

  /** The entry point of the launch that was refused; empty for another operation. */
  public String kernel() {
    return kernel;
  }

  /** The parameter, with its index in a table; empty if the refusal concerns none. */
  public String parameter() {
    return parameter;
  }

  /** The closed allocation's number, unique in this process. */
  public long generation() {
    return generation;
  }
}
