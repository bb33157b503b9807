package dev.streamfence.internal.memory;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.order.Closing;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.order.KnownMemory;
import dev.streamfence.internal.order.Timeline;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One allocation of device memory: its place, whether it is open, who holds it and which account
 * pays for it. Everything else reads that from here. Its address may be reused after it is freed;
 * its generation never is. Thread-safe.
 */
public final class Allocation implements KnownMemory {
  private static final AtomicReferenceFieldUpdater<Allocation, @Nullable Object> HOLDER =
      AtomicReferenceFieldUpdater.newUpdater(Allocation.class, Object.class, "holder");

  private final long address;
  private final long sizeInBytes;
  private final String tag;
  private final long generation;

  /** Null for host memory, and so is the account. */
  private final @Nullable Timeline timeline;

  private final @Nullable Account account;
  private final @Nullable Allocation enclosing;
  private final HazardState hazards;
  private final @Nullable Throwable allocatedAt;
  private final boolean foreign;

  private volatile @Nullable Object holder;

  /** Written before any other thread knows of it. */
  private LiveAllocations.@Nullable Place place;

  /**
   * Creates a new allocation.
   *
   * @param ticket the ticket on {@code timeline} that every use waits for; 0 if it is ready at once
   * @param release frees the allocation if it was closed while pinned; called without any lock
   * @param tracked whether its resource frees it only after its registered uses
   * @param account pays for its bytes
   * @param enclosing the allocation in whose memory it lies; null if it lies in none
   */
  Allocation(
      long address,
      long sizeInBytes,
      String tag,
      Timeline timeline,
      long ticket,
      Consumer<Allocation> release,
      boolean tracked,
      Account account,
      @Nullable Allocation enclosing,
      @Nullable Throwable allocatedAt) {
    this(
        address,
        sizeInBytes,
        tag,
        timeline,
        ticket,
        release,
        tracked,
        account,
        enclosing,
        allocatedAt,
        false);
  }

  private Allocation(
      long address,
      long sizeInBytes,
      String tag,
      Timeline timeline,
      long ticket,
      Consumer<Allocation> release,
      boolean tracked,
      Account account,
      @Nullable Allocation enclosing,
      @Nullable Throwable allocatedAt,
      boolean foreign) {
    this.foreign = foreign;
    this.address = address;
    this.sizeInBytes = sizeInBytes;
    this.tag = tag;
    this.generation = HazardState.newGeneration();
    this.timeline = timeline;
    this.account = account;
    this.enclosing = enclosing;
    this.hazards = new HazardState(generation, this, timeline, ticket, () -> letGo(release));
    if (!tracked) {
      hazards.leaveUntracked();
    }
    this.allocatedAt = allocatedAt;
  }

  private Allocation(long address, long sizeInBytes, String tag, HazardState hazards) {
    this.foreign = false;
    this.address = address;
    this.sizeInBytes = sizeInBytes;
    this.tag = tag;
    this.generation = hazards.generation();
    this.timeline = null;
    this.account = null;
    this.enclosing = null;
    this.hazards = hazards;
    this.allocatedAt = null;
  }

  /**
   * Page-locked host memory, as the device reaches it. It counts in no budget, and is freed by its
   * owner alone.
   *
   * @param address at which the device reaches it
   * @param tag describes it, for errors
   * @param hazards orders its uses, those by the host included
   */
  public static Allocation ofHost(long address, long sizeInBytes, String tag, HazardState hazards) {
    return new Allocation(address, sizeInBytes, tag, hazards);
  }

  /**
   * Memory that other code owns, or a part of an allocation that other code hands back. Only {@link
   * AdoptedMemory} gives it back.
   */
  static Allocation ofForeign(
      long address,
      long sizeInBytes,
      String tag,
      Timeline timeline,
      long ticket,
      Consumer<Allocation> release,
      Account account,
      @Nullable Allocation enclosing,
      @Nullable Throwable allocatedAt) {
    return new Allocation(
        address,
        sizeInBytes,
        tag,
        timeline,
        ticket,
        release,
        true,
        account,
        enclosing,
        allocatedAt,
        true);
  }

