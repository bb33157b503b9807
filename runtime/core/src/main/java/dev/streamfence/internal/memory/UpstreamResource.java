package dev.streamfence.internal.memory;

import static java.util.Objects.requireNonNull;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.memory.LiveAllocations.Place;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.internal.order.Work;
import dev.streamfence.internal.order.Work.Coverage;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.PoolStatistics;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The allocations of a {@link MemoryResource}. If that is stream-ordered, allocating and freeing
 * are work on a stream, with a ticket like a launch: a free does not synchronise, and a reap
 * returns its bytes once the device has reached it. If not, the stream of an allocation only says
 * where its first use is expected, and a free waits on the host for every registered use.
 * Thread-safe.
 */
public final class UpstreamResource extends TrackedResource implements AutoCloseable {
  /**
   * Events for a whole budget of freed bytes: a request that is short of memory waits needlessly
   * for at most 1/64 of the budget.
   */
  private static final int EVENTS_PER_BUDGET = 64;

  /** The alignment of the driver's memory. */
  private static final long ALIGNMENT = 256;

  private final MemoryResource upstream;
  private final boolean streamOrdered;

  /** One for all allocations. */
  private final Consumer<Allocation> release = this::release;

  /** What a resource of the user has taken from the one behind it; null if there is none. */
  private final @Nullable LentMemory lent;

  /** Keeps what is returned; null if the driver does. */
  private final @Nullable CachingPool pool;

  private UpstreamResource(
      MemoryResource upstream,
      @Nullable LentMemory lent,
      @Nullable CachingPool pool,
      StreamPool streams,
      boolean tracing,
      long budgetInBytes) {
    super(streams, tracing, budgetInBytes / EVENTS_PER_BUDGET);
    this.upstream = upstream;
    this.lent = lent;
    this.pool = pool;
    this.streamOrdered = upstream.isStreamOrdered();
  }

  /**
   * Creates the allocations of a resource.
   *
   * @param source the driver's memory, or the pool in front of it
   * @param decoration makes the resource of that one
   * @param tracing whether to record where memory is allocated and closed, which costs a stack
   *     trace each
   * @param budgetInBytes determines how finely frees are told apart: an event covers each
   *     sixty-fourth of it that is freed on a stream. A decorator enforces it
   */
  public static UpstreamResource of(
      StreamPool streams,
      MemoryResource source,
      UnaryOperator<MemoryResource> decoration,
      boolean tracing,
      long budgetInBytes) {
    CachingPool pool = source instanceof CachingPool caching ? caching : null;
    LentMemory lent = new LentMemory(source, streams);
    MemoryResource decorated = requireNonNull(decoration.apply(lent), "the memory resource");
    return decorated == lent
        ? new UpstreamResource(source, null, pool, streams, tracing, budgetInBytes)
        : new UpstreamResource(decorated, lent, pool, streams, tracing, budgetInBytes);
  }

  /** The allocations of the driver's stream-ordered pool. */
  public static UpstreamResource streamOrdered(StreamPool streams, boolean tracing) {
    long total = streams.driver().properties().totalMemoryInBytes();
    return streamOrdered(streams, tracing, total);
  }

  /** The same within a budget. */
  public static UpstreamResource streamOrdered(
      StreamPool streams, boolean tracing, long budgetInBytes) {
    MemoryResource source = DriverMemory.pooled(streams.driver());
    return of(streams, source, UnaryOperator.identity(), tracing, budgetInBytes);
  }

  /** Allocations that are each one of the driver, outside of any pool. */
  public static UpstreamResource direct(StreamPool streams, boolean tracing) {
    MemoryResource source = DriverMemory.direct(streams.driver());
    return of(streams, source, UnaryOperator.identity(), tracing, Long.MAX_VALUE);
  }

  /** The figures of the pool; null if there is none. */
  public @Nullable PoolStatistics poolStatistics() {
    return pool == null ? null : pool.statistics();
  }

  /** Whether a free waits for the device. */
  public boolean waitsToFree() {
    return !streamOrdered;
  }

  /** Whether a free calls code of the user, which a thread that others share must not do. */
  public boolean callsUser() {
    return lent != null;
  }

