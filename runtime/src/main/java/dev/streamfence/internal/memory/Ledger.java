package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The outstanding bytes of one resource: live in open allocations, pending in allocations whose
 * free is queued, released if the call that freed them could not return them. Thread-safe; a byte
 * moves from live to pending, and out of the ledger, in one step.
 *
 * <p>Frees are kept by stream and ticket, oldest first, so that each is returned as soon as the
 * device is done with it. When a stream has more than {@link #MAX_APART} entries, neighbours are
 * merged that together have at most a sixteenth of its pending bytes. At most half of the entries
 * remain, so a free takes amortised constant time.
 */
final class Ledger {
  /** Frees of one stream that are told apart: twice as many as a stream has events. */
  static final int MAX_APART = 64;

  /**
   * After a merge, two neighbours together have more than a sixteenth of the bytes, so at most half
   * of the entries remain.
   */
  private static final int PARTS_AFTER_MERGE = MAX_APART / 4;

  /** Bytes freed on one stream up to a ticket, and not returned yet. */
  record Pending(Timeline timeline, long ticket, long bytes, long sequence) {
    /** This entry and an earlier free that was recorded later. */
    Pending behind(Pending earlier) {
      return new Pending(timeline, ticket, bytes + earlier.bytes, sequence);
    }

    /** This entry and the free after it. */
    Pending and(Pending next) {
      return new Pending(timeline, next.ticket, bytes + next.bytes, sequence);
    }
  }

  /** The frees of one stream, oldest first. */
  private static final class OfStream {
    private final Deque<Pending> pending = new ArrayDeque<>();
    private long bytes;
    private long bytesWithoutEvent;

    void add(Pending free) {
      bytes += free.bytes;
      Pending last = pending.peekLast();
      if (last != null && last.ticket >= free.ticket) {
        // Two threads that free on one stream may get here in reverse order.
        pending.removeLast();
        pending.addLast(last.behind(free));
      } else {
        pending.addLast(free);
      }
      if (pending.size() > MAX_APART) {
        merge();
      }
    }

    /** Removes the entries that are known to be done, and returns their bytes. */
    long reap() {
      long reaped = 0;
      for (Pending first = pending.peekFirst();
          first != null && first.timeline.completed() >= first.ticket;
          first = pending.peekFirst()) {
        reaped += first.bytes;
        pending.removeFirst();
      }
      bytes -= reaped;
      return reaped;
    }

    private void merge() {
      long most = bytes / PARTS_AFTER_MERGE;
      List<Pending> merged = new ArrayList<>(MAX_APART);
      Pending last = pending.removeFirst();
      for (Pending next : pending) {
        if (last.bytes + next.bytes <= most) {
          last = last.and(next);
        } else {
          merged.add(last);
          last = next;
        }
      }
      merged.add(last);
      pending.clear();
      pending.addAll(merged);
    }
  }

  private final long bytesPerEvent;
  private final Map<Timeline, OfStream> streams = new HashMap<>();
  private long live;
  private long pendingBytes;
  private long released;
  private long frees;

  /**
   * Creates an empty ledger.
   *
   * @param bytesPerEvent how many bytes are freed on a stream from one event to the next
   */
  Ledger(long bytesPerEvent) {
    this.bytesPerEvent = bytesPerEvent;
  }

  synchronized void allocated(long bytes) {
    live = Math.addExact(live, bytes);
  }

  /**
   * Whether a free that was just queued needs its own event, so that a wait for it does not include
   * later work.
   */
  synchronized boolean needsEvent(long bytes, Timeline timeline) {
    OfStream stream = stream(timeline);
    stream.bytesWithoutEvent += bytes;
    if (stream.bytesWithoutEvent < bytesPerEvent) {
      return false;
    }
    stream.bytesWithoutEvent = 0;
    return true;
  }

  /** Moves bytes to pending; their free is queued and its ticket submitted. */
  synchronized void freed(long bytes, Timeline timeline, long ticket) {
    stream(timeline).add(new Pending(timeline, ticket, bytes, ++frees));
    live -= bytes;
    pendingBytes += bytes;
  }

  /** Removes live bytes, which the caller returns. */
  synchronized long gone(long bytes) {
    live -= bytes;
    return bytes;
  }

  /** Keeps bytes for the next reap, since the call that freed them could not return them. */
  synchronized void keepForReap(long bytes) {
    released += bytes;
  }

  synchronized long outstanding() {
    return live + pendingBytes + released;
  }

  /** The streams with pending frees, in no particular order. */
  synchronized List<Timeline> timelines() {
    List<Timeline> timelines = new ArrayList<>();
    streams.forEach(
        (timeline, stream) -> {
          if (!stream.pending.isEmpty()) {
            timelines.add(timeline);
          }
        });
    return timelines;
  }

  /** The number of frees of a stream that are told apart. */
  synchronized int apart(Timeline timeline) {
    return stream(timeline).pending.size();
  }

  /** The oldest free of a stream that is not returned yet; null if there is none. */
  synchronized @Nullable Pending oldest(Timeline timeline) {
    return stream(timeline).pending.peekFirst();
  }

  /** The oldest free that is not returned yet; null if there is none. */
  synchronized @Nullable Pending oldest() {
    Pending oldest = null;
    for (OfStream stream : streams.values()) {
      Pending first = stream.pending.peekFirst();
      if (first != null && (oldest == null || first.sequence() < oldest.sequence())) {
        oldest = first;
      }
    }
    return oldest;
  }

  /** Removes everything that is known to be done, without asking the driver; returns its bytes. */
  synchronized long reapKnown() {
    long reaped = released;
    released = 0;
    for (OfStream stream : streams.values()) {
      long ofStream = stream.reap();
      pendingBytes -= ofStream;
      reaped += ofStream;
    }
    return reaped;
  }

  /** Removes everything of one stream that is known to be done, without asking the driver. */
  synchronized long reapKnown(Timeline timeline) {
    long reaped = stream(timeline).reap();
    pendingBytes -= reaped;
    return reaped;
  }

  /** Removes everything that is freed, for a device that is lost with its memory. */
  synchronized long reapAll() {
    long reaped = released + pendingBytes;
    released = 0;
    pendingBytes = 0;
    streams.clear();
    return reaped;
  }

  private OfStream stream(Timeline timeline) {
    return streams.computeIfAbsent(timeline, unknown -> new OfStream());
  }
}
