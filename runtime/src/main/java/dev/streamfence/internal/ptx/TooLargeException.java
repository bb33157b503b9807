package dev.streamfence.internal.ptx;

/** Ends an access analysis that exceeds its budget; never leaves the analysis. */
final class TooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The most frequent reason. */
  static final String KERNEL = "the kernel is too large to analyse";

  private final String fact;

  TooLargeException(String fact) {
    super(fact, null, false, false);
    this.fact = fact;
  }

  /** Returns the reason. */
  String fact() {
    return fact;
  }
}
