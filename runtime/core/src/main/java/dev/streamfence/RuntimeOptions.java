// Long because its options are documented here.
package dev.streamfence;

import dev.streamfence.memory.AllocationLog;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.trace.Trace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The options of a runtime. Immutable. */
public final class RuntimeOptions {
  /** The system property whose value is the default of {@link #orderingVisibleToTools()}. */
  public static final String ORDERING_VISIBLE_TO_TOOLS = "streamfence.orderingVisibleToTools";

  /** The limit in statistics if only the device limits memory. */
  public static final long NO_BUDGET = Long.MAX_VALUE;

  /** The rest is for the context, the driver's own needs and other libraries. */
  private static final double DEFAULT_SHARE = 0.8;

  /**
   * Room for a few arrays of a million rows; the default number of streams then fits a small
   * device.
   */
  private static final long DEFAULT_PLANNED_BYTES = 256L << 20;

  private static final RuntimeOptions DEFAULTS = new RuntimeOptions(new Values());

  /** The options and their defaults. Not changed once they belong to a {@link RuntimeOptions}. */
  private static final class Values implements Cloneable {
    private int streams = 16;
    private boolean traceAllocations = false;
    private MemoryBudget memoryBudget = MemoryBudget.ofDevice(DEFAULT_SHARE);
    private AllocationLog allocationLog = AllocationLog.none();
    private boolean guardMemory = false;
    private boolean directMemory = false;
    private Optional<Boolean> cachingPool = Optional.empty();
    private UnaryOperator<MemoryResource> memoryResource = UnaryOperator.identity();
    private boolean synchronousLaunches = false;
    private long poolReleaseThresholdInBytes = Long.MAX_VALUE;
    private boolean uncheckedBinaries = false;
    private List<Path> kernelFolders = List.of();
    private Duration abandonedLaunchTimeout = Duration.ofSeconds(10);
    private long downloadMemoryInBytes = 256L << 20;
    private long spillMemoryInBytes = 1L << 30;
    private Optional<Path> spillFolder = Optional.empty();
    private int stagingThreads = Math.min(8, Runtime.getRuntime().availableProcessors());
    private boolean boundsChecks = true;
    private long plannedBytesPerStream = DEFAULT_PLANNED_BYTES;
    private @Nullable Trace trace = null;
    private boolean deviceTimes = false;
    private @Nullable Duration watchdogLimit = null;
    private boolean orderingVisibleToTools = Boolean.getBoolean(ORDERING_VISIBLE_TO_TOOLS);

