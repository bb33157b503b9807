package dev.streamfence;

import org.jspecify.annotations.Nullable;

/**
 * The root of all errors of a device and of calls to it. Its subclasses say who must act. A wrong
 * argument throws an {@link IllegalArgumentException} instead.
 */
public class DeviceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * The use that was refused: an argument of a launch, a launch as a whole, or another operation.
   * Immutable.
   *
   * @param kernel the entry point; empty if the use is not part of a launch
   * @param parameter the parameter, as in {@code columns[3]} with the index in a table, or the
   *     variable of the module; empty if the refusal concerns none
   * @param inWords the use in the message, such as {@code saxpy: parameter 'x'} or {@code download}
   */
  public record AttemptedUse(String kernel, String parameter, String inWords) {
    /** A parameter of a kernel. */
    public static AttemptedUse ofParameter(String kernel, String parameter) {
      return new AttemptedUse(kernel, parameter, kernel + ": parameter '" + parameter + "'");
    }

    /** An operation other than a launch. */
    public static AttemptedUse of(String operation) {
      return new AttemptedUse("", "", operation);
    }

    @Override
    public String toString() {
      return inWords;
    }
  }

  /** Creates an error whose message says what failed, with numbers, and what to do. */
  public DeviceException(String message) {
    super(message);
  }

  /** Creates an error with a cause. */
  public DeviceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
