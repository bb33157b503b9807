package dev.streamfence.simulation;

/** An operation touched a byte that is in no allocation. */
final class IllegalAccess extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String fact;

  IllegalAccess(String fact) {
    super(fact);
    this.fact = fact;
  }

  String fact() {
    return fact;
  }
}