  @Override
  Allocation obtain(long sizeInBytes, Timeline timeline, String tag, Account payer) {
    PoolBlock returned = takeReturned(sizeInBytes, timeline);
    if (returned != null) {
      return registered(returned, sizeInBytes, tag, timeline, payer);
    }
    Purpose purpose = new Purpose(Purpose.Act.ALLOCATE, sizeInBytes, tag, timeline);
    return twice(
        sizeInBytes,
        tag,
        lent == null && pool == null ? "the driver" : upstream,
        () -> streamOrdered ? obtainInOrder(purpose, payer) : obtainNow(purpose, payer),
        () -> makeRoom(timeline));
  }

  /** Whether nothing of the user is in front of the pool, and memory comes in stream order. */
  private boolean isPoolAlone() {
    return pool != null && upstream == pool && streamOrdered;
  }

  @Override
  public @Nullable Allocation tryAllocate(
      long sizeInBytes, Timeline timeline, String tag, Account payer) {
    if (timeline.pool() != streams || hasPostponed()) {
      return null;
    }
    PoolBlock returned = takeReturned(sizeInBytes, timeline);
    if (returned == null) {
      return null;
    }
    if (!payer.tryOpen(sizeInBytes)) {
      requireNonNull(pool).putBack(returned);
      return null;
    }
    try {
      return registered(returned, sizeInBytes, tag, timeline, payer);
    } catch (RuntimeException | Error e) {
      // No allocation was made of the bytes, so that none is to be closed.
      payer.closeAndReturn(sizeInBytes, () -> true);
      throw e;
    }
  }

  /**
   * Takes memory that the pool has from the same stream, without work on it: the array's first use
   * comes after what returned the memory.
   *
   * @return null if there is none, or the request has to be work: to be watched or refused
   */
  private @Nullable PoolBlock takeReturned(long sizeInBytes, Timeline timeline) {
    return isPoolAlone() && !streams.isWatched() && streams.mayWaitForOthers()
        ? requireNonNull(pool).takeReturned(sizeInBytes, timeline)
        : null;
  }

  /** Makes memory of the pool known; if that fails, the pool has it again. */
  private Allocation registered(
      PoolBlock block, long bytes, String tag, Timeline timeline, Account payer) {
    try {
      long ticket = block.marks[0].ticket();
      Allocation allocation = created(block.address, bytes, tag, timeline, ticket, payer);
      Place place = block.place;
      return place == null ? register(allocation) : register(allocation, place);
    } catch (Error e) {
      requireNonNull(pool).putBack(block);
      throw e;
    }
  }

  /**
   * An allocation that is not known yet.
   *
   * @param ticket the ticket on the stream that every use waits for; 0 if it is ready at once
   */
  private Allocation created(
      long address, long bytes, String tag, Timeline timeline, long ticket, Account payer) {
    return new Allocation(
        address, bytes, tag, timeline, ticket, release, true, payer, null, site());
  }

  /** Gives memory whose uses are all on one stream back to the pool, without work on it. */
  @Override
  public boolean tryDeallocate(Allocation allocation) {
    if (!isPoolAlone()
        || !requireNonNull(pool).keepsAll()
        || isLost()
        || streams.isWatched()
        || !isLive(allocation)
        || !streams.life().tryEnter()) {
      return false;
    }
    try {
      Timeline user = allocation.hazards().usableLastUser();
      if (user == null) {
        return false;
      }
      Throwable site = closingSite();
      return allocation.closeAndReturn(() -> giveBackAtOnce(allocation, user, site));
    } finally {
      streams.life().leave();
    }
  }

  /** Called with the lock of the account, so it waits for nothing. */
  private boolean giveBackAtOnce(
      Allocation allocation, Timeline user, @Nullable Throwable closedAt) {
    PendingUse latest = allocation.hazards().closeAfterOneStream(user, closedAt);
    if (latest == null) {
      return false;
    }
    boolean isGiven = false;
    try {
      CachingPool keeping = requireNonNull(pool);
      PoolBlock block = keeping.keeper(requireNonNull(allocation.place()));
      live.remove(allocation);
      keeping.putReturned(block, latest);
      isGiven = true;
      return true;
    } finally {
      if (!isGiven) {
        allocation.hazards().reopen();
        live.addAgain(allocation);
      }
    }
  }

