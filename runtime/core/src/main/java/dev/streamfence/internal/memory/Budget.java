package dev.streamfence.internal.memory;

/**
 * A consistent snapshot of a limit and the bytes counted against it. Immutable.
 *
 * @param limit bytes that may be reserved and promised at the same time
 * @param live bytes of open allocations
 * @param pending bytes freed and not yet returned, and bytes of requests in progress
 * @param promised bytes set aside by reservations and not yet drawn
 * @param peak most bytes of open allocations, and of freed ones that have not been returned, since
 *     the beginning or the last reset
 * @param kept bytes that the runtime itself keeps until it is closed
 */
public record Budget(long limit, long live, long pending, long promised, long peak, long kept) {
  /** Bytes in use: live and pending. */
  public long reserved() {
    return live + pending;
  }

  /** Bytes left for requests; never negative. */
  public long remaining() {
    return Math.max(0, limit - live - pending - promised - kept);
  }
}
