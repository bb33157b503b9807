package dev.streamfence.internal.driver;

import dev.streamfence.CudaDriverException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sticky error that ended a device's context. Once it is set, the device is lost: every later
 * submission fails fast with it. Thread-safe; a check costs one volatile read.
 */
public final class StickyError {
  /** {@code CUDA_ERROR_UNKNOWN}. */
  private static final int UNKNOWN = 999;

  private final AtomicReference<@Nullable CudaDriverException> first = new AtomicReference<>();
  private volatile Supplier<List<String>> outstanding = List::of;

  /** Sets the source of descriptions of unfinished work, which is asked when the device is lost. */
  public void askForOutstanding(Supplier<List<String>> source) {
    outstanding = source;
  }

  /**
   * Creates the error of a failure that no driver call has reported, but that loses the device.
   *
   * @param act the failed action, in place of a driver function
   */
  public static CudaDriverException unknown(String act, String purpose, @Nullable Throwable cause) {
    return new CudaDriverException(act, UNKNOWN, "CUDA_ERROR_UNKNOWN", purpose, cause);
  }

  /**
   * Throws if the device is lost.
   *
   * @throws CudaDriverException with the code of the first fatal error, and that error as its cause
   */
  public void check() {
    CudaDriverException fault = first.get();
    if (fault != null) {
      throw new CudaDriverException(
          fault.call(),
          fault.code(),
          fault.codeName(),
          "an earlier operation, which lost the device",
          fault);
    }
  }

  /**
   * Keeps an error that a driver call returned if it is the first sticky one, and returns it. The
   * first sticky error also lists the work that was submitted and not known to be done.
   */
  public CudaDriverException keep(CudaDriverException error) {
    if (!error.isSticky() || first.get() != null) {
      return error;
    }
    CudaDriverException fatal = error.withOutstanding(outstanding.get());
    first.compareAndSet(null, fatal);
    return fatal;
  }

  /** Declares the device lost because order could not be kept, whatever the kind of error. */
  public void declareLost(Throwable error, String purpose) {
    CudaDriverException known =
        error instanceof CudaDriverException driverError
            ? driverError
            : unknown("a wait for another stream", purpose, error);
    // On a copy: the caller may still say what the error itself was for.
    first.compareAndSet(null, known.withOutstanding(outstanding.get()).during(purpose));
  }

  /** The first fatal error, or null while the device is usable. */
  public @Nullable CudaDriverException error() {
    return first.get();
  }
}