  /**
   * A variable of a loaded module. No account pays for it, and nothing frees it.
   *
   * @param timeline any stream of its device
   */
  public static Allocation ofModule(
      long address, long sizeInBytes, String name, Timeline timeline) {
    return new Allocation(
        address, sizeInBytes, name, timeline, 0, allocation -> {}, true, new Account(), null, null);
  }

  /**
   * The device address of its first byte. Reading it orders nothing: a caller that uses it must
   * register the use.
   */
  @Override
  public long address() {
    return address;
  }

  /** Size in bytes, at least 1. */
  @Override
  public long sizeInBytes() {
    return sizeInBytes;
  }

  @Override
  public boolean isReplaceable() {
    return timeline != null && enclosing == null && !foreign;
  }

  /** Whether its bytes count in an account. */
  public boolean isPaidBy(Account other) {
    return account != null && account.isWithin(other);
  }

  /** Its purpose; may be empty. */
  @Override
  public String tag() {
    return tag;
  }

  /** Its number, unique in this process. */
  public long generation() {
    return generation;
  }

  /** The stream that it was allocated on. Host memory has none. */
  public Timeline timeline() {
    return requireNonNull(timeline);
  }

  /** The number of its device. */
  public int deviceOrdinal() {
    return timeline().pool().driver().properties().ordinal();
  }

  /** Whether its resource frees it only after its registered uses. */
  public boolean isTracked() {
    return hazards.isTracked();
  }

  /** Whether it is host memory, which no stream allocated. */
  public boolean isOnHost() {
    return timeline == null;
  }

  /** Whether other code owns it, or handed it back. */
  public boolean isForeign() {
    return foreign;
  }

  /** Its hazard state. */
  public HazardState hazards() {
    return hazards;
  }

  /** Whether it accepts new uses. */
  public boolean isOpen() {
    return hazards.isOpen();
  }

  /**
   * Passes it from one holder to another, in one step.
   *
   * @param from its holder; null if it has none
   * @param to its next holder; null for none
   * @return whether {@code from} held it
   */
  public boolean pass(@Nullable Object from, @Nullable Object to) {
    return HOLDER.compareAndSet(this, from, to);
  }

  /** Where its resource knows it, or knew it last; null if no resource did. */
  LiveAllocations.@Nullable Place place() {
    return place;
  }

  void setPlace(LiveAllocations.Place known) {
    place = known;
  }

  /** Whether it has a holder. */
  public boolean isHeld() {
    return holder != null;
  }

  /** Closes it to new uses; if it was open, its bytes count as freed from now on. */
  Closing close(@Nullable Throwable closedAt) {
    Closing closing = hazards.close(closedAt);
    if (closing == Closing.WITH_LAST_USE) {
      account().held(sizeInBytes);
    }
    if (closing != Closing.ALREADY_CLOSED) {
      account().closed(sizeInBytes);
    }
    return closing;
  }

  /** Frees it after the last use or hold of it that came before its close. */
  private void letGo(Consumer<Allocation> release) {
    account().heldNoLonger(sizeInBytes);
    release.accept(this);
  }

  /** Closes it and gives its memory back in one step, see {@link Account#closeAndReturn}. */
  boolean closeAndReturn(BooleanSupplier close) {
    return account().closeAndReturn(sizeInBytes, close);
  }

  /** Undoes a close that could not be carried out. */
  void reopen() {
    hazards.reopen();
    account().reopened(sizeInBytes);
  }

  /** Its memory can be allocated again. */
  long returned() {
    account().returned(sizeInBytes);
    return sizeInBytes;
  }

  /**
   * The allocation in whose memory it lies.
   *
   * @throws IllegalStateException if it lies in none
   */
  Allocation enclosing() {
    if (enclosing == null) {
      throw new IllegalStateException(this + " lies in no other allocation");
    }
    return enclosing;
  }

  private Account account() {
    return requireNonNull(account);
  }

  /** Where it was allocated; null if that was not traced. */
  public @Nullable Throwable allocatedAt() {
    return allocatedAt;
  }

  @Override
  public String toString() {
    return "allocation "
        + generation
        + (tag.isEmpty() ? "" : " '" + tag + "'")
        + " of "
        + sizeInBytes
        + " bytes at 0x"
        + Long.toHexString(address);
  }
}
