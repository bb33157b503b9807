package dev.streamfence.it;

/** How much the GPU suite does: everything, or a part where a tool makes each launch slow. */
final class Load {
  private static final int FRACTION = Integer.getInteger("streamfence.suite.fraction", 1);

  private Load() {}

  /** The part of a load that a test carries. */
  static long of(long whole) {
    return Math.max(1, whole / FRACTION);
  }
}
