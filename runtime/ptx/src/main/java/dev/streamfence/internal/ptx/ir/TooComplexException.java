package dev.streamfence.internal.ptx.bounds;

/** A kernel's control flow or its formulas exceed what the analysis of bounds follows. */
final class TooComplexException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TooComplexException(String fact) {
    super(fact, null, false, false);
  }
}
