package dev.streamfence.simulation;

/** An operation touched a byte that is in no allocation. */
final class IllegalAccess extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String fact;
  private final long address;

  IllegalAccess(String fact, long address) {
    super(fact);
    this.fact = fact;
    this.address = address;
  }

  /** The first byte that the operation wanted. */
  long address() {
    return address;
  }

  String fact() {
    return fact;
  }
}
