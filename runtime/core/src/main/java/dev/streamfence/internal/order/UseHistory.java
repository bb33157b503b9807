package dev.streamfence.internal.order;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The uses of some memory that its next use may have to wait for: the last write, per stream the
 * last read since, and other code that has the memory. After {@link #absorb} several last writes
 * count together. Bounded by the number of streams, and free of driver objects. Guarded by the lock
 * of the {@link HazardState} that has it.
 */
final class UseHistory {
  private static final ForeignConsumer[] NO_CONSUMERS = {};

  /** The last write; several only after {@link #absorb}. */
  private final LatestTickets writes;

  /** The last read of each stream since then. */
  private final LatestTickets reads;

  /** Other code that has the memory, or had it since the last write. */
  private ForeignConsumer[] consumers = NO_CONSUMERS;

  /** The stream of the latest use; null if there was none. */
  private @Nullable Timeline latest;

  /** Whether a use was added since it was created. */
  private boolean isUsed;

  /** Creates a history without uses. */
  UseHistory() {
    this.writes = new LatestTickets();
    this.reads = new LatestTickets();
  }

  /** Creates a history that begins with a write, which does not count as a use. */
  UseHistory(Timeline writer, long ticket) {
    this();
    writes.add(writer, ticket);
    latest = writer;
  }

  /** Creates a history that goes on from another one. */
  UseHistory(UseHistory other) {
    this.writes = new LatestTickets(other.writes);
    this.reads = new LatestTickets(other.reads);
    this.consumers = other.consumers;
    this.latest = other.latest;
  }

  @Nullable Timeline latest() {
    return latest;
  }

  /**
   * The latest ticket of all uses, if they are on one stream and submitted, and no other code has
   * the memory; -1 otherwise.
   */
  long latestOn(Timeline timeline) {
    long write = writes.onlyOn(timeline);
    long read = reads.onlyOn(timeline);
    if (consumers.length > 0 || write < 0 || read < 0) {
      return -1;
    }
    long ticket = Math.max(write, read);
    return ticket <= timeline.submitted() ? ticket : -1;
  }

  /** Whether all that has used the memory is one stream, so that its next use waits for nothing. */
  boolean isAlone(Timeline timeline) {
    return consumers.length == 0 && writes.isAlone(timeline) && reads.isAlone(timeline);
  }

  /**
   * Leaves closing a state to a stream with a use that is not submitted, see {@link
   * Timeline#addClosing}.
   *
   * @return false if all uses are submitted
   */
  boolean letUserClose(HazardState closing) {
    return writes.letUserClose(closing) || reads.letUserClose(closing);
  }

  /** How many uses the next writer depends on: the last writes, and one read per stream. */
  int size() {
    return writes.size() + reads.size();
  }

  /** How many pieces of other code have the memory, or had it and may have to be waited for. */
  int consumers() {
    return consumers.length;
  }

  /**
   * Adds the submitted or registered work that an access by the host has to wait for.
   *
   * @param writing whether the host writes, so that it waits for reads as well
   */
  void addPending(boolean writing, List<PendingUse> uses) {
    writes.addPending(uses);
    if (writing) {
      reads.addPending(uses);
    }
    for (ForeignConsumer consumer : consumers) {
      if (consumer.hasEnded() && consumer.conflictsWith(writing)) {
        uses.add(new PendingUse(consumer.timeline(), consumer.endTicket()));
      }
    }
  }

  /** Makes room for one more reader, so that {@link #add} cannot fail. */
  void makeRoom() {
    reads.makeRoom();
  }

  /** Makes room for so many readers. */
  void makeRoomFor(int count) {
    reads.makeRoomFor(count);
  }

  /** Adds the writes that every use has to wait for. */
  void collectWrites(Waits waits) {
    writes.collect(waits);
  }

  /** Adds the reads that a writer has to wait for. */
  void collectReads(Waits waits) {
    reads.collect(waits);
  }

  /**
   * Adds what a use has to wait for because other code has the memory, or had it.
   *
   * @param everything receives the streams on which other code uses the memory at this moment
   */
  void collectConsumers(boolean writing, Waits waits, List<Timeline> everything) {
    for (ForeignConsumer consumer : consumers) {
      if (!consumer.conflictsWith(writing)) {
        continue;
      }
      if (consumer.hasEnded()) {
        waits.add(consumer.timeline(), consumer.endTicket());
      } else if (!everything.contains(consumer.timeline())) {
        everything.add(consumer.timeline());
      }
    }
  }

  /**
   * Tells an observer everything that a use comes after, whether or not a stream has to wait for
   * it.
   */
  void observe(boolean writing, ObservedWork work) {
    writes.observe(true, work);
    if (writing) {
      reads.observe(false, work);
    }
    for (ForeignConsumer consumer : consumers) {
      if (consumer.conflictsWith(writing)) {
        work.after(
            consumer.timeline(), consumer.hasEnded() ? consumer.endTicket() : 0, consumer.writes());
      }
    }
  }

  /** Adds a use; {@link #makeRoom} precedes a read. */
  void add(Timeline timeline, long ticket, boolean writing) {
    isUsed = true;
    if (latest != timeline) {
      // A comparison is cheaper than storing a reference.
      latest = timeline;
    }
    if (!writing) {
      reads.add(timeline, ticket);
      return;
    }
    if (consumers.length > 0) {
      // The writer waits for those that have ended.
      consumers =
          Arrays.stream(consumers)
              .filter(consumer -> !consumer.hasEnded())
              .toArray(ForeignConsumer[]::new);
    }
    // Registration is atomic over preflights, so the reads that are dropped here are exactly
    // those collected.
    reads.clear();
    writes.replaceBy(timeline, ticket);
  }

  /** Notes that other code has the memory from now on, and forgets those who are done with it. */
  void addConsumer(ForeignConsumer consumer) {
    consumers =
        Stream.concat(Arrays.stream(consumers).filter(this::isToRemember), Stream.of(consumer))
            .toArray(ForeignConsumer[]::new);
  }

  /** Whether a use may have to wait for a consumer. */
  private boolean isToRemember(ForeignConsumer known) {
    return !known.needsNoWait() && Arrays.stream(consumers).noneMatch(known::isCoveredBy);
  }

  /** Takes {@link #addConsumer} back. */
  void removeConsumer(ForeignConsumer consumer) {
    consumers =
        Arrays.stream(consumers).filter(known -> known != consumer).toArray(ForeignConsumer[]::new);
  }

  /** Forgets all uses, because those of the parts are taken over instead. */
  void clear() {
    writes.clear();
    reads.clear();
    consumers = NO_CONSUMERS;
  }

  /** Adds the uses of a part. */
  void absorb(UseHistory part) {
    writes.addAll(part.writes);
    reads.addAll(part.reads);
    consumers =
        Stream.concat(Arrays.stream(consumers), Arrays.stream(part.consumers))
            .distinct()
            .toArray(ForeignConsumer[]::new);
    if (part.isUsed) {
      isUsed = true;
      latest = part.latest;
    }
  }
}
