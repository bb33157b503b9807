package dev.streamfence.memory;

import dev.streamfence.stream.Timeline;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * Bytes of one resource: live in open blocks, pending in blocks whose free is queued. Thread-safe;
 * a byte moves from one to the other in one step, so that the sum never misses it. Bounded by the
 * number of streams.
 */
final class Ledger {
  private record Pending(long bytes, long ticket) {}

  private final Map<Timeline, Pending> pending = new HashMap<>();
  private long live;
  private long pendingBytes;

  synchronized void allocated(long bytes) {
    live = Math.addExact(live, bytes);
  }

  /** Moves bytes to pending; their free is queued already. */
  synchronized void freed(long bytes, Timeline timeline, long ticket) {
    live -= bytes;
    pendingBytes += bytes;
    pending.merge(
        timeline,
        new Pending(bytes, ticket),
        (old, added) -> new Pending(old.bytes + added.bytes, Math.max(old.ticket, added.ticket)));
  }

  /** Forgets bytes that went down with the device. */
  synchronized void lost(long bytes) {
    live -= bytes;
  }

  synchronized long outstanding() {
    return live + pendingBytes;
  }

  synchronized long reap() {
    long reaped = 0;
    for (Iterator<Map.Entry<Timeline, Pending>> i = pending.entrySet().iterator(); i.hasNext(); ) {
      Map.Entry<Timeline, Pending> entry = i.next();
      if (entry.getKey().completed() >= entry.getValue().ticket()) {
        reaped += entry.getValue().bytes();
        i.remove();
      }
    }
    pendingBytes -= reaped;
    return reaped;
  }
}
