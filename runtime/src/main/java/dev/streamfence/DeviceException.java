package dev.streamfence;

import org.jspecify.annotations.Nullable;

/**
 * The root of everything that goes wrong on a device or on the way to it. Its subclasses say who
 * must act. Plain misuse of an argument is an {@link IllegalArgumentException} instead.
 */
public class DeviceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates an error that says what failed, with the figures, and what to do. */
  public DeviceException(String message) {
    super(message);
  }

  /** Creates an error that another one led to. */
  public DeviceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
