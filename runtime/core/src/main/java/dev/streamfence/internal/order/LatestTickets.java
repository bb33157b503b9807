package dev.streamfence.internal.order;

import static java.util.Objects.requireNonNull;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The latest ticket on each of some streams. One stream, the usual case, needs no array. Guarded
 * like the {@link UseHistory} that has it.
 */
final class LatestTickets {
  private static final Timeline[] NO_STREAMS = {};
  private static final long[] NO_TICKETS = {};

  /** Null if there are none. */
  private @Nullable Timeline first;

  private long firstTicket;
  private Timeline[] others = NO_STREAMS;
  private long[] otherTickets = NO_TICKETS;
  private int otherCount;

  /** Creates a list without tickets. */
  LatestTickets() {}

  /** Creates a copy. */
  LatestTickets(LatestTickets original) {
    this.first = original.first;
    this.firstTicket = original.firstTicket;
    if (original.otherCount > 0) {
      this.others = original.others.clone();
      this.otherTickets = original.otherTickets.clone();
      this.otherCount = original.otherCount;
    }
  }

  /** The number of streams. */
  int size() {
    return first == null ? 0 : 1 + otherCount;
  }

  private Timeline stream(int index) {
    return index == 0 ? requireNonNull(first) : others[index - 1];
  }

  private long ticket(int index) {
    return index == 0 ? firstTicket : otherTickets[index - 1];
  }

  /** Makes room for one more stream, so that {@link #add} cannot fail. */
  void makeRoom() {
    if (first != null && otherCount == others.length) {
      makeRoomFor(otherCount + 3);
    }
  }

  /** Makes room for so many streams. */
  void makeRoomFor(int count) {
    if (count > 1 + others.length) {
      // Both copies first: if the Java heap is full, nothing has changed.
      Timeline[] more = Arrays.copyOf(others, count - 1);
      otherTickets = Arrays.copyOf(otherTickets, count - 1);
      others = more;
    }
  }

  /** Adds a ticket; {@link #makeRoom} precedes it. */
  void add(Timeline stream, long ticket) {
    if (first == null) {
      first = stream;
      firstTicket = ticket;
      return;
    }
    if (first == stream) {
      firstTicket = Math.max(firstTicket, ticket);
      return;
    }
    for (int i = 0; i < otherCount; i++) {
      if (others[i] == stream) {
        otherTickets[i] = Math.max(otherTickets[i], ticket);
        return;
      }
    }
    others[otherCount] = stream;
    otherTickets[otherCount++] = ticket;
  }

  /** Adds all tickets of another list. */
  void addAll(LatestTickets more) {
    for (int i = 0; i < more.size(); i++) {
      makeRoom();
      add(more.stream(i), more.ticket(i));
    }
  }

  /** Forgets all tickets. */
  void clear() {
    if (first == null) {
      return;
    }
    first = null;
    if (otherCount > 0) {
      Arrays.fill(others, 0, otherCount, null);
      otherCount = 0;
    }
  }

  /** Forgets all tickets but this one. */
  void replaceBy(Timeline stream, long ticket) {
    if (first != stream || otherCount > 0) {
      clear();
      first = stream;
    }
    firstTicket = ticket;
  }

  /** Whether there is no ticket on another stream. */
  boolean isAlone(Timeline stream) {
    return first == null || (first == stream && otherCount == 0);
  }

  /** The ticket on a stream, 0 if there is none; -1 if there are some on other streams. */
  long onlyOn(Timeline stream) {
    if (!isAlone(stream)) {
      return -1;
    }
    return first == null ? 0 : firstTicket;
  }

  /** Makes a submission wait for all of them. */
  void collect(Waits waits) {
    if (first != null) {
      waits.add(first, firstTicket);
      for (int i = 0; i < otherCount; i++) {
        waits.add(others[i], otherTickets[i]);
      }
    }
  }

  /** Adds all of them to what an access by the host has to wait for. */
  void addPending(List<PendingUse> uses) {
    for (int i = 0; i < size(); i++) {
      uses.add(new PendingUse(stream(i), ticket(i)));
    }
  }

  /** Tells an observer that its work comes after all of them. */
  void observe(boolean areWrites, ObservedWork work) {
    for (int i = 0; i < size(); i++) {
      work.after(stream(i), ticket(i), areWrites);
    }
  }

  /** Lets a stream whose ticket is not submitted yet finish a close; false if all are submitted. */
  boolean letUserClose(HazardState closing) {
    for (int i = 0; i < size(); i++) {
      if (stream(i).addClosing(closing, ticket(i))) {
        return true;
      }
    }
    return false;
  }
}
