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

  /** Bytes at an address, as the subject of a sentence with this verb, in the plural. */
  static String subject(long count, long address, String plural) {
    String singular = plural.equals("are") ? "is" : plural + "s";
    return bytes(count)
        + " at 0x"
        + Long.toHexString(address)
        + " "
        + (count == 1 ? singular : plural);
  }

  /** A number of bytes in words. */
  static String bytes(long count) {
    return count + (count == 1 ? " byte" : " bytes");
  }

  /** The first byte of the access. */
  long address() {
    return address;
  }

  String fact() {
    return fact;
  }
}
