package dev.streamfence.internal.device;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.device.TransferCounts.Count;
import dev.streamfence.internal.memory.Account;
import dev.streamfence.internal.memory.AdoptedMemory;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.AllocationResource;
import dev.streamfence.internal.memory.Budget;
import dev.streamfence.internal.memory.BudgetResource;
import dev.streamfence.internal.memory.MemoryOwners;
import dev.streamfence.internal.memory.Reservation;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.order.WaitingLine;
import dev.streamfence.internal.pressure.Demand;
import dev.streamfence.internal.pressure.PressureTask;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.PoolStatistics;
import dev.streamfence.memory.PressureStatistics;
import dev.streamfence.memory.TagUsage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceMemory}. */
public final class TrackedMemory implements DeviceMemory {
  /** How long a task waits for memory unless it says otherwise: more than most operators take. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final TrackedRuntime runtime;
  private final MemoryStack stack;
  private final BudgetResource resource;
  private final OpenArrays arrays;
  private final TransferCounts counts;
  private final ArrayTransfers transfers;
  private final Spilling spilling;
  private final NewArrays requests;

  TrackedMemory(TrackedRuntime runtime, MemoryStack stack, OpenArrays arrays) {
    this(runtime, stack, arrays, stack.budget(), new TransferCounts());
  }

  private TrackedMemory(
      TrackedRuntime runtime,
      MemoryStack stack,
      OpenArrays arrays,
      BudgetResource resource,
      TransferCounts counts) {
    this.runtime = runtime;
    this.stack = stack;
    this.arrays = arrays;
    this.resource = resource;
    this.counts = counts;
    this.transfers = new ArrayTransfers(runtime, counts);
    this.spilling = new Spilling(runtime, this);
    this.requests = new NewArrays(this, resource, arrays, counts, spilling);
  }

  @Override
  public DeviceMemory within(long budgetInBytes) {
    return within(budgetInBytes, "within " + budgetInBytes + " bytes");
  }

  @Override
  public DeviceMemory within(long budgetInBytes, String name) {
    Objects.requireNonNull(name, "name");
    return new TrackedMemory(
        runtime, stack, arrays, resource.part(budgetInBytes, name), counts.part());
  }

  @Override
  public <A> WritableArray<A> allocate(
      DeviceStream stream, Class<A> arrayType, long length, String tag) {
    return requests.allocate(requests.budget(), stream, arrayType, length, tag);
  }

  @Override
  public <A> WritableArray<A> allocateZeroed(
      DeviceStream stream, Class<A> arrayType, long length, String tag) {
    return requests.allocateZeroed(requests.budget(), stream, arrayType, length, tag);
  }

  @Override
  public <A> WritableArray<A> upload(DeviceStream stream, A source, String tag) {
    return requests.upload(requests.budget(), stream, source, tag);
  }

  @Override
  public <A> TrackedPinnedArray<A> pinned(Class<A> arrayType, long length) {
    return pinned(arrayType, length, true);
  }

  /**
   * Allocates a pinned array.
   *
   * @param isOfCaller whether a caller gets it, who is to close it
   */
  <A> TrackedPinnedArray<A> pinned(Class<A> arrayType, long length, boolean isOfCaller) {
    ArrayElement elementType = ArrayElement.ofArray(arrayType);
    String what = "pinned " + elementType.typeName() + "[" + length + "]";
    if (length < 0 || length > Integer.MAX_VALUE / elementType.sizeInBytes()) {
      throw new IllegalArgumentException(
          what
              + ": the length is at least 0, and the size at most "
              + Integer.MAX_VALUE
              + " bytes");
    }
    runtime.life().enter();
    try {
      runtime.sticky().check();
      PinnedBytes.Lease lease =
          length == 0
              ? null
              : runtime.pinned().allocate(length * elementType.sizeInBytes(), what, isOfCaller);
      try {
        return new TrackedPinnedArray<>(runtime, arrayType, elementType, length, lease);
      } catch (Error e) {
        if (lease != null) {
          lease.endAfter(e);
        }
        throw e;
      }
    } finally {
      runtime.life().leave();
    }
  }

  @Override
  public <A> WritableArray<A> adopt(
      DeviceStream stream, ForeignMemory foreign, Class<A> arrayType) {
    return (WritableArray<A>) adopt(stream, foreign, arrayType, false);
  }

  @Override
  public <A> TrackedArray<A> adoptReadable(
      DeviceStream stream, ForeignMemory foreign, Class<A> arrayType) {
    return adopt(stream, foreign, arrayType, true);
  }

