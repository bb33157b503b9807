package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.PointerInfo;
import dev.streamfence.internal.memory.MemoryOwners.Owner;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.order.Work.Coverage;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The memory that other code owns and lends to this runtime. Its uses are tracked like those of any
 * allocation; instead of a free, its owner is called back. Memory within an allocation that is
 * tracked already, such as an array that was exported and comes back, shares that one's hazard
 * state and keeps it allocated. Thread-safe.
 */
public final class AdoptedMemory extends TrackedFrees {
  /** The allocations of the runtime itself. */
  @FunctionalInterface
  public interface OwnMemory {
    /** An allocation that overlaps a range; null if none does. */
    @Nullable Allocation overlapping(long address, long bytes);
  }

  /**
   * Memory that was adopted.
   *
   * @param lease is freed to give the memory back
   * @param region the memory, with the hazard state that orders its uses
   */
  public record Adoption(Allocation lease, Region region) {}

  /** Leases by address, except those within another allocation; some may be given back. */
  private final RangeIndex<Allocation> outermost = new RangeIndex<>();

  private final Account account = new Account();
  private final OwnMemory own;
  private final MemoryOwners owners;
  private final ConcurrentHashMap<Allocation, Owner> byLease = new ConcurrentHashMap<>();

  /** Guarded by itself, and never held across a driver call. */
  private final Set<PendingAdoption> pendingAdoptions = ConcurrentHashMap.newKeySet();

  /**
   * Creates an empty set.
   *
   * @param own finds the runtime's own allocations
   */
  public AdoptedMemory(
      StreamPool streams, boolean tracing, OwnMemory own, MemoryOwners.OwnerCalls calls) {
    super(streams, tracing);
    this.own = own;
    this.owners = new MemoryOwners(calls);
  }

  /** The owners of the memory. */
  public MemoryOwners owners() {
    return owners;
  }

  /** Read-only memory may be adopted several times at one address. */
  @Override
  long key(Allocation allocation) {
    return allocation.generation();
  }

  /** Bytes that are adopted and not given back; not those within other allocations. */
  public long bytes() {
    Budget now = account.snapshot();
    return now.live() + now.pending();
  }

  /** Whether an array has adopted memory. */
  public boolean hasHeld() {
    return live().stream().anyMatch(Allocation::isHeld);
  }

