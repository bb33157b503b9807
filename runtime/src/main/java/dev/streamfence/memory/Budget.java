package dev.streamfence.memory;

/**
 * What a limit amounts to at one moment. Immutable; its figures belong together.
 *
 * @param limit bytes that may be reserved and promised at the same time
 * @param live bytes of open blocks
 * @param pending bytes freed and not yet returned, and of requests that are being carried out
 * @param promised bytes set aside by reservations and not yet drawn
 * @param peak highest {@code live} since the beginning or the last reset
 */
public record Budget(long limit, long live, long pending, long promised, long peak) {
  /** Bytes in use: live and pending. */
  public long reserved() {
    return live + pending;
  }

  /** Bytes that a request may still have; never negative. */
  public long remaining() {
    return Math.max(0, limit - live - pending - promised);
  }
}
