package dev.streamfence;

/**
 * A runtime was used after it was closed, or while another thread was closing it. Nothing was
 * queued, and nothing has changed. Closing an array, a stream, a reservation or a launch of a
 * closed runtime does nothing and throws nothing.
 */
public final class RuntimeClosedException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final String runtime;

  /**
   * Creates the exception.
   *
   * @param runtime a description of the runtime
   * @param detail what the closed runtime can no longer answer, or empty
   */
  public RuntimeClosedException(String runtime, String detail) {
    super(runtime + " is closed" + (detail.isEmpty() ? "" : ": " + detail));
    this.runtime = runtime;
  }

  /** The closed runtime, as its {@code toString} describes it. */
  public String runtime() {
    return runtime;
  }
}
