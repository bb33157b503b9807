package dev.streamfence;

import org.jspecify.annotations.Nullable;

/**
 * A kernel module cannot be found, read, assembled, or does not fit the interface that declares it.
 */
public final class KernelLoadException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final String module;
  private final String log;

  /**
   * Creates a refusal.
   *
   * @param module the module's name, usually its resource
   * @param fact what is wrong and what to do
   * @param log what the loader said, or empty
   * @param cause what led to it
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

  /** What the loader said, or empty. */
  public String log() {
    return log;
  }
}
