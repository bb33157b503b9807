package dev.streamfence;

import org.jspecify.annotations.Nullable;

/** A kernel module cannot be found, read or assembled, or does not match its interface. */
public final class KernelLoadException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final String module;
  private final String log;

  /**
   * Creates the exception.
   *
   * @param module the module's name, usually its resource
   * @param fact what is wrong and what to do
   * @param log the loader's log, or empty
   * @param cause the underlying error, if any
   */
  public KernelLoadException(String module, String fact, String log, @Nullable Throwable cause) {
    super(module + ": " + fact + (log.isBlank() ? "" : "\n" + log.strip()), cause);
    this.module = module;
    this.log = log;
  }

  /** The module's name, usually its resource. */
  public String module() {
    return module;
  }

  /** The loader's log, or empty. */
  public String log() {
    return log;
  }
}
