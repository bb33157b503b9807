package dev.streamfence.ptx;

/** Ends an access analysis that would take more work than it may; never leaves the analysis. */
final class TooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What is too large most often. */
  static final String KERNEL = "the kernel is too large to analyse";

  private final String fact;

  TooLargeException(String fact) {
    super(fact, null, false, false);
    this.fact = fact;
  }

  /** What is too large. */
  String fact() {
    return fact;
  }
}
