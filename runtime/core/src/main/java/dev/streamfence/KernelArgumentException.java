package dev.streamfence;

/**
 * An argument of a launch, or its shape, is wrong. Nothing was queued. An argument that cannot be
 * ordered safely is a {@link StreamMisuseException}, and a closed array a {@link
 * UseAfterFreeException}.
 */
public final class KernelArgumentException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /** What is wrong. */
  public enum Mistake {
    /** The argument was not passed. */
    MISSING,
    /**
     * The parameter does not take such an argument, or all parameters have their arguments already.
     */
    UNEXPECTED,
    /** The argument is null. */
    NULL,
    /** The array's elements have another type than those that the kernel takes. */
    ELEMENT_TYPE,
    /** The array has another length than the one that a graph was recorded with. */
    LENGTH,
    /** The number of threads or of bytes is negative, or more than its type holds. */
    NUMBER,
    /** The device, the kernel or the interface excludes the shape of the launch. */
    SHAPE,
    /** The kernel certainly touches an element that the array does not have. */
    TOO_SHORT,
    /**
     * The kernel may touch such an element, and the interface requires a proof that it does not.
     */
    UNPROVEN
  }

  private final Mistake kind;
  private final String kernel;
  private final String parameter;

  /**
   * Creates the exception.
   *
   * @param use the argument or the launch
   * @param fact what is wrong with it; follows the use in the message
   */
  public KernelArgumentException(Mistake kind, DeviceException.AttemptedUse use, String fact) {
    super(use + fact);
    this.kind = kind;
    this.kernel = use.kernel();
    this.parameter = use.parameter();
  }

  /** What is wrong. */
  public Mistake kind() {
    return kind;
  }

  /** The entry point. */
  public String kernel() {
    return kernel;
  }

  /** The parameter, with its index in a table; empty for the shape of a launch. */
  public String parameter() {
    return parameter;
  }
}