    Values copy() {
      try {
        return (Values) clone();
      } catch (CloneNotSupportedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private final Values values;

  private RuntimeOptions(Values values) {
    this.values = values;
  }

  /**
   * 16 streams, a budget of 80 % of the device's memory, and memory from a caching pool, which
   * keeps what is freed; no tracing, log, guard or folders; up to 8 staging threads. The system
   * property {@value #ORDERING_VISIBLE_TO_TOOLS}, read once, decides on {@link
   * #orderingVisibleToTools()}: without it, off.
   */
  public static RuntimeOptions defaults() {
    return DEFAULTS;
  }

  /** How many streams may be acquired at the same time, at least 1. */
  public int streams() {
    return values.streams;
  }

  /**
   * Whether arrays remember where they were allocated and closed, for errors and leak reports; each
   * takes a stack trace.
   */
  public boolean traceAllocations() {
    return values.traceAllocations;
  }

  /** Device memory that arrays may take at the same time. */
  public MemoryBudget memoryBudget() {
    return values.memoryBudget;
  }

  /** Records each allocation, free and reap. */
  public AllocationLog allocationLog() {
    return values.allocationLog;
  }

  /**
   * Whether to detect writes outside arrays and after their close, and to refuse reads of arrays
   * that nothing has written; closing an array then waits for its uses, and each array takes 1 KiB
   * more.
   */
  public boolean guardMemory() {
    return values.guardMemory;
  }

  /**
   * Whether each array is a separate allocation of the driver instead of a piece of a pool, which
   * makes it visible to memory checkers; closing an array then waits for its uses.
   */
  public boolean directMemory() {
    return values.directMemory;
  }

  /**
   * Whether a caching pool lies in front of the driver. Empty if the device decides: a GPU has a
   * pool, unless memory is {@linkplain #directMemory direct} or the {@linkplain
   * #orderingVisibleToTools order visible}, since tools do not see what a pool hands out; the
   * simulated device has none, so that it checks each array as an allocation of its own.
   */
  public Optional<Boolean> cachingPool() {
    return values.cachingPool;
  }

  /** Makes the resource that provides device memory from the driver's resource. */
  public UnaryOperator<MemoryResource> memoryResource() {
    return values.memoryResource;
  }

  /**
   * Whether each launch waits for its kernel, so that the launch that causes a fault throws it. For
   * debugging: launches then do not overlap.
   */
  public boolean synchronousLaunches() {
    return values.synchronousLaunches;
  }

  /**
   * Freed memory that the caching pool, or without one the driver's pool, keeps for later
   * allocations. The driver's pool belongs to the device and keeps nothing by itself. Once a
   * runtime of the process has let it keep something, the last one opened decides: a runtime with a
   * caching pool makes it keep nothing. What other libraries let it keep stays before that.
   */
  public long poolReleaseThresholdInBytes() {
    return values.poolReleaseThresholdInBytes;
  }

  /**
   * Whether a binary is loaded for an interface that was compiled with another file. The accesses
   * of its kernels are then not checked against the interface.
   */
  public boolean uncheckedBinaries() {
    return values.uncheckedBinaries;
  }

  /** Folders searched for kernel modules before the class path, in this order. */
  public List<Path> kernelFolders() {
    return values.kernelFolders;
  }

  /**
   * How long closing the runtime waits for a launch that another thread has begun and not closed,
   * while that thread does something else, and for a callback to the owner of adopted memory that
   * another thread has begun. If the thread has ended, closing does not wait.
   */
  public Duration abandonedLaunchTimeout() {
    return values.abandonedLaunchTimeout;
  }

  /**
   * How much page-locked memory downloads that are begun may hold, 256 MiB by default; see {@link
   * #withDownloadMemoryInBytes}.
   */
  public long downloadMemoryInBytes() {
    return values.downloadMemoryInBytes;
  }

  /**
   * How much page-locked memory arrays may have that have left the device, 1 GiB by default; see
   * {@link #withSpillMemoryInBytes}.
   */
  public long spillMemoryInBytes() {
    return values.spillMemoryInBytes;
  }

  /**
   * The folder for files of arrays that have left the device; empty by default: none goes to disk.
   */
  public Optional<Path> spillFolder() {
    return values.spillFolder;
  }

  /**
   * How many threads copy a large Java array or buffer to or from page-locked memory for a
   * transfer, the calling thread included, at least 1. The other threads are daemons, which all
   * runtimes of the process share; there is at most one for each processor.
   */
  public int stagingThreads() {
    return values.stagingThreads;
  }

  /**
   * Whether a launch is refused if its kernel certainly touches an element that an array does not
   * have, as far as the kernel's PTX shows that before the launch.
   */
  public boolean boundsChecks() {
    return values.boundsChecks;
  }

  /**
   * Device memory to plan with for each stream, at least 1; advisory, see {@link
   * DeviceStreams#plannedBytes}.
   */
  public long plannedBytesPerStream() {
    return values.plannedBytesPerStream;
  }

  /** Keeps the work that is put on the streams; empty if nothing keeps it. */
  public Optional<Trace> trace() {
    return Optional.ofNullable(values.trace);
  }

  /** Whether the device's time for each launch and transfer is measured. */
  public boolean deviceTimes() {
    return values.deviceTimes || values.watchdogLimit != null;
  }

  /** How long one piece of work may run before it is reported; empty for any time. */
  public Optional<Duration> watchdogLimit() {
    return Optional.ofNullable(values.watchdogLimit);
  }

  /**
   * Whether a stream also waits for work that the host has seen finish. For tools that follow the
   * order of streams; costs a few more driver calls.
   */
  public boolean orderingVisibleToTools() {
    return values.orderingVisibleToTools;
  }

  /**
   * The same with another number of streams.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public RuntimeOptions withStreams(int streams) {
    if (streams < 1) {
      throw new IllegalArgumentException(streams + " streams; a runtime has at least 1");
    }
    return with(values -> values.streams = streams);
  }

  /** The same with tracing on or off. */
  public RuntimeOptions withTraceAllocations(boolean traceAllocations) {
    return with(values -> values.traceAllocations = traceAllocations);
  }

  /** The same with another limit on device memory. */
  public RuntimeOptions withMemoryBudget(MemoryBudget memoryBudget) {
    return with(
        values -> values.memoryBudget = Objects.requireNonNull(memoryBudget, "memoryBudget"));
  }

  /** The same with another log of allocations, which the caller closes after the runtime. */
  public RuntimeOptions withAllocationLog(AllocationLog allocationLog) {
    return with(
        values -> values.allocationLog = Objects.requireNonNull(allocationLog, "allocationLog"));
  }

  /** The same with guarded memory on or off. */
  public RuntimeOptions withGuardMemory(boolean guardMemory) {
    return with(values -> values.guardMemory = guardMemory);
  }

  /** The same with direct memory on or off. */
  public RuntimeOptions withDirectMemory(boolean directMemory) {
    return with(values -> values.directMemory = directMemory);
  }

  /**
   * The same with a caching pool in front of the driver on or off, whatever the device. The pool
   * keeps the memory of closed arrays, up to {@link #poolReleaseThresholdInBytes}: a stream gets
   * back what it has returned itself without a driver call, and what another stream has returned
   * after one wait on the device. Its figures are in {@link DeviceMemory#pool}.
   */
  public RuntimeOptions withCachingPool(boolean cachingPool) {
    return with(values -> values.cachingPool = Optional.of(cachingPool));
  }

  /**
   * The same with device memory from another resource, see {@link MemoryResource}. Budgets, logs
   * and guards work in front of it.
   *
   * @param resource called once by each runtime that opens, with the resource that it would have
   *     without this one: the caching pool, the driver's stream-ordered pool, or with {@link
   *     #directMemory} the driver without a pool
   */
  public RuntimeOptions withMemoryResource(UnaryOperator<MemoryResource> resource) {
    Objects.requireNonNull(resource, "resource");
    return with(values -> values.memoryResource = resource);
  }

  /** The same with synchronous launches on or off. */
  public RuntimeOptions withSynchronousLaunches(boolean synchronousLaunches) {
    return with(values -> values.synchronousLaunches = synchronousLaunches);
  }

  /**
   * The same with checks of bounds on or off. If off, only the simulated device notices an access
   * outside an array.
   */
  public RuntimeOptions withBoundsChecks(boolean boundsChecks) {
    return with(values -> values.boundsChecks = boundsChecks);
  }

  /**
   * The same with another amount of freed memory that the pool keeps.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public RuntimeOptions withPoolReleaseThresholdInBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          "a pool that keeps " + bytes + " bytes; it keeps at least 0");
    }
    return with(values -> values.poolReleaseThresholdInBytes = bytes);
  }

  /**
   * The same with folders searched for kernel modules before the class path. Any user who can write
   * to them decides what runs on the device. A file there that cannot be read or loaded, or does
   * not fit its interface, is a {@link KernelLoadException}; the module on the class path is not
   * loaded instead.
   */
  public RuntimeOptions withKernelFolders(Path... folders) {
    Objects.requireNonNull(folders, "folders");
    return with(values -> values.kernelFolders = List.of(folders));
  }

  /** The same with unchecked binaries allowed or refused. */
  public RuntimeOptions withUncheckedBinaries(boolean uncheckedBinaries) {
    return with(values -> values.uncheckedBinaries = uncheckedBinaries);
  }

  /**
   * The same with another limit on how long closing waits for a launch that another thread has left
   * open.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public RuntimeOptions withAbandonedLaunchTimeout(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (timeout.isNegative()) {
      throw new IllegalArgumentException(
          "a timeout of " + timeout + " for abandoned launches; it is at least 0");
    }
    return with(values -> values.abandonedLaunchTimeout = timeout);
  }

  /**
   * The same with another limit of the page-locked memory that downloads hold which are begun and
   * not asked for. Beyond it, {@code downloadLater} first waits for the oldest ones, and moves
   * their elements to the Java arrays that their values will be. Downloads to an array or a buffer
   * of the caller's keep their memory until they are asked for, also beyond the limit.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public RuntimeOptions withDownloadMemoryInBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          bytes + " bytes of memory for downloads; the limit is at least 0");
    }
    return with(values -> values.downloadMemoryInBytes = bytes);
  }

  /**
   * The same with another limit of the page-locked memory that spillable arrays have when they have
   * left the device. What exceeds it goes to a file, if there is a {@linkplain #withSpillFolder
   * folder}, and otherwise stays on the device.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public RuntimeOptions withSpillMemoryInBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(
          bytes + " bytes of memory for spilled arrays; the limit is at least 0");
    }
    return with(values -> values.spillMemoryInBytes = bytes);
  }

  /**
   * The same with a folder for the files of spillable arrays that have left the device and for
   * which there is no host memory. Only the user of this process can read them. Each is deleted
   * when its array comes back or is closed, when the runtime is closed, or when the process ends.
   */
  public RuntimeOptions withSpillFolder(Path folder) {
    Objects.requireNonNull(folder, "folder");
    return with(values -> values.spillFolder = Optional.of(folder));
  }

  /**
   * The same with another number of threads that copy for a transfer of pageable memory.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public RuntimeOptions withStagingThreads(int stagingThreads) {
    if (stagingThreads < 1) {
      throw new IllegalArgumentException(
          stagingThreads + " staging threads; a transfer has at least 1");
    }
    return with(values -> values.stagingThreads = stagingThreads);
  }

  /**
   * The same with another figure for the device memory to plan with for each stream.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public RuntimeOptions withPlannedBytesPerStream(long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(
          "a plan of " + bytes + " bytes per stream; it is of at least 1");
    }
    return with(values -> values.plannedBytesPerStream = bytes);
  }

  /**
   * The same with a trace of all work, see {@link DeviceRuntime#trace}. Several runtimes may have
   * one trace. A launch then takes some microseconds more, and a few hundred bytes of the Java
   * heap.
   */
  public RuntimeOptions withTrace(Trace trace) {
    return with(values -> values.trace = Objects.requireNonNull(trace, "trace"));
  }

  /**
   * The same with or without measured times: how long the device takes for each launch, copy, fill
   * and call of other code, for the {@linkplain #withTrace trace}, for the event {@code
   * dev.streamfence.DeviceTime} of JDK Flight Recorder, and summed up in {@link
   * DeviceRuntime#kernelTimes}. If on, each piece of work takes two more events, which is two
   * driver calls more before it is done and up to four after that, and opening the runtime waits
   * for the device once. Work is not measured while 1,024 others of its stream are not done.
   */
  public RuntimeOptions withDeviceTimes(boolean deviceTimes) {
    return with(values -> values.deviceTimes = deviceTimes);
  }

  /**
   * The same with a watchdog: a thread that looks for kernels and copies that the device works on
   * for longer than a limit, and reports each once, by name, through the logger {@code
   * dev.streamfence.watchdog} and {@link DeviceRuntime#health}. Nothing is ended: the driver cannot
   * end a kernel. The watchdog needs the measurements of {@link #withDeviceTimes}, and turns them
   * on; what is not measured is not watched.
   *
   * @throws IllegalArgumentException if the limit is not positive
   */
  public RuntimeOptions withWatchdog(Duration limit) {
    Objects.requireNonNull(limit, "limit");
    if (limit.isZero() || limit.isNegative()) {
      throw new IllegalArgumentException(
          "a watchdog with a limit of " + limit + "; it is positive");
    }
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);
    return with(values -> values.watchdogLimit = limit.compareTo(longest) > 0 ? longest : limit);
  }

  /**
   * The same with or without an order that tools can follow. If on, the runtime also queues waits
   * between streams for work that the host has seen finish, or has waited for: the driver calls
   * alone then show the whole order. A race checker that follows streams and events, such as {@code
   * compute-sanitizer --track-stream-ordered-races all}, needs this.
   */
  public RuntimeOptions withOrderingVisibleToTools(boolean orderingVisibleToTools) {
    return with(values -> values.orderingVisibleToTools = orderingVisibleToTools);
  }

  private RuntimeOptions with(Consumer<Values> change) {
    Values changed = values.copy();
    change.accept(changed);
    return new RuntimeOptions(changed);
  }
}
