package dev.streamfence.internal.ptx.analysis.lattice;

/** Ends an access analysis that exceeds its budget; never leaves the analysis. */
public final class TooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The most frequent reason. */
  public static final String KERNEL = "the kernel is too large to analyse";

  private final String fact;

  public TooLargeException(String fact) {
    super(fact, null, false, false);
    this.fact = fact;
  }

  /** Returns the reason. */
  public String fact() {
    return fact;
  }
}
