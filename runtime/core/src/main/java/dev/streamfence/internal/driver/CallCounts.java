package dev.streamfence.internal.driver;

import static java.util.Objects.requireNonNull;

import dev.streamfence.simulation.DriverCall;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** How often each driver call was made. Thread-safe; counting takes no lock. */
public final class CallCounts {
  private final Map<DriverCall, LongAdder> counts = new EnumMap<>(DriverCall.class);

  CallCounts() {
    for (DriverCall call : DriverCall.values()) {
      counts.put(call, new LongAdder());
    }
  }

  void add(DriverCall call) {
    counter(call).increment();
  }

  /** How often one call was made. */
  public long of(DriverCall call) {
    return counter(call).sum();
  }

  /** How many calls of any kind were made. */
  public long total() {
    long total = 0;
    for (LongAdder count : counts.values()) {
      total += count.sum();
    }
    return total;
  }

  private LongAdder counter(DriverCall call) {
    return requireNonNull(counts.get(call));
  }
}