  private <A> TrackedArray<A> adopt(
      DeviceStream stream, ForeignMemory foreign, Class<A> arrayType, boolean readOnly) {
    ForeignMemory block = Objects.requireNonNull(foreign, "memory");
    ArrayElement elementType = ArrayElement.ofArray(arrayType);
    int size = elementType.sizeInBytes();
    if (block.sizeInBytes() % size != 0 || block.address() % elementType.alignment() != 0) {
      throw new IllegalArgumentException(
          block
              + " is no array of "
              + elementType.typeName()
              + ": its address and its size must be multiples of "
              + (size == elementType.alignment() ? "" : elementType.alignment() + " and ")
              + size);
    }
    runtime.life().enter();
    try {
      if (stream.runtime() != runtime) {
        throw new StreamMisuseException(
            StreamMisuseException.Misuse.OTHER_RUNTIME,
            "adopting " + block + " on " + stream + ": they belong to two runtimes");
      }
      Timeline timeline = TrackedStream.timelineOf(stream);
      runtime.sticky().check();
      arrays.freeLost();
      if (block.sizeInBytes() == 0) {
        TrackedArray<A> empty =
            array(readOnly, arrayType, elementType, 0, ArrayBacking.Owned.of(null));
        runtime.life().callOutside(() -> MemoryOwners.call(block));
        return empty;
      }
      AdoptedMemory.Adoption adoption = runtime.adopted().adopt(block, readOnly, timeline);
      try {
        return array(
                readOnly,
                arrayType,
                elementType,
                block.sizeInBytes() / size,
                new ArrayBacking.Adopted(adoption))
            .hold();
      } catch (Error e) {
        arrays.freeAfter(adoption.lease(), e);
        throw e;
      }
    } finally {
      runtime.life().leave();
    }
  }

  private <A> TrackedArray<A> array(
      boolean readOnly,
      Class<A> arrayType,
      ArrayElement elementType,
      long length,
      ArrayBacking backing) {
    return readOnly
        ? new TrackedArray<>(this, arrayType, elementType, length, backing)
        : new WritableArray<>(this, arrayType, elementType, length, backing);
  }

  @Override
  public MemoryReservation reserve(long bytes) {
    requireBudget();
    AllocationResource.requirePositive(bytes, "a reservation");
    PressureTask task = requests.waitingTask();
    if (task == null) {
      return spilling.orSpill(runtime.streams()::defaultStream, () -> reserve(resource, bytes));
    }
    return runtime
        .tasks()
        .await(
            task,
            new Demand("a reservation", bytes, resource),
            () ->
                spilling.orSpill(
                    runtime.streams()::defaultStream, () -> reserve(task.share(resource), bytes)));
  }

  private MemoryReservation reserve(BudgetResource from, long bytes) {
    runtime.life().enter();
    try {
      runtime.sticky().check();
      arrays.freeLost();
      return TrackedReservation.of(this, from.reserve(bytes));
    } finally {
      runtime.life().leave();
    }
  }

  @Override
  public Optional<MemoryReservation> reserve(long bytes, Duration timeout)
      throws InterruptedException {
    Deadline deadline = Deadline.after(timeout);
    runtime.requireMayWait("a wait for memory");
    return Optional.ofNullable(waiting().await(() -> tryReserve(bytes), deadline));
  }

  /** The threads that wait for room in this memory. */
  WaitingLine waiting() {
    return resource.returned();
  }

  /** There is room in the memory of the runtime, or can be made: those that wait look again. */
  void signalRoom() {
    stack.budget().signalRoom();
  }

  /**
   * Sets memory aside if it fits, or does once idle arrays have left the device; null otherwise.
   */
  private @Nullable MemoryReservation tryReserve(long bytes) {
    MemoryReservation fits = reserveIfFits(bytes);
    if (fits != null || runtime.spills().isEmpty()) {
      return fits;
    }
    try {
      resource.check(bytes);
    } catch (OutOfMemoryBudgetException refusal) {
      return spilling.makeRoom(refusal, runtime.streams()::defaultStream, new ArrayList<>(0))
          ? reserveIfFits(bytes)
          : null;
    }
    return null;
  }

  private @Nullable MemoryReservation reserveIfFits(long bytes) {
    runtime.life().enter();
    try {
      requireBudget();
      runtime.sticky().check();
      arrays.freeLost();
      stack.budget().reap();
      Reservation reservation = resource.tryReserve(bytes);
      return reservation == null ? null : TrackedReservation.of(this, reservation);
    } finally {
      runtime.life().leave();
    }
  }

  private void requireBudget() {
    if (runtime.options().memoryBudget().isUnlimited()) {
      throw new IllegalStateException(
          "a reservation by a runtime without a memory budget; open it with one");
    }
  }

