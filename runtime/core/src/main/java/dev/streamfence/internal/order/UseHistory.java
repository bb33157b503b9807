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
  /** The last write; null if there was none. */
  private @Nullable Timeline writer;

  private long writeTicket;

  /** Further last writes, which only {@link #absorb} brings. */
  private Timeline[] otherWriters = {};

  private long[] otherWriteTickets = {};
  private int otherWriterCount;
  private Timeline[] readers = {};
  private long[] readTickets = {};
  private int readerCount;

  /** Other code that has the memory, or had it since the last write. */
  private ForeignConsumer[] consumers = {};

  /** The stream of the latest use; null if there was none. */
  private @Nullable Timeline latest;

  /** Whether a use was added since it was created. */
  private boolean isUsed;

  /** Creates a history without uses. */
  UseHistory() {}

  /** Creates a history that begins with a write, which does not count as a use. */
  UseHistory(Timeline writer, long ticket) {
    this.writer = writer;
    this.writeTicket = ticket;
    this.latest = writer;
  }

  /** Creates a history that goes on from another one. */
  UseHistory(UseHistory other) {
    this.writer = other.writer;
    this.writeTicket = other.writeTicket;
    this.otherWriters = other.otherWriters.clone();
    this.otherWriteTickets = other.otherWriteTickets.clone();
    this.otherWriterCount = other.otherWriterCount;
    this.readers = other.readers.clone();
    this.readTickets = other.readTickets.clone();
    this.readerCount = other.readerCount;
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
    if (otherWriterCount > 0 || consumers.length > 0 || (writer != null && writer != timeline)) {
      return -1;
    }
    long ticket = writer == null ? 0 : writeTicket;
    for (int i = 0; i < readerCount; i++) {
      if (readers[i] != timeline) {
        return -1;
      }
      ticket = Math.max(ticket, readTickets[i]);
    }
    return ticket <= timeline.submitted() ? ticket : -1;
  }

  /**
   * Leaves closing a state to a stream with a use that is not submitted, see {@link
   * Timeline#addClosing}.
   *
   * @return false if all uses are submitted
   */
  boolean letUserClose(HazardState closing) {
    if (writer != null && writer.addClosing(closing, writeTicket)) {
      return true;
    }
    for (int i = 0; i < otherWriterCount; i++) {
      if (otherWriters[i].addClosing(closing, otherWriteTickets[i])) {
        return true;
      }
    }
    for (int i = 0; i < readerCount; i++) {
      if (readers[i].addClosing(closing, readTickets[i])) {
        return true;
      }
    }
    return false;
  }

  /** How many uses the next writer depends on: the last writes, and one read per stream. */
  int size() {
    return (writer == null ? 0 : 1) + otherWriterCount + readerCount;
  }

  /** How many pieces of other code have the memory, or had it and may have to be waited for. */
  int consumers() {
    return consumers.length;
  }

  /**
   * Adds the submitted or registered work that an access by the host has to wait for.
   *
   * @param writes whether the host writes, so that it waits for reads as well
   */
  void addPending(boolean writes, List<PendingUse> uses) {
    if (writer != null) {
      uses.add(new PendingUse(writer, writeTicket));
    }
    for (int i = 0; i < otherWriterCount; i++) {
      uses.add(new PendingUse(otherWriters[i], otherWriteTickets[i]));
    }
    for (int i = 0; writes && i < readerCount; i++) {
      uses.add(new PendingUse(readers[i], readTickets[i]));
    }
    for (ForeignConsumer consumer : consumers) {
      if (consumer.hasEnded() && consumer.conflictsWith(writes)) {
        uses.add(new PendingUse(consumer.timeline(), consumer.endTicket()));
      }
    }
  }

  /** Makes room for one more reader, so that {@link #add} cannot fail. */
  void makeRoom() {
    if (readerCount == readers.length) {
      makeRoomFor(readerCount + 2);
    }
  }

  /** Makes room for so many readers. */
  void makeRoomFor(int count) {
    if (count > readers.length) {
      // Both copies first: if the Java heap is full, nothing has changed.
      Timeline[] more = Arrays.copyOf(readers, count);
      readTickets = Arrays.copyOf(readTickets, count);
      readers = more;
    }
  }

  /** Adds the writes that every use has to wait for. */
  void collectWrites(Waits waits) {
    if (writer != null) {
      waits.add(writer, writeTicket);
    }
    for (int i = 0; i < otherWriterCount; i++) {
      waits.add(otherWriters[i], otherWriteTickets[i]);
    }
  }

  /** Adds the reads that a writer has to wait for. */
  void collectReads(Waits waits) {
    for (int i = 0; i < readerCount; i++) {
      waits.add(readers[i], readTickets[i]);
    }
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
    if (writer != null) {
      work.after(writer, writeTicket, true);
    }
    for (int i = 0; i < otherWriterCount; i++) {
      work.after(otherWriters[i], otherWriteTickets[i], true);
    }
    for (int i = 0; writing && i < readerCount; i++) {
      work.after(readers[i], readTickets[i], false);
    }
    for (ForeignConsumer consumer : consumers) {
      if (consumer.conflictsWith(writing)) {
        work.after(
            consumer.timeline(), consumer.hasEnded() ? consumer.endTicket() : 0, consumer.writes());
      }
    }
  }

  /** Adds a use; {@link #makeRoom} precedes a read. */
  void add(Timeline timeline, long ticket, boolean writes) {
    isUsed = true;
    latest = timeline;
    if (!writes) {
      addRead(timeline, ticket);
      return;
    }
    // Registration is atomic over preflights, so the reads that are dropped here are exactly
    // those collected.
    Arrays.fill(readers, 0, readerCount, null);
    readerCount = 0;
    if (otherWriterCount > 0) {
      Arrays.fill(otherWriters, null);
      otherWriterCount = 0;
    }
    if (consumers.length > 0) {
      // The writer waits for those that have ended.
      consumers =
          Arrays.stream(consumers)
              .filter(consumer -> !consumer.hasEnded())
              .toArray(ForeignConsumer[]::new);
    }
    writer = timeline;
    writeTicket = ticket;
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
    writer = null;
    otherWriterCount = 0;
    readerCount = 0;
    consumers = new ForeignConsumer[0];
  }

  /** Adds the uses of a part. */
  void absorb(UseHistory part) {
    if (part.writer != null) {
      addWrite(part.writer, part.writeTicket);
    }
    for (int i = 0; i < part.otherWriterCount; i++) {
      addWrite(part.otherWriters[i], part.otherWriteTickets[i]);
    }
    for (int i = 0; i < part.readerCount; i++) {
      makeRoom();
      addRead(part.readers[i], part.readTickets[i]);
    }
    consumers =
        Stream.concat(Arrays.stream(consumers), Arrays.stream(part.consumers))
            .distinct()
            .toArray(ForeignConsumer[]::new);
    if (part.isUsed) {
      isUsed = true;
      latest = part.latest;
    }
  }

  private void addWrite(Timeline timeline, long ticket) {
    if (writer == null || writer == timeline) {
      writeTicket = writer == null ? ticket : Math.max(writeTicket, ticket);
      writer = timeline;
      return;
    }
    for (int i = 0; i < otherWriterCount; i++) {
      if (otherWriters[i] == timeline) {
        otherWriteTickets[i] = Math.max(otherWriteTickets[i], ticket);
        return;
      }
    }
    if (otherWriterCount == otherWriters.length) {
      Timeline[] more = Arrays.copyOf(otherWriters, otherWriterCount + 2);
      otherWriteTickets = Arrays.copyOf(otherWriteTickets, otherWriterCount + 2);
      otherWriters = more;
    }
    otherWriters[otherWriterCount] = timeline;
    otherWriteTickets[otherWriterCount++] = ticket;
  }

  private void addRead(Timeline timeline, long ticket) {
    for (int i = 0; i < readerCount; i++) {
      if (readers[i] == timeline) {
        readTickets[i] = Math.max(readTickets[i], ticket);
        return;
      }
    }
    readers[readerCount] = timeline;
    readTickets[readerCount++] = ticket;
  }
}
