package dev.streamfence;

import org.jspecify.annotations.Nullable;

/**
 * The root of all errors of a device and of calls to it. Its subclasses say who must act. A wrong
 * argument throws an {@link IllegalArgumentException} instead.
 */
public class DeviceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an error whose message says what failed, with numbers, and what to do. */
  public DeviceException(String message) {
    super(message);
  }

  /** Creates an error with a cause. */
  public DeviceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
