package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.order.Timeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The queued frees of one resource, until the device is done with them. Thread-safe; an entry
 * leaves in one step, and its bytes are then returned to the account.
 *
 * <p>Frees are kept by stream and ticket, oldest first, so that each is returned as soon as the
 * device is done with it. When a stream has more than {@link #MAX_APART} entries, neighbours are
 * merged that together have at most a sixteenth of its pending bytes. At most half of the entries
 * remain, so a free takes amortised constant time.
 */
final class PendingFrees {
  /** Frees of one stream that are told apart: twice as many as a stream has events. */
  static final int MAX_APART = 64;

  /**
   * After a merge, two neighbours together have more than a sixteenth of the bytes, so at most half
   * of the entries remain.
   */
  private static final int PARTS_AFTER_MERGE = MAX_APART / 4;

  /** Bytes freed on one stream up to a ticket, and not returned yet. */
  record PendingFree(Timeline timeline, long ticket, long bytes, long sequence) {
    /** This entry and an earlier free that was recorded later. */
    PendingFree behind(PendingFree earlier) {
      return new PendingFree(timeline, ticket, bytes + earlier.bytes, sequence);
    }

    /** This entry and the free after it. */
    PendingFree and(PendingFree next) {
      return new PendingFree(timeline, next.ticket, bytes + next.bytes, sequence);
    }
  }

  /** The frees of one stream, oldest first. */
  private static final class OfStream {
    private final Deque<PendingFree> pending = new ArrayDeque<>();
    private long bytes;
    private long bytesWithoutEvent;

    void add(PendingFree free) {
      bytes += free.bytes;
      PendingFree last = pending.peekLast();
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
      for (PendingFree first = pending.peekFirst();
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
      List<PendingFree> merged = new ArrayList<>(MAX_APART);
      PendingFree last = pending.removeFirst();
      for (PendingFree next : pending) {
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

  private final Account account;
  private final long bytesPerEvent;
  private final Map<Timeline, OfStream> streams = new HashMap<>();
  private long frees;

  /**
   * Creates an empty one.
   *
   * @param account receives the bytes of frees that are done
   * @param bytesPerEvent how many bytes are freed on a stream from one event to the next
   */
  PendingFrees(Account account, long bytesPerEvent) {
    this.account = account;
    this.bytesPerEvent = bytesPerEvent;
  }

  /**
   * Whether a free that is queued next needs its own event, so that a wait for it does not include
   * later work.
   */
  synchronized boolean needsEvent(long bytes, Timeline timeline) {
    return stream(timeline).bytesWithoutEvent + bytes >= bytesPerEvent;
  }

  /**
   * Adds a queued free, whose ticket is submitted.
   *
   * @param isCovered whether it was to have its own event
   */
  synchronized void add(long bytes, Timeline timeline, long ticket, boolean isCovered) {
    OfStream stream = stream(timeline);
    stream.add(new PendingFree(timeline, ticket, bytes, ++frees));
    stream.bytesWithoutEvent = isCovered ? 0 : stream.bytesWithoutEvent + bytes;
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
  synchronized @Nullable PendingFree oldest(Timeline timeline) {
    return stream(timeline).pending.peekFirst();
  }

  /** The oldest free that is not returned yet; null if there is none. */
  synchronized @Nullable PendingFree oldest() {
    PendingFree oldest = null;
    for (OfStream stream : streams.values()) {
      PendingFree first = stream.pending.peekFirst();
      if (first != null && (oldest == null || first.sequence() < oldest.sequence())) {
        oldest = first;
      }
    }
    return oldest;
  }

  /** Returns what is known to be done, without asking the driver. */
  synchronized long reapKnown() {
    long reaped = 0;
    for (OfStream stream : streams.values()) {
      reaped += stream.reap();
    }
    return returned(reaped);
  }

  /** The bytes that are known to be done and not returned. */
  synchronized long known() {
    long known = 0;
    for (OfStream stream : streams.values()) {
      for (PendingFree free : stream.pending) {
        known += free.timeline.completed() >= free.ticket ? free.bytes : 0;
      }
    }
    return known;
  }

  /** Returns what is known to be done of one stream, without asking the driver. */
  synchronized long reapKnown(Timeline timeline) {
    return returned(stream(timeline).reap());
  }

  /** Returns everything, for a device that is lost with its memory. */
  synchronized long reapAll() {
    long reaped = 0;
    for (OfStream stream : streams.values()) {
      reaped += stream.bytes;
    }
    streams.clear();
    return returned(reaped);
  }

  /**
   * Returns the bytes of done frees, and waits for the oldest until enough are returned or none is
   * left. Holds no lock while it asks the device or waits.
   *
   * @param returned bytes that the caller has returned, which count as well
   * @param isLost whether the device is lost, and its memory with it
   * @return how many bytes are returned in all
   * @throws CudaDriverException if the driver refuses, unless bytes are returned
   */
  long await(long returned, long wanted, BooleanSupplier isLost) {
    long reaped = returned;
    CudaDriverException failure = null;
    try {
      reaped += reapDone();
      while (reaped < wanted) {
        PendingFree oldest = oldest();
        if (oldest == null) {
          break;
        }
        oldest.timeline().awaitDone(oldest.ticket(), "waiting for freed memory");
        reaped += reapDone();
      }
    } catch (CudaDriverException e) {
      failure = e;
    }
    // An error must not hide returned bytes; the next reap meets it again.
    reaped += failure != null && isLost.getAsBoolean() ? reapAll() : reapKnown();
    if (failure != null && reaped == 0) {
      throw failure;
    }
    return reaped;
  }

  /**
   * Returns the freed bytes that the device is found to be done with: on each stream, asks about
   * the oldest free until one is not done.
   */
  private long reapDone() {
    CudaDriverException failure = null;
    long reaped = 0;
    for (Timeline timeline : timelines()) {
      try {
        for (PendingFree oldest = oldest(timeline);
            oldest != null && timeline.isDone(oldest.ticket());
            oldest = oldest(timeline)) {
          reaped += reapKnown(timeline);
        }
      } catch (CudaDriverException e) {
        failure = e;
      }
    }
    if (failure != null && reaped == 0) {
      throw failure;
    }
    return reaped;
  }

  private long returned(long bytes) {
    account.returned(bytes);
    return bytes;
  }

  private OfStream stream(Timeline timeline) {
    return streams.computeIfAbsent(timeline, unknown -> new OfStream());
  }
}
