package dev.streamfence.ptx;

/** Ends an access analysis that would take more work than it may; never leaves the analysis. */
final class TooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TooLargeException() {
    super("too large to analyse", null, false, false);
  }
}
