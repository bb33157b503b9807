package dev.streamfence.internal.driver;

import static java.util.Objects.requireNonNull;

import dev.streamfence.simulation.DriverCall;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * The calls made to one device: how often each was made, and the first sticky error that one of
 * them returned. A driver announces each call here before it makes it, and keeps each error here
 * before it throws it. Thread-safe; an announcement reads one volatile field and increments one
 * counter, takes no lock and allocates nothing.
 */
public final class DriverCalls {
  private final Map<DriverCall, LongAdder> counts = new EnumMap<>(DriverCall.class);
  private final Map<DriverCall, LongAdder> failures = new EnumMap<>(DriverCall.class);
  private final StickyError sticky = new StickyError();

  /** Calls of which none was made. */
  public DriverCalls() {
    for (DriverCall call : DriverCall.values()) {
      counts.put(call, new LongAdder());
      failures.put(call, new LongAdder());
    }
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
    counter(call).increment();
  }

  /** Counts a call that was begun and has failed. */
  public void failed(DriverCall call) {
    requireNonNull(failures.get(call)).increment();
  }

  /** How often one call has succeeded. */
  public long succeeded(DriverCall call) {
    return of(call) - requireNonNull(failures.get(call)).sum();
  }

  /** The first sticky error, if there was one. */
  public StickyError sticky() {
    return sticky;
  }

  /** How often one call was made, failed ones included. */
  public long of(DriverCall call) {
    return counter(call).sum();
  }

  /** How many calls of any kind were made. */
  public long total() {
    return counts.values().stream().mapToLong(LongAdder::sum).sum();
  }

  private LongAdder counter(DriverCall call) {
    return requireNonNull(counts.get(call));
  }
}
