package dev.streamfence.internal.driver;

import dev.streamfence.simulation.DriverCall;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * The calls made to one device: how often each was made, and the first sticky error that one of
 * them returned. A driver announces each call here before it makes it, and keeps each error here
 * before it throws it. Thread-safe; an announcement reads one volatile field and increments one
 * counter, takes no lock and allocates nothing.
 */
public final class DriverCalls {
  // By the ordinal of the call.
  private final LongAdder[] counts = counters();
  private final LongAdder[] failures = counters();
  private final StickyError sticky = new StickyError();

  private static LongAdder[] counters() {
    return Stream.generate(LongAdder::new)
        .limit(DriverCall.values().length)
        .toArray(LongAdder[]::new);
  }

  /**
   * Counts a call that is about to be made.
   *
   * @throws dev.streamfence.CudaDriverException with the sticky error, if there was one and the
   *     call is not made on a lost device
   */
  public void begin(DriverCall call) {
    if (!call.isMadeOnLostDevice()) {
      sticky.check();
    }
    counts[call.ordinal()].increment();
  }

  /** Counts a call that was begun and has failed. */
  public void failed(DriverCall call) {
    failures[call.ordinal()].increment();
  }

  /** How often one call has succeeded. */
  public long succeeded(DriverCall call) {
    return of(call) - failures[call.ordinal()].sum();
  }

  /** The first sticky error, if there was one. */
  public StickyError sticky() {
    return sticky;
  }

  /** How often one call was made, failed ones included. */
  public long of(DriverCall call) {
    return counts[call.ordinal()].sum();
  }

  /** How many calls of any kind were made. */
  public long total() {
    return Arrays.stream(counts).mapToLong(LongAdder::sum).sum();
  }
}
