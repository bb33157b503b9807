package dev.streamfence;

/**
 * A launch or copy would read an array that nothing has written since it was allocated. Detected
 * only if memory is guarded, see {@link RuntimeOptions#guardMemory}. Nothing was queued.
 */
public final class UninitializedReadException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final String kernel;
  private final String parameter;
  private final long generation;

  /**
   * Creates the exception.
   *
   * @param use the attempted read
   * @param allocation a description of the allocation
   * @param generation the allocation's number, unique in this process
   */
  public UninitializedReadException(AttemptedUse use, String allocation, long generation) {
    super(
        use
            + " reads "
            + allocation
            + ", which nothing has written; upload or fill it first"
            + (use.kernel().isEmpty()
                ? ""
                : ", also for a kernel that reads only what it has written itself, or declare @Writes"
                    + " if the kernel only writes it"));
    this.kernel = use.kernel();
    this.parameter = use.parameter();
    this.generation = generation;
  }

  /** The entry point of the launch that was refused; empty for another operation. */
  public String kernel() {
    return kernel;
  }

  /** The parameter, with its index in a table; empty if the refusal concerns none. */
  public String parameter() {
    return parameter;
  }

  /** The allocation's number, unique in this process. */
  public long generation() {
    return generation;
  }
}
