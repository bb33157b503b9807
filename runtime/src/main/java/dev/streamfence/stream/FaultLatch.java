package dev.streamfence.stream;

import dev.streamfence.CudaDriverException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The first error that ended a device's context. Once it holds one, the device is lost: every later
 * submission fails fast with it. Thread-safe; looking costs one volatile read.
 */
public final class FaultLatch {
  /** {@code CUDA_ERROR_UNKNOWN}. */
  private static final int UNKNOWN = 999;

  private final AtomicReference<@Nullable CudaDriverException> first = new AtomicReference<>();
  private volatile Supplier<List<String>> outstanding = List::of;

  /** Says who knows what is not done yet, to be asked when the device is lost. */
  void askForOutstanding(Supplier<List<String>> source) {
    outstanding = source;
  }

  /**
   * The error of something that no driver call has answered, which loses the device all the same.
   *
   * @param act what went wrong, in the place of a driver's function
   */
  public static CudaDriverException unknown(String act, String purpose, @Nullable Throwable cause) {
    return new CudaDriverException(act, UNKNOWN, "CUDA_ERROR_UNKNOWN", purpose, cause);
  }

  /**
   * Refuses when the device is lost.
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
          "an earlier operation, since when the device is lost",
          fault);
    }
  }

  /**
   * Notes an error if it is one that ends the context, and returns it, said to have happened during
   * {@code purpose}. The first one that ends the context also says what had been submitted and was
   * not known to be done.
   */
  public CudaDriverException note(CudaDriverException error, String purpose) {
    CudaDriverException attributed = error.during(purpose);
    if (!error.isSticky() || first.get() != null) {
      return attributed;
    }
    CudaDriverException fatal = attributed.withOutstanding(outstanding.get());
    first.compareAndSet(null, fatal);
    return fatal;
  }

  /** Declares the device lost because order could not be kept, whatever kind of error it was. */
  public void poison(Throwable error, String purpose) {
    CudaDriverException fatal =
        error instanceof CudaDriverException known
            ? known.during(purpose)
            : unknown("a wait for another stream", purpose, error);
    first.compareAndSet(null, fatal.withOutstanding(outstanding.get()));
  }

  /** The first fatal error, or null while the device is usable. */
  public @Nullable CudaDriverException fault() {
    return first.get();
  }
}
