package dev.streamfence;

import dev.streamfence.internal.Suppressed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call of the CUDA driver returned an error code. The call that reports an error is not always
 * its cause: work on a stream fails later than the call that queued it.
 */
public sealed class CudaDriverException extends DeviceException permits RacyAccessException {
  private static final String EARLIER = "an earlier operation, which lost the device";

  private static final long serialVersionUID = 1L;

  private final String call;
  private final int code;
  private final String codeName;
  // Set once, by the caller that knows what the call was for.
  private volatile String purpose;
  private final String[] outstanding;

  /**
   * Creates the error of one driver call.
   *
   * @param call the driver's function, such as {@code cuLaunchKernel}
   * @param code its {@code CUresult}
   * @param codeName the code's name, such as {@code CUDA_ERROR_ILLEGAL_ADDRESS}
   * @param purpose what the call was for, with kernel, stream or allocation; may be empty
   * @param cause the cause of the error, if more than the code is known
   */
  public CudaDriverException(
      String call, int code, String codeName, String purpose, @Nullable Throwable cause) {
    this(call, code, codeName, purpose, List.of(), cause);
  }

  CudaDriverException(
      String call,
      int code,
      String codeName,
      String purpose,
      List<String> outstanding,
      @Nullable Throwable cause) {
    super(call + " answered " + codeName, cause);
    this.call = call;
    this.code = code;
    this.codeName = codeName;
    this.purpose = purpose;
    this.outstanding = outstanding.toArray(new String[0]);
  }

  /** Creates the error of one driver call when only the code is known. */
  public CudaDriverException(String call, int code, String codeName) {
    this(call, code, codeName, "", null);
  }

  /**
   * Begins with the culprit as far as it is known: with the operation that lost the device, or with
   * the unfinished work, of which one item lost it. The call that noticed the error comes last.
   */
  @Override
  public String getMessage() {
    Throwable cause = getCause();
    String error = codeName + " (" + code + ")";
    String during = purpose.isEmpty() ? "" : " during " + purpose;
    if (cause instanceof CudaDriverException) {
      return cause.getMessage()
          + "; this lost the device"
          + (purpose.equals(EARLIER) ? "" : ", " + purpose);
    }
    String culprit = culprit();
    if (culprit != null) {
      return culprit + "; noticed by " + call + during + ", which answered " + error;
    }
    if (isSticky() && cause == null && outstanding.length > 0) {
      return (outstanding.length == 1 ? outstanding[0] + " failed" : "one of these failed")
          + " with "
          + error
          + (outstanding.length == 1 ? "" : ": " + String.join(", ", outstanding))
          + "; noticed by "
          + call
          + during;
    }
    return call
        + " answered "
        + error
        + during
        + (cause == null ? "" : ": " + cause.getMessage())
        + (isOfCapture()
            ? "; other code of this process is capturing a stream, and the driver refuses the call"
                + " until the capture ends; end it first, or capture in the relaxed mode"
            : "")
        + (outstanding.length == 0
            ? ""
            : "; not known to be done: " + String.join(", ", outstanding));
  }

  /** What lost the device, in words; null if this error did not, or nothing is known. */
  @Nullable String culprit() {
    return isSticky() && getCause() instanceof DeviceException known ? known.getMessage() : null;
  }

  /** The driver's function, such as {@code cuLaunchKernel}. */
  public String call() {
    return call;
  }

  /** The driver's {@code CUresult}. */
  public int code() {
    return code;
  }

  /** The name of {@link #code()}, such as {@code CUDA_ERROR_ILLEGAL_ADDRESS}. */
  public String codeName() {
    return codeName;
  }

  /** What the call was for, with kernel, stream or allocation; empty if unknown. */
  public String purpose() {
    return purpose;
  }

  /**
   * Work that was submitted and not known to be done when the device was lost, latest first, a few
   * items per stream; one of them caused the loss. Empty unless this error lost the device.
   */
  public List<String> outstanding() {
    return List.of(outstanding);
  }

  /** The same error with the work that may have caused it. Called by the runtime. */
  public CudaDriverException withOutstanding(List<String> work) {
    CudaDriverException copy = copy(purpose, List.copyOf(work), getCause());
    copy.setStackTrace(getStackTrace());
    for (Throwable suppressed : getSuppressed()) {
      Suppressed.add(copy, suppressed);
    }
    return copy;
  }

  /** The error of a later call on the device that this one lost. Called by the runtime. */
  public CudaDriverException again() {
    return again(EARLIER);
  }

  /**
   * The error of a later operation that needs several devices. Called by the runtime.
   *
   * @param needs which device is lost, and what needs it
   */
  public CudaDriverException again(String needs) {
    return copy(needs, List.of(), this);
  }

  /** An error of the same kind, call and code. */
  CudaDriverException copy(String during, List<String> work, @Nullable Throwable cause) {
    return new CudaDriverException(call, code, codeName, during, work, cause);
  }

  /**
   * Sets, once, what the call was for, and returns this error. Called by the runtime before any
   * other code sees the error.
   */
  public CudaDriverException during(String purpose) {
    if (this.purpose.isEmpty()) {
      this.purpose = purpose;
    }
    return this;
  }

  /** Whether a capture is the reason, from STREAM_CAPTURE_UNSUPPORTED to _WRONG_THREAD. */
  private boolean isOfCapture() {
    return code >= 900 && code <= 908;
  }

  /**
   * Whether the error is sticky: it ends the device's context, and every later call returns it
   * again. The list holds the codes whose description in {@code cuda.h} says that the process must
   * be terminated, and {@code CUDA_ERROR_ASSERT}.
   */
  public boolean isSticky() {
    return switch (code) {
      case 214, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 911 -> true;
      default -> false;
    };
  }
}