  /**
   * Adopts memory. The stream waits for the owner's work, and every use waits for that.
   *
   * @param block at least one byte
   * @throws IllegalArgumentException if the memory is not this device's, ends beyond its
   *     allocation, overlaps other tracked memory without lying in it, or was not said to be ready
   * @throws StreamMisuseException if this thread has a launch open
   * @throws CudaDriverException if the driver refuses the event or stream; nothing is adopted then
   */
  public Adoption adopt(ForeignMemory block, boolean readOnly, Timeline timeline) {
    if (block.readiness() instanceof ForeignMemory.Readiness.Unknown) {
      throw new IllegalArgumentException(
          block
              + " is not said to be ready: call readyAfterEvent, readyAfterStream or alreadyReady");
    }
    if (!streams.mayWaitForOthers()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.INSIDE_LAUNCH,
          "adopting " + block + " inside of a launch of this thread; close that first");
    }
    retry();
    requireReachable(block);
    Purpose purpose = new Purpose(Purpose.Act.ADOPT, block.sizeInBytes(), block.tag(), timeline);
    // Another thread may have the stream for long: reserved only when this one has it.
    try (Submission begun = timeline.begin(purpose)) {
      return adopt(block, readOnly, begun);
    }
  }

  /**
   * Adopts memory in a submission of the adopting stream. No lock is held while it waits: memory
   * that is being adopted is reserved instead.
   */
  private Adoption adopt(ForeignMemory block, boolean readOnly, Submission begun) {
    Timeline timeline = begun.timeline();
    PendingAdoption reserved = new PendingAdoption(block, readOnly);
    Allocation around = reserve(reserved, begun.purpose());
    Owner owner = owners.of(block, around);
    boolean isAdopted = false;
    try {
      Allocation lease =
          begun.carryOut(
              new Work<>(
                  begun.labels(),
                  uses -> {
                    if (around != null) {
                      // A write, so that every use comes after the owner's work.
                      boolean writes = !around.hazards().refusesWrites();
                      uses.use(around.hazards(), !writes, writes, 0);
                    }
                    owners.precede(block, uses);
                  },
                  submission -> {
                    awaitOwner(block, timeline);
                    return lease(block, timeline, submission.ticket(), around);
                  },
                  Coverage.ON_DEMAND));
      if (readOnly) {
        lease.hazards().refuseWrites();
      }
      owner.begin();
      byLease.put(lease, owner);
      if (around == null) {
        outermost.add(block.address(), block.sizeInBytes(), lease.generation(), lease);
      }
      register(lease);
      isAdopted = true;
      return new Adoption(
          lease,
          around == null
              ? Region.of(lease)
              : Region.of(around).range(block.address() - around.address(), block.sizeInBytes()));
    } finally {
      pendingAdoptions.remove(reserved);
      if (!isAdopted) {
        owner.endHold();
      }
    }
  }

  /** Finds the allocation around memory, and keeps others from adopting the memory meanwhile. */
  private @Nullable Allocation reserve(PendingAdoption reserved, String purpose) {
    synchronized (pendingAdoptions) {
      for (PendingAdoption other : pendingAdoptions) {
        if (other.overlaps(reserved.block) && !(other.readOnly && reserved.readOnly)) {
          throw new IllegalArgumentException(
              reserved.block + " overlaps " + other.block + ", which another thread is adopting");
        }
      }
      Allocation around = around(reserved.block, reserved.readOnly);
      if (around != null) {
        around.hazards().hold(purpose);
      }
      pendingAdoptions.add(reserved);
      return around;
    }
  }

  /** Memory that a thread is adopting. */
  private static final class PendingAdoption {
    private final ForeignMemory block;
    private final boolean readOnly;

    private PendingAdoption(ForeignMemory block, boolean readOnly) {
      this.block = block;
      this.readOnly = readOnly;
    }

    private boolean overlaps(ForeignMemory other) {
      return block.address() < other.address() + other.sizeInBytes()
          && other.address() < block.address() + block.sizeInBytes();
    }
  }

  /**
   * Closes memory for its user, whose thread also calls the owner back if that need not wait for
   * the device.
   *
   * @throws dev.streamfence.UseAfterFreeException if it is closed
   */
  public void close(Allocation lease) {
    Owner owner = byLease.get(lease);
    if (owner == null) {
      deallocate(lease);
      return;
    }
    owner.whileClosing(() -> deallocate(lease));
  }

  /** Gives back what could not be given back before. Does not wait for other threads. */
  public void retry() {
    releaseAgain();
  }

  private Allocation lease(
      ForeignMemory block, Timeline timeline, long ticket, @Nullable Allocation around) {
    Account payer = around == null ? account : new Account();
    payer.claim(block.sizeInBytes(), name(block));
    Allocation lease =
        Allocation.ofForeign(
            block.address(),
            block.sizeInBytes(),
            name(block),
            timeline,
            ticket,
            this::release,
            payer,
            around,
            site());
    payer.opened(block.sizeInBytes());
    return lease;
  }

  /** Refuses memory that kernels on this device cannot reach, as far as the driver knows it. */
  private void requireReachable(ForeignMemory block) {
    PointerInfo info;
    try {
      info = driver.pointerInfo(block.address());
    } catch (CudaDriverException e) {
      throw e.during("adopting " + block);
    }
    int ordinal = driver.properties().ordinal();
    switch (info.place()) {
      case UNKNOWN, HOST ->
          throw new IllegalArgumentException(
              block + " is " + info.place().inWords() + "; a kernel needs memory of its device");
      case DEVICE -> {
        if (info.device() != ordinal) {
          throw new IllegalArgumentException(
              block + " belongs to device " + info.device() + "; this is device " + ordinal);
        }
      }
      case MANAGED -> {}
    }
    long behind = block.address() - info.rangeStart() + block.sizeInBytes() - info.rangeBytes();
    if (info.rangeBytes() > 0 && behind > 0) {
      throw new IllegalArgumentException(
          block
              + " ends "
              + behind
              + " bytes beyond its allocation, which has "
              + info.rangeBytes()
              + " bytes at 0x"
              + Long.toHexString(info.rangeStart()));
    }
  }

  /**
   * The tracked allocation that memory lies in, or null.
   *
   * @throws IllegalArgumentException if it overlaps one without lying in it, or is to be written
   *     and lies in one that is read-only
   */
  private @Nullable Allocation around(ForeignMemory block, boolean readOnly) {
    Allocation around = own.overlapping(block.address(), block.sizeInBytes());
    Allocation found = around == null ? null : requireAround(block, around);
    for (Allocation other : outermost.overlapping(block.address(), block.sizeInBytes())) {
      if (!isLive(other)) {
        continue;
      }
      if (other.hazards().refusesWrites()) {
        if (readOnly) {
          continue;
        }
        throw new IllegalArgumentException(
            block + " overlaps " + other + ", which is adopted as read-only");
      }
      found = requireAround(block, other);
    }
    return found;
  }

  private static Allocation requireAround(ForeignMemory block, Allocation other) {
    if (block.address() < other.address()
        || block.address() + block.sizeInBytes() > other.address() + other.sizeInBytes()) {
      throw new IllegalArgumentException(
          block
              + " overlaps "
              + other
              + " and is not part of it; adopt all of it at once and use views");
    }
    return other;
  }

  private void awaitOwner(ForeignMemory block, Timeline timeline) {
    if (block.readiness() instanceof ForeignMemory.Readiness.AfterEvent after) {
      driver.waitForEvent(timeline.stream(), driver.foreignEvent(after.event()));
    } else if (block.readiness() instanceof ForeignMemory.Readiness.AfterStream after) {
      long raw = StreamPool.normalized(after.stream());
      if (driver.rawHandle(timeline.stream()) != raw) {
        order(ownersStream(raw, "adopting " + block), timeline.stream());
      }
    }
  }

  /** Orders what is queued later on one stream after what is queued on another now. */
  private void order(StreamHandle first, StreamHandle then) {
    EventHandle event = driver.createEvent();
    try {
      driver.recordEvent(event, first);
      driver.waitForEvent(then, event);
    } finally {
      // The wait has captured it.
      driver.destroyEvent(event);
    }
  }

  @Override
  long free(Allocation lease, Timeline timeline, Submission begun) {
    Owner owner = owner(lease);
    List<PendingUse> others =
        owner.around() == null ? List.of() : owner.around().hazards().pending(true);
    for (PendingUse use : others) {
      if (use.ticket() > use.timeline().submitted()) {
        // Its thread may be this one, or wait for this one.
        begun.close();
        postpone(lease);
        return 0;
      }
    }
    long ticket;
    try {
      ticket =
          begun.carryOut(
              Work.of(
                  begun.labels(),
                  uses -> {
                    uses.free(lease.hazards());
                    others.forEach(use -> uses.after(use.timeline(), use.ticket()));
                  },
                  submission -> giveBack(lease, owner, submission),
                  Coverage.ALWAYS));
    } catch (StreamMisuseException e) {
      if (e.kind() != StreamMisuseException.Misuse.CAPTURING) {
        throw e;
      }
      // The owner's stream waits when its capture has ended.
      postpone(lease);
      return 0;
    }
    owner.endHold();
    if (isOrderedByItsOwner(owner.block()) || isDone(timeline, ticket)) {
      owner.callSoon();
    } else {
      owner.callWhenDone(timeline, ticket);
    }
    return 0;
  }

  private void giveBack(Allocation lease, Owner owner, Submission submission) {
    Timeline timeline = submission.timeline();
    owner.end(new PendingUse(timeline, submission.ticket()));
    boolean isGivenBack = false;
    try {
      giveBack(lease, submission::purpose, () -> tellOwner(owner.block(), timeline));
      isGivenBack = true;
    } finally {
      if (!isGivenBack) {
        owner.end(null);
      }
    }
    forget(lease);
    lease.returned();
  }

  private boolean isDone(Timeline timeline, long ticket) {
    try {
      return timeline.isDone(ticket);
    } catch (CudaDriverException e) {
      // The memory is given back; only when it is done is open.
      streams.sticky().swallowed(e);
      return false;
    }
  }

  /** The owner's stream, which waits for nothing and is waited for by nothing in a capture. */
  private StreamHandle ownersStream(long rawHandle, String act) {
    StreamHandle stream = driver.foreignStream(rawHandle);
    if (driver.isCapturing(stream)) {
      throw Timeline.capturing(AttemptedUse.of(act), "the owner's stream");
    }
    return stream;
  }

  private void tellOwner(ForeignMemory block, Timeline timeline) {
    if (block.doneEvent() != 0) {
      driver.recordEvent(driver.foreignEvent(block.doneEvent()), timeline.stream());
    }
    if (block.returnStream().isPresent()) {
      long stream = StreamPool.normalized(block.returnStream().getAsLong());
      if (driver.rawHandle(timeline.stream()) != stream) {
        order(timeline.stream(), ownersStream(stream, "returning " + block));
      }
    }
  }

  @Override
  long lose(Allocation lease) {
    Owner owner = owner(lease);
    forget(lease);
    lease.returned();
    owner.endHold();
    owner.callSoon();
    return 0;
  }

  /** Whether the owner's own stream waits for the runtime, so that the release need not. */
  private static boolean isOrderedByItsOwner(ForeignMemory block) {
    return block.doneEvent() != 0 || block.returnStream().isPresent();
  }

  private static String name(ForeignMemory block) {
    return block.tag().isEmpty() ? "foreign memory" : block.tag();
  }

  private void forget(Allocation lease) {
    byLease.remove(lease);
    outermost.remove(lease.address(), lease.sizeInBytes(), lease.generation());
  }

  private Owner owner(Allocation lease) {
    Owner owner = byLease.get(lease);
    if (owner == null) {
      throw new IllegalStateException(lease + " was given back to its owner");
    }
    return owner;
  }

  /**
   * Gives everything back, as steps of a teardown: nothing uses it any more. Calls no owner, see
   * {@link MemoryOwners#callAll}.
   */
  public void giveBackAll(Teardown teardown) {
    freeAll(teardown);
    owners.endHolds(teardown);
  }
}
