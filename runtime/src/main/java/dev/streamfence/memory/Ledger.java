package dev.streamfence.memory;

import dev.streamfence.stream.Timeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of one resource that count as outstanding: live in open blocks, pending in blocks whose
 * free is queued, released in blocks that were freed by a call that could not return their bytes.
 * Thread-safe; a byte moves from one to the other in one step, so that the sum never misses it.
 *
 * <p>Frees are kept apart by stream and ticket, oldest first, so that each is returned as soon as
 * the device is done with it. When a stream has more than {@link #MAX_APART} entries, neighbours
 * are merged that are at most a sixteenth of its pending bytes together. That leaves half as many
 * entries, so that it takes amortised constant time for each free.
 */
final class Ledger {
  /** Frees of one stream that are told apart: twice as many as a stream has events. */
  static final int MAX_APART = 64;

  /**
   * After a merge, two neighbours always have more than this part of the bytes together, so that at
   * most half of the entries are left.
   */
  private static final int PARTS_AFTER_MERGE = MAX_APART / 4;

  /** What was freed on one stream up to a ticket, and not returned yet. */
  record Pending(Timeline timeline, long ticket, long bytes, long sequence) {
    /** The same with what was freed before it, and came here later. */
    Pending behind(Pending earlier) {
      return new Pending(timeline, ticket, bytes + earlier.bytes, sequence);
    }

    /** The same with what was freed behind it. */
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
        // Two threads that free on one stream may come here in the other order.
        pending.removeLast();
        pending.addLast(last.behind(free));
      } else {
        pending.addLast(free);
      }
      if (pending.size() > MAX_APART) {
        merge();
      }
    }

    /** Takes off what is known to be done. */
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
   * Whether a free that is just queued should be covered by an event of its own, so that a later
   * wait for it does not wait for what is queued behind it.
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

  /** The streams on which something is pending, in no order. */
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

  /** How many frees of a stream are told apart at the moment. */
  synchronized int apart(Timeline timeline) {
    return stream(timeline).pending.size();
  }

  /** The oldest free of a stream that was not returned; null if there is none. */
  synchronized @Nullable Pending oldest(Timeline timeline) {
    return stream(timeline).pending.peekFirst();
  }

  /** The oldest free that was not returned; null if there is none. */
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

  /** Takes off everything that is known to be done, without asking the driver. */
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

  /** Takes off everything of one stream that is known to be done, without asking the driver. */
  synchronized long reapKnown(Timeline timeline) {
    long reaped = stream(timeline).reap();
    pendingBytes -= reaped;
    return reaped;
  }

  /** Takes off everything that is freed, for a device that is lost and its memory with it. */
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
