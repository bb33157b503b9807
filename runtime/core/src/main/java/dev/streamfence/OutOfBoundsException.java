package dev.streamfence;

/**
 * A kernel touched memory outside all allocations that it may touch. Only the simulated device
 * reports this.
 */
public final class OutOfBoundsException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final String kernel;
  private final String thread;
  private final long address;

  /**
   * Creates the exception.
   *
   * @param kernel the entry point
   * @param launch the launch in words, beginning with the kernel
   * @param thread block and thread index, in words
   * @param address the first byte that was touched
   * @param fact what is wrong with the address, the argument concerned, and the line of the code
   */
  public OutOfBoundsException(
      String kernel, String launch, String thread, long address, String fact) {
    super("kernel " + launch + ", " + thread + ": " + fact);
    this.kernel = kernel;
    this.thread = thread;
    this.address = address;
  }

  /** The entry point. */
  public String kernel() {
    return kernel;
  }

  /** Block and thread index, in words. */
  public String thread() {
    return thread;
  }

  /** The first byte that was touched. */
  public long address() {
    return address;
  }
}
