package dev.streamfence.internal.device;

import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.AllocationResource;
import dev.streamfence.internal.memory.BudgetResource;
import dev.streamfence.internal.memory.CachingPool;
import dev.streamfence.internal.memory.DeviceShare;
import dev.streamfence.internal.memory.DriverMemory;
import dev.streamfence.internal.memory.GuardReport;
import dev.streamfence.internal.memory.GuardResource;
import dev.streamfence.internal.memory.LoggingResource;
import dev.streamfence.internal.memory.MemoryObserver;
import dev.streamfence.internal.memory.TrackedResource;
import dev.streamfence.internal.memory.UpstreamResource;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.PoolStatistics;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The memory resources of a runtime in layers: budget, log, guard, backend. Thread-safe. */
final class MemoryStack {
  private final AllocationResource backend;
  private final @Nullable GuardResource guard;
  private final LoggingResource log;
  private final BudgetResource budget;
  private final DeviceShare share;

  MemoryStack(
      StreamPool streams,
      RuntimeOptions options,
      MemoryObserver observer,
      Function<StreamPool, AllocationResource> backends,
      DeviceShare share) {
    this.share = share;
    backend = backends.apply(streams);
    guard =
        options.guardMemory()
            ? new GuardResource(
                backend, streams, found -> streams.life().callOutside(() -> report(found)))
            : null;
    AllocationResource guarded = guard == null ? backend : guard;
    log = new LoggingResource(guarded, options.allocationLog(), observer);
    long limit = limit(options, streams);
    budget = new BudgetResource(log, limit);
    budget.shareDevice(share, options.memoryBudget().isShareOfDevice());
  }

  /** The backend that the options select. */
  static Function<StreamPool, AllocationResource> backend(RuntimeOptions options) {
    return streams ->
        UpstreamResource.of(
            streams,
            source(options, streams),
            options.memoryResource(),
            options.traceAllocations(),
            Math.min(limit(options, streams), totalMemory(streams)));
  }

  private static MemoryResource source(RuntimeOptions options, StreamPool streams) {
    CudaDriver driver = streams.driver();
    MemoryResource source =
        options.directMemory() ? DriverMemory.direct(driver) : DriverMemory.pooled(driver);
    return isCaching(options)
        ? new CachingPool(
            source,
            options.poolReleaseThresholdInBytes(),
            Math.min(limit(options, streams), totalMemory(streams) / 5 * 4))
        : source;
  }

  /** Whether a caching pool lies in front of the driver; {@link Opening#of} has decided that. */
  static boolean isCaching(RuntimeOptions options) {
    return options.cachingPool().orElseThrow();
  }

  /** The figures of the caching pool; empty without one. */
  Optional<PoolStatistics> pool() {
    return backend instanceof UpstreamResource upstream
        ? Optional.ofNullable(upstream.poolStatistics())
        : Optional.empty();
  }

  /**
   * Returns to the driver what the pool holds and nothing uses, and waits until the device has
   * freed it.
   *
   * @return how many bytes that were
   */
  long trim() {
    return backend instanceof UpstreamResource upstream ? upstream.trim() : 0;
  }

  /** Makes room for memory of the runtime's own, within a launch of this thread on a stream. */
  void makeRoomWithin(Timeline held) {
    if (backend instanceof UpstreamResource upstream) {
      upstream.makeRoomWithin(held);
    }
  }

  private static long limit(RuntimeOptions options, StreamPool streams) {
    return options.memoryBudget().inBytes(totalMemory(streams));
  }

  private static long totalMemory(StreamPool streams) {
    return streams.driver().properties().totalMemoryInBytes();
  }

  BudgetResource budget() {
    return budget;
  }

  /** A snapshot of the open allocations, in no particular order. */
  List<Allocation> open() {
    return live().stream().filter(Allocation::isOpen).toList();
  }

  /** An allocation that is not freed and overlaps a range; null if none does. */
  @Nullable Allocation overlapping(long address, long bytes) {
    AllocationResource guarded = guard == null ? backend : guard;
    return guarded instanceof TrackedResource tracked ? tracked.overlapping(address, bytes) : null;
  }

  private List<Allocation> live() {
    AllocationResource guarded = guard == null ? backend : guard;
    return guarded instanceof TrackedResource tracked ? tracked.live() : List.of();
  }

  /** Whether a free may wait for the device. */
  boolean freeWaits() {
    return guard != null
        || !(backend instanceof UpstreamResource upstream)
        || upstream.waitsToFree();
  }

  /** Whether a free may wait for the device, or for code of the user. */
  boolean freeHoldsUp() {
    return freeWaits() || (backend instanceof UpstreamResource upstream && upstream.callsUser());
  }

  long guardViolations() {
    return guard == null ? 0 : guard.violations();
  }

  long droppedLogRecords() {
    return log.droppedRecords();
  }

  /** Frees the memory kept for checking, and the memory that could not be freed before. */
  void close() {
    Teardown teardown = new Teardown();
    teardown.step(budget::reap);
    if (guard != null) {
      teardown.step(guard::close);
    }
    if (backend instanceof UpstreamResource upstream) {
      upstream.freeAll(teardown);
      teardown.step(upstream::close);
    }
    teardown.step(() -> budget.leaveDevice(share));
    teardown.finish();
  }

  private static void report(GuardReport found) {
    LogTopic.GUARDS.error(found.fact(), found.allocation().allocatedAt());
  }
}
