// Long because closing, splitting and joining work on the same few fields, under one lock.
package dev.streamfence.internal.order;

import static java.util.Objects.requireNonNull;

import dev.streamfence.DeviceException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UninitializedReadException;
import dev.streamfence.UseAfterFreeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The hazard state of an allocation, or of a part of one: the {@linkplain UseHistory uses} that its
 * next use may have to wait for, of host memory the {@linkplain HostGate accesses of the host}, and
 * what is known of its {@linkplain ContentState content}.
 *
 * <p>Also the allocation's life as submissions see it: open; split into parts that are used
 * instead; closing, if it was closed before its last use was submitted; closed. Thread-safe: {@link
 * #lock} guards everything below, and {@link #lockToRead} is enough to read it. A submission takes
 * the locks of all its allocations in rising {@link #generation}.
 */
public final class HazardState extends ContentState {
  private enum Availability {
    OPEN,
    SPLIT,
    /** Only a part: its whole is used again. */
    JOINED,
    CLOSING,
    CLOSED
  }

  /** Process-wide, so that a number identifies one allocation across devices and runtimes. */
  private static final AtomicLong GENERATIONS = new AtomicLong();

  private final long generation;
  private final Object subject;
  private final Runnable release;
  private final @Nullable HazardState whole;
  private final UseHistory history;

  /** Only of host memory. */
  private final @Nullable HostGate gate;

  /** How often other code keeps it allocated, and whether it was closed meanwhile. */
  private int holds;

  private boolean closesWithLastHold;

  private Availability state = Availability.OPEN;
  private boolean refusesWrites;

  /** Written before any use. */
  private boolean isTracked = true;

  private @Nullable Throwable closedAt;

  /** The next of the states that wait for the same stream. Guarded by the stream's gate. */
  private @Nullable HazardState nextClosing;

  /** The subject in words, once an observer has asked. */
  private @Nullable String words;

  /** Rising in generation; empty unless it is split. */
  private List<HazardState> parts = List.of();

  /** How many of the parts are taken back, while that goes on. */
  private int takenBack;

  /**
   * Creates the state of a new allocation.
   *
   * @param generation the allocation's number, which orders the locks
   * @param subject the allocation, for errors: its {@code toString} describes it
   * @param writer the stream that it is allocated on
   * @param ticket the ticket of allocating it, which every use waits for
   * @param release frees the allocation; called without any lock held, once the last use of a
   *     closing one is submitted
   */
  public HazardState(
      long generation, Object subject, Timeline writer, long ticket, Runnable release) {
    this.generation = generation;
    this.subject = subject;
    this.release = release;
    this.whole = null;
    this.history = new UseHistory(writer, ticket);
    this.gate = null;
  }

  /**
   * Creates the state of host memory, which depends on nothing at first. The code that allocated it
   * frees it, after {@link #pending}.
   *
   * @param subject the memory, for errors
   */
  public HazardState(Object subject) {
    this.generation = newGeneration();
    this.subject = subject;
    this.release = () -> {};
    this.whole = null;
    this.history = new UseHistory();
    this.gate = new HostGate();
  }

  /** Creates the state of a part, which depends on whatever the whole depends on. */
  private HazardState(HazardState whole, Object subject) {
    this.generation = newGeneration();
    this.subject = subject;
    this.release = () -> {};
    this.whole = whole;
    this.history = new UseHistory(whole.history);
    this.gate = whole.gate == null ? null : new HostGate();
    takeContentOf(whole);
    this.refusesWrites = whole.refusesWrites;
    this.isTracked = whole.isTracked;
  }

  /** A number that no other allocation or part of one has. */
  public static long newGeneration() {
    return GENERATIONS.incrementAndGet();
  }

  /**
   * Splits it into parts with hazard states of their own. Until {@link #join} it accepts no use.
   *
   * @param subjects the parts, for errors
   * @throws StreamMisuseException if it is split already
   * @throws UseAfterFreeException if it is closed, or a part that was joined
   */
  public List<HazardState> split(List<?> subjects) {
    lock();
    try {
      if (state != Availability.OPEN) {
        throw refusal(AttemptedUse.of("a split"));
      }
      List<HazardState> created = new ArrayList<>(subjects.size());
      for (Object part : subjects) {
        created.add(new HazardState(this, part));
      }
      parts = created;
      state = Availability.SPLIT;
      return created;
    } finally {
      unlock();
    }
  }

  /**
   * Takes the parts back: its next use depends on whatever the parts depend on, and they accept no
   * use any more. Makes no driver call.
   *
   * @param expected the parts, from {@link #split}
   * @return whether it was split into these
   * @throws StreamMisuseException if a part is split itself; nothing has changed
   */
  public boolean join(List<HazardState> expected) {
    lock();
    try {
      if (state != Availability.SPLIT || parts != expected) {
        return false;
      }
      for (HazardState part : parts) {
        part.lock();
        try {
          if (part.state == Availability.SPLIT) {
            throw new StreamMisuseException(
                StreamMisuseException.Misuse.SPLIT,
                part.subject + " is split itself; join its parts before it is joined");
          }
        } finally {
          part.unlock();
        }
      }
      takePartsBack(Availability.JOINED, null);
      return true;
    } finally {
      unlock();
    }
  }

  /** Says of new memory that its owner frees it without regard to the uses that are registered. */
  public void leaveUntracked() {
    isTracked = false;
  }

  /** Whether the memory is freed only after its registered uses. */
  public boolean isTracked() {
    return isTracked;
  }

  /**
   * Refuses a use that relies on being registered.
   *
   * @param label the use's label in {@code labels}
   * @throws StreamMisuseException if the memory's owner does not track uses
   */
  public void requireTracked(UseLabels labels, int label) {
    if (!isTracked) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.UNTRACKED,
          labels.use(label),
          " uses "
              + subject
              + ", whose resource does not track uses; allocate it from one that does");
    }
  }

  /** Refuses writes from now on, in parts of it as well; it can still be freed. */
  public void refuseWrites() {
    lock();
    try {
      refusesWrites = true;
    } finally {
      unlock();
    }
  }

  /** Whether it refuses writes. */
  public boolean refusesWrites() {
    lock();
    try {
      return refusesWrites;
    } finally {
      unlock();
    }
  }

  /**
   * Closes the allocation to new uses, and its parts with it.
   *
   * @param closedAt where that happens, if it is traced
   * @return who frees it, and when
   */
  public Closing close(@Nullable Throwable closedAt) {
    lock();
    try {
      if (!isOpenLocked()) {
        return Closing.ALREADY_CLOSED;
      }
      if (holds > 0) {
        closesWithLastHold = true;
        this.closedAt = closedAt;
        return Closing.WITH_LAST_USE;
      }
      return end(closedAt);
    } finally {
      unlock();
    }
  }

  /** Closes it like {@link #close}, unless a {@linkplain #hold hold} keeps it; returns whether. */
  public boolean closeUnlessHeld() {
    lock();
    try {
      if (holds > 0) {
        return false;
      }
      if (isOpenLocked()) {
        end(null);
      }
      return true;
    } finally {
      unlock();
    }
  }

  /**
   * Closes several like {@link #closeUnlessHeld}, all or none.
   *
   * @param all in rising {@link #generation}
   * @return one that a hold keeps; null if all are closed
   */
  public static @Nullable HazardState closeAllUnlessHeld(List<HazardState> all) {
    int locked = 0;
    try {
      for (HazardState each : all) {
        each.lock();
        locked++;
      }
      for (HazardState each : all) {
        if (each.holds > 0) {
          return each;
        }
      }
      for (HazardState each : all) {
        if (each.isOpenLocked()) {
          each.end(null);
        }
      }
      return null;
    } finally {
      for (; locked > 0; locked--) {
        all.get(locked - 1).unlock();
      }
    }
  }

  /**
   * The stream of the latest use, for {@link #closeAfterOneStream}; null if it cannot be used at
   * this moment. May ask the driver.
   */
  public @Nullable Timeline usableLastUser() {
    // Racy, benign: looked at again with the lock, across which no driver may be asked.
    Timeline user = history.latest();
    return user == null || !user.isUsable() ? null : user;
  }

  /**
   * Closes it if all its uses are on one stream and submitted, and no other code has it: work on
   * that stream then comes after them without a wait.
   *
   * @param user the stream, from {@link #usableLastUser}
   * @param endedAt where that happens, if it is traced
   * @return the latest use; null if nothing has changed
   */
  public @Nullable PendingUse closeAfterOneStream(Timeline user, @Nullable Throwable endedAt) {
    lock();
    try {
      long ticket = state == Availability.OPEN && holds == 0 ? history.latestOn(user) : -1;
      if (ticket < 0) {
        return null;
      }
      // First: if the Java heap is full, nothing has changed.
      PendingUse latest = new PendingUse(user, ticket);
      state = Availability.CLOSED;
      closedAt = endedAt;
      return latest;
    } finally {
      unlock();
    }
  }

  /** What it is a part of, and that of; itself if it is no part. */
  public HazardState outermost() {
    HazardState outermost = this;
    while (outermost.whole != null) {
      outermost = outermost.whole;
    }
    return outermost;
  }

  /** Held: the lock. */
  private Closing end(@Nullable Throwable endedAt) {
    takePartsBack(Availability.CLOSED, endedAt);
    closedAt = endedAt;
    return endUses();
  }

  /** Ends it once all uses are submitted. Held: the lock. */
  private Closing endUses() {
    boolean waits = history.letUserClose(this);
    state = waits ? Availability.CLOSING : Availability.CLOSED;
    return waits ? Closing.WITH_LAST_USE : Closing.NOW;
  }

  /**
   * Goes on closing, after a stream has submitted a use.
   *
   * @return the action that frees the allocation, if that was its last use; otherwise null
   */
  @Nullable Runnable continueClosing() {
    lock();
    try {
      return endUses() == Closing.NOW ? release : null;
    } finally {
      unlock();
    }
  }

  void linkClosing(@Nullable HazardState next) {
    nextClosing = next;
  }

  @Nullable HazardState nextClosing() {
    return nextClosing;
  }

  /** Undoes a close that could not be carried out. */
  public void reopen() {
    lock();
    try {
      state = Availability.OPEN;
      closedAt = null;
    } finally {
      unlock();
    }
  }

  /** Whether it is not closed: it accepts new uses, or its parts do. */
  public boolean isOpen() {
    lock();
    try {
      return isOpenLocked();
    } finally {
      unlock();
    }
  }

  /** Held: the lock. */
  private boolean isOpenLocked() {
    return acceptsUsesLocked() && !closesWithLastHold;
  }

  /**
   * The stream of the latest use, where a free waits for the fewest other streams; the default
   * stream if that one cannot be used at this moment.
   */
  public Timeline lastUser() {
    Timeline user;
    lock();
    try {
      user = requireNonNull(history.latest());
    } finally {
      unlock();
    }
    return user.isUsable() ? user : user.pool().defaultTimeline();
  }

  /**
   * Refuses a use that is not registered yet.
   *
   * @param use the use, for errors
   * @throws UseAfterFreeException if it is closed, or a part that was joined
   * @throws StreamMisuseException if it is split
   */
  public void requireUsable(String use) {
    requireUsable(() -> use, 0);
  }

  /** Refuses a use that is not registered, like {@link #requireUsable(String)}. */
  public void requireUsable(UseLabels labels, int label) {
    lock();
    try {
      if (state != Availability.OPEN) {
        throw refusal(labels.use(label));
      }
    } finally {
      unlock();
    }
  }

  /**
   * The submitted or registered work that an access by the host has to wait for.
   *
   * @param writes whether the host writes, so that it waits for reads as well
   */
  public List<PendingUse> pending(boolean writes) {
    lock();
    try {
      return pendingLocked(writes);
    } finally {
      unlock();
    }
  }

  /** Held: the lock. */
  private List<PendingUse> pendingLocked(boolean writes) {
    List<PendingUse> uses = new ArrayList<>();
    history.addPending(writes, uses);
    for (HazardState part : parts) {
      uses.addAll(part.pending(writes));
    }
    return uses;
  }

  /**
   * Begins an access by the host, which {@link #endHostAccess} ends. Until then no use that
   * conflicts with it is registered: submissions wait.
   *
   * @param writes whether the host writes
   * @return what the access has to wait for before it touches the memory
   */
  public List<PendingUse> beginHostAccess(boolean writes) {
    lock();
    try {
      List<PendingUse> pending = pendingLocked(writes);
      if (writes) {
        noteHostWrite();
      }
      requireNonNull(gate).begin(writes);
      return pending;
    } finally {
      unlock();
    }
  }

  /** Ends an access by the host. */
  public void endHostAccess(boolean writes) {
    lock();
    try {
      requireNonNull(gate).end(writes);
    } finally {
      unlock();
    }
  }

  /** Whether a use conflicts with an access by the host. Held: the lock. */
  boolean conflictsWithHost(boolean writes) {
    return gate != null && gate.conflictsWith(writes);
  }

  /** Waits until no access by the host conflicts with a use. */
  void awaitHost(boolean writes) {
    if (gate != null) {
      gate.await(writes);
    }
  }

  /** How many uses the next writer depends on: the last writes, and one read per stream. */
  public int size() {
    lock();
    try {
      return history.size();
    } finally {
      unlock();
    }
  }

  /** How many pieces of other code have the memory, or had it and may have to be waited for. */
  int consumers() {
    lock();
    try {
      return history.consumers();
    } finally {
      unlock();
    }
  }

  /** The allocation's number. */
  public long generation() {
    return generation;
  }

  /** Whether it refuses no use. Held: the lock. */
  boolean acceptsAll() {
    return state == Availability.OPEN && !refusesReads() && !refusesWrites;
  }

  /**
   * Whether a use on a stream has to wait for nothing, since no other stream or code uses it. Held:
   * the lock.
   */
  boolean isAlone(Timeline timeline) {
    return gate == null && history.isAlone(timeline);
  }

  /**
   * Refuses a use of a closed allocation, except its own free, and, after {@link
   * #refuseReadsUntilWritten}, a read before the first write. Held: the lock.
   */
  void requireUsable(boolean freeing, boolean reads, UseLabels labels, int label) {
    if (state != Availability.OPEN && !(freeing && state == Availability.CLOSED)) {
      throw refusal(labels.use(label));
    }
    if (reads && refusesReads()) {
      throw new UninitializedReadException(labels.use(label), subject.toString(), generation);
    }
  }

  /** Refuses a write, except its own free, after {@link #refuseWrites}. Held: the lock. */
  void requireWritable(boolean freeing, UseLabels labels, int label) {
    if (refusesWrites && !freeing) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.READ_ONLY,
          labels.use(label),
          " writes " + subject + ", which is read-only; write a copy of it instead");
    }
  }

  private DeviceException refusal(AttemptedUse use) {
    if (state == Availability.SPLIT) {
      return new StreamMisuseException(
          StreamMisuseException.Misuse.SPLIT,
          use,
          " uses "
              + subject
              + ", which is split into "
              + parts.size()
              + " parts; use a part, or join them first");
    }
    if (whole != null && state == Availability.JOINED) {
      return UseAfterFreeException.joined(
          use, subject.toString(), generation, whole.subject.toString());
    }
    return new UseAfterFreeException(use, subject.toString(), generation, closedAt);
  }

  /** The memory, in words. Racy, benign: two threads may both make them. */
  public String inWords() {
    String known = words;
    if (known == null) {
      known = subject.toString();
      words = known;
    }
    return known;
  }

  /** The name that its user has given it; empty if there is none. */
  public String tag() {
    KnownMemory memory = memory();
    return memory == null ? "" : memory.tag();
  }

  @Override
  @Nullable ContentState whole() {
    return whole;
  }

  @Override
  List<? extends ContentState> parts() {
    return parts;
  }

  @Override
  boolean isShareable() {
    return gate == null;
  }

  @Override
  UseHistory history() {
    return history;
  }

  /** Notes that other code has the memory from now on, and forgets those who are done with it. */
  public void addConsumer(ForeignConsumer consumer) {
    lock();
    try {
      history.addConsumer(consumer);
    } finally {
      unlock();
    }
  }

  /** Takes {@link #addConsumer} back. */
  public void removeConsumer(ForeignConsumer consumer) {
    lock();
    try {
      history.removeConsumer(consumer);
    } finally {
      unlock();
    }
  }

  /** Registers a use, which keeps the allocation until it is submitted. Held: the lock. */
  void register(Timeline timeline, long ticket, boolean writes) {
    if (writes) {
      noteWrite();
    }
    history.add(timeline, ticket, writes);
  }

  /**
   * Keeps the memory allocated and usable until {@link #endHold}, for other code that has it:
   * closing it meanwhile takes effect at the end of the last hold.
   *
   * @param use the reason, for errors
   * @throws UseAfterFreeException if it is closed
   */
  public void hold(String use) {
    lock();
    try {
      if (!acceptsUsesLocked()) {
        throw refusal(AttemptedUse.of(use));
      }
      holds++;
    } finally {
      unlock();
    }
  }

  /**
   * Ends a hold.
   *
   * @return the action that frees the allocation, if it was closed meanwhile and nothing else keeps
   *     it; otherwise null
   */
  public @Nullable Runnable endHold() {
    lock();
    try {
      holds--;
      if (holds > 0 || !closesWithLastHold) {
        return null;
      }
      closesWithLastHold = false;
      return end(closedAt) == Closing.NOW ? release : null;
    } finally {
      unlock();
    }
  }

  /** What it is the state of; null if that is not known memory, as of a part. */
  public @Nullable KnownMemory memory() {
    return subject instanceof KnownMemory memory ? memory : null;
  }

  /** The memory, if it is closed and nothing but one hold keeps it; else null. */
  public @Nullable KnownMemory onlyHeld() {
    lock();
    try {
      return closesWithLastHold && holds == 1 ? memory() : null;
    } finally {
      unlock();
    }
  }

  /** Whether a graph or other code keeps it allocated. */
  public boolean isHeld() {
    lock();
    try {
      return holds > 0;
    } finally {
      unlock();
    }
  }

  /** Whether it accepts uses, or its parts do; so it may, until the last hold ends, when closed. */
  public boolean acceptsUses() {
    lock();
    try {
      return acceptsUsesLocked();
    } finally {
      unlock();
    }
  }

  /** Held: the lock. */
  private boolean acceptsUsesLocked() {
    return state == Availability.OPEN || state == Availability.SPLIT;
  }

  /**
   * Takes back the parts, and before each of them its own. Held: the lock.
   *
   * @param end what becomes of the parts: joined or closed
   */
  private void takePartsBack(Availability end, @Nullable Throwable endedAt) {
    if (state != Availability.SPLIT) {
      return;
    }
    // No recursion, since parts may be nested deeply. Held: all locks on the way to this part.
    HazardState at = this;
    try {
      at.beginTakingBack();
      while (state == Availability.SPLIT) {
        if (at.takenBack < at.parts.size()) {
          HazardState part = at.parts.get(at.takenBack);
          part.lock();
          at = part;
          at.beginTakingBack();
        } else {
          HazardState part = at;
          if (part.state == Availability.SPLIT) {
            part.parts = List.of();
            part.state = Availability.OPEN;
          }
          if (part != this) {
            at = requireNonNull(part.whole);
            at.takeBack(part, end, endedAt);
          }
        }
      }
    } finally {
      while (at != this) {
        HazardState part = at;
        at = requireNonNull(part.whole);
        part.unlock();
      }
    }
  }

  /** Forgets its uses before the split, which its parts have taken over. Held: the lock. */
  private void beginTakingBack() {
    takenBack = 0;
    if (state == Availability.SPLIT) {
      history.clear();
    }
  }

  /** Takes back a part without parts of its own, and gives its lock back. Held: both locks. */
  private void takeBack(HazardState part, Availability end, @Nullable Throwable endedAt) {
    try {
      absorb(part);
      part.state = end;
      part.closedAt = endedAt;
      takenBack++;
    } finally {
      part.unlock();
    }
  }

  /** Adds what a part depends on. Held: both locks. */
  private void absorb(HazardState part) {
    history.absorb(part.history);
    absorbContent(part);
  }
}
