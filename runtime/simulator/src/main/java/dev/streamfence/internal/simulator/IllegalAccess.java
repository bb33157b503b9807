package dev.streamfence.internal.simulator;

/** An operation touched a byte outside every allocation that it may touch. */
final class IllegalAccess extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String fact;
  private final long address;

  IllegalAccess(String fact, long address) {
    super(fact);
    this.fact = fact;
    this.address = address;
  }

  /** The first byte of the access. */
  long address() {
    return address;
  }

  String fact() {
    return fact;
  }
}
