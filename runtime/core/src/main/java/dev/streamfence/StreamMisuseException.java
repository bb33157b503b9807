package dev.streamfence;

/**
 * A stream, recorder or array was used in a way that cannot be ordered safely. Nothing was queued.
 */
public final class StreamMisuseException extends DeviceException {
  private static final long serialVersionUID = 1L;

  /** Why it cannot be ordered. */
  public enum Misuse {
    /** An array, a column or a stream belongs to another runtime. */
    OTHER_RUNTIME,
    /** A launch gets the same memory twice and writes it. */
    ALIAS,
    /** Memory that is read-only would be written. */
    READ_ONLY,
    /** The memory is not tracked, or a foreign call has not declared its use. */
    UNTRACKED,
    /** An array is used while it is split into parts. */
    SPLIT,
    /**
     * The operation needs a whole array, but was given a view, a part or a variable of a module.
     */
    NOT_WHOLE,
    /** A step of a launch or of a join is out of order. */
    WRONG_STEP,
    /** The operation is refused inside a launch or another operation of this thread. */
    INSIDE_LAUNCH,
    /** The operation cannot be part of a graph, or is refused in the body of one. */
    INSIDE_GRAPH,
    /** The memory cannot be freed, since a graph or other code has it. */
    HELD,
    /** The operation is refused inside an access to a pinned array of this thread. */
    INSIDE_HOST_ACCESS,
    /** An object is used outside the code or the thread for which it is valid. */
    OUT_OF_SCOPE,
    /** The stream is closed. */
    CLOSED_STREAM,
    /** Other code captures the stream: work would become a part of its graph instead of running. */
    CAPTURING,
    /** No further stream can be lent or adopted. */
    NO_STREAM_LEFT
  }

  private final Misuse kind;
  private final String kernel;
  private final String parameter;

  /** Creates an exception whose message names the culprit and what to do instead. */
  public StreamMisuseException(Misuse kind, String message) {
    this(kind, AttemptedUse.of(message), "");
  }

  /**
   * Creates the exception of a launch, or of an operation that may be one.
   *
   * @param fact what is wrong and what to do; follows the use in the message
   */
  public StreamMisuseException(Misuse kind, AttemptedUse use, String fact) {
    super(use + fact);
    this.kind = kind;
    this.kernel = use.kernel();
    this.parameter = use.parameter();
  }

  /** Why it cannot be ordered. */
  public Misuse kind() {
    return kind;
  }

  /** The entry point of the launch that was refused; empty for another operation. */
  public String kernel() {
    return kernel;
  }

  /**
   * The parameter, with its index in a table, or the variable; empty if the refusal concerns none.
   */
  public String parameter() {
    return parameter;
  }
}
