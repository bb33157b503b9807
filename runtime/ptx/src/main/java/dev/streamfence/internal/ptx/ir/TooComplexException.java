package dev.streamfence.internal.ptx.ir;

/** A kernel's control flow or its formulas exceed what the analysis of bounds follows. */
public final class TooComplexException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public TooComplexException(String fact) {
    super(fact, null, false, false);
  }
}