  @Override
  public void checkBudget(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a check of " + bytes + " bytes; it is of at least 0");
    }
    runtime.life().requireOpen();
    resource.check(bytes);
  }

  @Override
  public long bytesOutstanding() {
    return resource.bytesOutstanding();
  }

  @Override
  public long reap() {
    if (!runtime.life().tryEnter()) {
      return 0;
    }
    try {
      arrays.freeLost();
      runtime.adopted().retry();
      runtime.pinned().freeLost();
      runtime.spills().discardAgain();
      return stack.budget().reap();
    } finally {
      runtime.life().leave();
    }
  }

  /**
   * Queues the frees that were postponed, so that a wait for the device covers them. Where a free
   * waits, the next reap carries it out instead; but for memory around an adoption that was
   * postponed, which is freed here.
   */
  void releasePostponed() {
    runtime.adopted().retry();
    if (!runtime.freeWaits()) {
      stack.budget().releasePostponed();
    }
  }

  @Override
  public void resetPeak() {
    reap();
    resource.resetPeak();
  }

  @Override
  public void resetAllocationRequests() {
    counts.reset(Count.REQUESTS);
  }

  @Override
  public void resetTransfers() {
    counts.reset(
        Count.UPLOADS,
        Count.UPLOADED_BYTES,
        Count.DOWNLOADS,
        Count.DOWNLOADED_BYTES,
        Count.REFUSED_DOWNLOADS);
  }

  @Override
  public void resetMetadataTransfers() {
    counts.reset(
        Count.METADATA_READS,
        Count.METADATA_READ_BYTES,
        Count.TABLE_UPLOADS,
        Count.TABLE_UPLOADED_BYTES);
  }

  /** Counts a copy of tables of addresses. */
  public void countTables(long bytes) {
    counts.tablesUploaded(bytes);
  }

  @Override
  public void refuseDownloads(boolean refuse) {
    counts.refuseDownloads(refuse);
  }

  @Override
  public MemoryStatistics statistics() {
    Budget budget = resource.snapshot();
    return new MemorySnapshot(
        budget.limit(),
        budget.live(),
        budget.pending(),
        budget.promised(),
        budget.peak(),
        counts.sum(Count.REQUESTS),
        arrays.failedFrees(),
        arrays.failedFreeBytes(),
        arrays.lostArrays(),
        counts.sum(Count.UPLOADS),
        counts.sum(Count.UPLOADED_BYTES),
        counts.sum(Count.DOWNLOADS),
        counts.sum(Count.DOWNLOADED_BYTES),
        counts.sum(Count.REFUSED_DOWNLOADS),
        counts.sum(Count.METADATA_READS),
        counts.sum(Count.METADATA_READ_BYTES),
        counts.sum(Count.TABLE_UPLOADS),
        counts.sum(Count.TABLE_UPLOADED_BYTES),
        stack.guardViolations(),
        stack.droppedLogRecords(),
        runtime.pinned().bytes(),
        runtime.hostMemory().bytes(),
        budget.kept(),
        runtime.adopted().bytes(),
        resource.remaining());
  }

  @Override
  public Optional<PoolStatistics> pool() {
    return stack.pool();
  }

  @Override
  public long trim() {
    runtime.life().enter();
    try {
      return stack.trim();
    } finally {
      runtime.life().leave();
    }
  }

  @Override
  public Map<String, TagUsage> usageByTag() {
    Map<String, TagUsage> usage = new TreeMap<>();
    for (Allocation allocation : stack.open()) {
      if (resource.pays(allocation)) {
        usage.merge(allocation.tag(), new TagUsage(1, allocation.sizeInBytes()), TagUsage::plus);
      }
    }
    return Collections.unmodifiableMap(usage);
  }

  TrackedRuntime runtime() {
    return runtime;
  }

  NewArrays requests() {
    return requests;
  }

  OpenArrays arrays() {
    return arrays;
  }

  ArrayTransfers transfers() {
    return transfers;
  }

  @Override
  public MemoryTask task() {
    return task(0);
  }

  @Override
  public MemoryTask task(int priority) {
    return task(priority, PATIENCE);
  }

  @Override
  public MemoryTask task(int priority, Duration patience) {
    runtime.life().requireOpen();
    return runtime.tasks().open(priority, patience);
  }

  @Override
  public PressureStatistics pressure() {
    return runtime.tasks().statistics(runtime.spills().statistics());
  }

  @Override
  public <A> TrackedSpillable<A> spillable(DeviceArray<A> array) {
    WritableArray<A> own = WritableArray.of(Objects.requireNonNull(array, "array"));
    own.requireInUse("making it spillable");
    if (!(own.backing instanceof ArrayBacking.Owned)) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.NOT_WHOLE,
          own + " has no memory of its own that could leave the device; allocate an array");
    }
    return runtime.spills().add(own.reinterpret(own.arrayType));
  }

  @Override
  public long spill(DeviceStream stream, long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes to spill; it is at least 0");
    }
    Objects.requireNonNull(stream, "stream");
    if (stream.runtime() != runtime) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "spilling by " + runtime + " on " + stream + ": they belong to two runtimes");
    }
    // Refused here if it is closed.
    TrackedStream.timelineOf(stream);
    runtime.requireMayWait("spilling");
    return spilling.spill(stream, bytes);
  }

  /** The account that refuses bytes now; null if none does. */
  @Nullable Account refuser(long bytes) {
    return resource.refuser(bytes);
  }

  /** The account of its budget. */
  Account account() {
    return resource.account();
  }
}
