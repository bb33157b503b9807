package dev.streamfence.internal.driver;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.jfr.FlightEvents;
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

  // Guarded by this: the error thrown last, whether it reached no caller, and whether an earlier
  // one did.
  private @Nullable CudaDriverException latest;
  private boolean isLatestSwallowed;
  private boolean hasReachedCaller;

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
      throw again(fault);
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
    if (first.compareAndSet(null, fatal)) {
      FlightEvents.fault(fatal);
    }
    return fatal;
  }

  /**
   * Throws an error if it is the one that lost the device: what was to be done instead of the
   * failed call would only say so again.
   */
  public void rethrowIfLostBy(Throwable error) {
    if (error instanceof CudaDriverException refused && refused == first.get()) {
      throw refused;
    }
  }

  private synchronized CudaDriverException again(CudaDriverException fault) {
    hasReachedCaller |= !isLatestSwallowed;
    isLatestSwallowed = false;
    latest = fault.again();
    return latest;
  }

  /**
   * Notes that an error reaches no caller. Unless one did, the close of the runtime has to throw
   * it.
   */
  public synchronized void swallowed(Throwable error) {
    isLatestSwallowed |= error == (latest == null ? first.get() : latest);
  }

  /** Whether the device is lost and a caller has had the error, as far as is known. */
  public synchronized boolean isKnownToCallers() {
    return first.get() != null && (hasReachedCaller || !isLatestSwallowed);
  }

  /** Declares the device lost because order could not be kept, whatever the kind of error. */
  public void declareLost(Throwable error, String purpose) {
    CudaDriverException known =
        error instanceof CudaDriverException driverError
            ? driverError
            : unknown("a wait for another stream", purpose, error);
    // On a copy: the caller may still say what the error itself was for.
    CudaDriverException fatal = known.withOutstanding(outstanding.get()).during(purpose);
    if (first.compareAndSet(null, fatal)) {
      FlightEvents.fault(fatal);
    }
  }

  /** The first fatal error, or null while the device is usable. */
  public @Nullable CudaDriverException error() {
    return first.get();
  }
}
