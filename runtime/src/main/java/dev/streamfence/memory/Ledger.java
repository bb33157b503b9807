package dev.streamfence.memory;

import dev.streamfence.stream.Timeline;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Bytes of one resource that count as outstanding: live in open blocks, pending in blocks whose
 * free is queued, released in blocks that were freed when nobody was there to be told. Thread-safe;
 * a byte moves from one to the other in one step, so that the sum never misses it. Bounded by the
 * number of streams.
 */
final class Ledger {
  /** What was freed on one stream and not returned yet, up to a ticket of that stream. */
  record Pending(Timeline timeline, long bytes, long ticket) {
    Pending and(Pending other) {
      return new Pending(timeline, bytes + other.bytes, Math.max(ticket, other.ticket));
    }
  }

  private final Map<Timeline, Pending> pending = new HashMap<>();
  private long live;
  private long pendingBytes;
  private long released;

  synchronized void allocated(long bytes) {
    live = Math.addExact(live, bytes);
  }

  /** Moves bytes to pending; their free is queued and its ticket submitted. */
  synchronized void freed(long bytes, Timeline timeline, long ticket) {
    live -= bytes;
    pendingBytes += bytes;
    pending.merge(timeline, new Pending(timeline, bytes, ticket), Pending::and);
  }

  /** Takes bytes off that the caller returns. */
  synchronized long gone(long bytes) {
    live -= bytes;
    return bytes;
  }

  /** Keeps bytes for the next reap that could not be returned by the call that freed them. */
  synchronized void keepForReap(long bytes) {
    released += bytes;
  }

  synchronized long outstanding() {
    return live + pendingBytes + released;
  }

  /** What has to be asked after, in no order. */
  synchronized List<Pending> pending() {
    return new ArrayList<>(pending.values());
  }

  /** Takes off everything that is known to be done, without asking the driver. */
  synchronized long reap() {
    long reaped = released;
    released = 0;
    for (Iterator<Pending> i = pending.values().iterator(); i.hasNext(); ) {
      Pending entry = i.next();
      if (entry.timeline().completed() >= entry.ticket()) {
        reaped += entry.bytes();
        pendingBytes -= entry.bytes();
        i.remove();
      }
    }
    return reaped;
  }

  /** Takes off everything that is freed, for a device that is lost and its memory with it. */
  synchronized long reapAll() {
    long reaped = released + pendingBytes;
    released = 0;
    pendingBytes = 0;
    pending.clear();
    return reaped;
  }
}