  /**
   * Trims, and waits until the device has done the frees.
   *
   * @return how many bytes fewer the pool holds
   */
  public long trim() {
    long before = heldBytes();
    makeRoom(streams.defaultTimeline());
    return Math.max(0, before - heldBytes());
  }

  private long heldBytes() {
    return pool == null ? 0 : pool.statistics().heldBytes();
  }

  /**
   * Makes room on the device within a submission of this thread, which has queued nothing yet:
   * trims the pool, and waits until the device has done the frees. A resource of the user is not
   * called from there.
   *
   * @param held the stream of the submission
   */
  public void makeRoomWithin(Timeline held) {
    String purpose = "making room";
    awaitFrees(purpose);
    if (pool != null) {
      // A memory resource that holds no stream is called when the device is done with that.
      held.synchronize(purpose);
      try (ResourceStream stream = ResourceStream.unheld(held)) {
        pool.trim(stream);
      }
      held.synchronize(purpose);
    }
  }

  /** Trims, and waits until the device has done the frees. */
  private void makeRoom(Timeline timeline) {
    trim(timeline);
    if (streamOrdered && (lent != null || pool != null)) {
      timeline.synchronize("making room");
    }
  }

  private Allocation obtainInOrder(Purpose purpose, Account payer) {
    return purpose
        .timeline()
        .submit(
            new Work<>(
                purpose,
                uses -> {},
                submission -> {
                  try (ResourceStream stream = ResourceStream.of(submission)) {
                    return obtain(purpose, stream, submission, payer);
                  }
                },
                Coverage.ON_DEMAND));
  }

  private Allocation obtainNow(Purpose purpose, Account payer) {
    try (ResourceStream stream = ResourceStream.unheld(purpose.timeline())) {
      return obtain(purpose, stream, null, payer);
    }
  }

  /**
   * Obtains memory and makes it known.
   *
   * @param submission whose work every use waits for; null if the memory is ready at once
   */
  private Allocation obtain(
      Purpose purpose, ResourceStream stream, @Nullable Submission submission, Account payer) {
    long address;
    try {
      address = upstream.allocate(purpose.bytes(), stream);
    } catch (CudaDriverException e) {
      throw e.during(purpose.purpose());
    }
    boolean isOwn = false;
    try {
      if (lent != null) {
        requireApart(address, purpose);
      }
      isOwn = true;
      if (lent != null && address % ALIGNMENT != 0) {
        throw handedOut(address, "is no multiple of " + ALIGNMENT, purpose);
      }
      long ticket = submission == null ? 0 : submission.ticket();
      return register(
          created(address, purpose.bytes(), purpose.tag(), purpose.timeline(), ticket, payer));
    } catch (CudaDriverException collision) {
      // Not returned: that would free the memory of another allocation.
      throw collision;
    } catch (Throwable e) {
      if (isOwn) {
        returnAfter(e, address, purpose, stream);
      }
      throw e;
    }
  }

  /** Refuses memory that cannot be there, or that another allocation has. */
  private void requireApart(long address, Purpose purpose) {
    if (address <= 0 || address > Long.MAX_VALUE - purpose.bytes()) {
      throw handedOut(address, "is no address of the device", purpose);
    }
    Allocation owner = overlapping(address, purpose.bytes());
    if (owner != null) {
      throw handedOut(address, "overlaps " + owner, purpose);
    }
  }

  private IllegalStateException handedOut(long address, String fact, Purpose purpose) {
    return new IllegalStateException(
        upstream
            + " handed out 0x"
            + Long.toHexString(address)
            + ", which "
            + fact
            + ", for "
            + purpose.bytes()
            + " bytes"
            + (purpose.tag().isEmpty() ? "" : " of '" + purpose.tag() + "'"));
  }

  /** Returns memory that is not handed out because of a failure. */
  private void returnAfter(
      Throwable failure, long address, Purpose purpose, ResourceStream stream) {
    try {
      upstream.deallocate(address, purpose.bytes(), stream);
    } catch (Throwable kept) {
      Suppressed.add(failure, kept);
    }
  }

  @Override
  long free(Allocation allocation, Timeline timeline, Submission begun) {
    return streamOrdered
        ? freeInOrder(allocation, timeline, begun)
        : freeNow(allocation, timeline, begun);
  }

  private long freeInOrder(Allocation allocation, Timeline timeline, Submission begun) {
    long bytes = allocation.sizeInBytes();
    // The pool hands the memory out again in the order of streams: its bytes are never pending.
    boolean isPending = upstream != pool;
    AtomicLong freedBy = new AtomicLong();
    boolean isCovered = isPending && pendingFrees.needsEvent(bytes, timeline);
    try {
      begun.carryOut(
          Work.of(
              begun.labels(),
              uses -> uses.free(allocation.hazards()),
              submission -> {
                try (ResourceStream stream = ResourceStream.of(submission)) {
                  giveBack(allocation, submission::purpose, stream);
                }
                freedBy.set(submission.ticket());
              },
              isCovered ? Coverage.ON_DEMAND_OR_EARLIER : Coverage.ON_DEMAND));
    } finally {
      // Also if a later step has failed; and only now is the ticket submitted, so that a reap may
      // query it.
      if (freedBy.get() > 0) {
        if (isPending) {
          pendingFrees.add(bytes, timeline, freedBy.get(), isCovered);
        } else {
          allocation.returned();
        }
      }
    }
    return isPending ? 0 : bytes;
  }

  private long freeNow(Allocation allocation, Timeline timeline, Submission begun) {
    Purpose purpose =
        new Purpose(Purpose.Act.FREE, allocation.sizeInBytes(), allocation.tag(), timeline);
    begun.carryOut(
        Work.of(
            purpose,
            uses -> uses.free(allocation.hazards()),
            submission -> {},
            Coverage.ON_DEMAND));
    // Outside the submission, so that no other thread has to wait for the stream meanwhile.
    timeline.synchronize(purpose.purpose());
    try (ResourceStream stream = ResourceStream.unheld(timeline)) {
      giveBack(allocation, purpose::purpose, stream);
    }
    return allocation.returned();
  }

  private void giveBack(Allocation allocation, Supplier<String> purpose, ResourceStream stream) {
    giveBack(
        allocation,
        purpose,
        () -> upstream.deallocate(allocation.address(), allocation.sizeInBytes(), stream));
  }

  /** Lets the resource, and the pool behind it, give back what they do not use. */
  private void trim(Timeline timeline) {
    if (lent != null) {
      call(timeline, "trimming " + upstream, upstream::trim);
    }
    if (pool != null) {
      call(timeline, "trimming " + pool, pool::trim);
    }
  }

  /**
   * Lets the resource give back everything, and frees and reports what it keeps. All allocations
   * are freed by now.
   */
  @Override
  public void close() {
    if (isLost() || (lent == null && pool == null)) {
      return;
    }
    Teardown teardown = new Teardown();
    teardown.step(() -> trim(streams.defaultTimeline()));
    String kept = lent == null ? "" : lent.kept();
    if (lent != null && !kept.isEmpty()) {
      String fact =
          upstream + " keeps " + kept + " of device " + deviceOrdinal() + " after its last trim";
      teardown.step(
          () -> call(streams.defaultTimeline(), fact, stream -> lent.freeKept(stream, teardown)));
      streams.life().callOutside(() -> LogTopic.LEAKS.warn(fact + "; the runtime frees them"));
    }
    if (pool != null && heldBytes() > 0) {
      // What the resource in front of it kept, and what the driver has refused once.
      teardown.step(() -> call(streams.defaultTimeline(), "trimming " + pool, pool::trim));
    }
    teardown.finish();
  }

  /** Calls the resource with a stream: held if it is stream-ordered, and done otherwise. */
  private void call(Timeline timeline, String purpose, Consumer<ResourceStream> work) {
    if (!streamOrdered) {
      timeline.synchronize(purpose);
      try (ResourceStream stream = ResourceStream.unheld(timeline)) {
        work.accept(stream);
      }
      return;
    }
    timeline.submit(
        Work.of(
            UseLabels.carriedOutInGraphs(purpose),
            uses -> {},
            submission -> {
              try (ResourceStream stream = ResourceStream.of(submission)) {
                work.accept(stream);
              }
            },
            Coverage.ON_DEMAND));
  }

  @Override
  public long awaitReap(long wanted) {
    return pendingFrees.await(super.awaitReap(wanted), wanted, this::isLost);
  }
}
