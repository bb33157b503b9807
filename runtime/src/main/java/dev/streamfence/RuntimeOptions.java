package dev.streamfence;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The options of a runtime. Immutable.
 *
 * @param streams how many streams may be acquired at the same time, at least 1
 * @param traceAllocations whether arrays remember where they were allocated and closed, for errors
 *     and leak reports; each takes a stack trace
 * @param memoryBudget device memory that arrays may take at the same time
 * @param allocationLog records each allocation, free and reap
 * @param guardMemory whether to detect writes outside arrays and after their close, and to refuse
 *     reads of arrays that nothing has written; closing an array then waits for its uses, and each
 *     array takes 1 KiB more
 * @param directMemory whether each array is a separate allocation of the driver instead of a piece
 *     of its stream-ordered pool, which makes it visible to memory checkers; closing an array then
 *     waits for its uses
 * @param synchronousLaunches whether each launch waits for its kernel, so the launch that causes a
 *     fault throws it; for debugging, since nothing overlaps then
 * @param poolReleaseThresholdInBytes freed memory that the driver's pool keeps for later
 *     allocations instead of giving it back to the operating system at each synchronisation. The
 *     pool belongs to the device, so the last runtime opened in a process decides
 * @param uncheckedBinaries whether a binary is loaded for an interface that was compiled with
 *     another file; nothing then checks that its kernels do what the interface declares
 * @param kernelFolders folders searched for kernel modules before the class path, in this order
 * @param abandonedLaunchTimeout how long closing the runtime waits for a launch that another thread
 *     has begun and not closed, while that thread does something else, and for the owner of adopted
 *     memory whom another thread is calling back; if the thread has ended, closing does not wait
 * @param stagingThreads how many threads copy a large Java array or buffer to or from page-locked
 *     memory for a transfer, the calling thread included, at least 1. The helping threads are
 *     daemons, shared by all runtimes of the process, and at most one for each processor
 * @param boundsChecks whether a launch is refused if its kernel certainly touches an element that
 *     an array does not have, as far as the kernel's PTX shows that before the launch
 * @param plannedBytesPerStream device memory to plan with for each stream, at least 1; advisory,
 *     see {@link DeviceStreams#plannedBytes}
 * @param orderingVisibleToTools whether a stream also waits for work that the host has seen finish;
 *     for tools that follow the order of streams, which costs a few driver calls more
 */
public record RuntimeOptions(
    int streams,
    boolean traceAllocations,
    MemoryBudget memoryBudget,
    AllocationLog allocationLog,
    boolean guardMemory,
    boolean directMemory,
    boolean synchronousLaunches,
    long poolReleaseThresholdInBytes,
    boolean uncheckedBinaries,
    List<Path> kernelFolders,
    Duration abandonedLaunchTimeout,
    int stagingThreads,
    boolean boundsChecks,
    long plannedBytesPerStream,
    boolean orderingVisibleToTools) {
  /** The system property whose value is the default of {@link #orderingVisibleToTools()}. */
  public static final String ORDERING_VISIBLE_TO_TOOLS = "streamfence.orderingVisibleToTools";

  /** The limit in statistics if only the device limits memory. */
  public static final long NO_BUDGET = Long.MAX_VALUE;

  /** The rest is for the context, the driver's own needs and other libraries. */
  private static final double DEFAULT_SHARE = 0.8;

  /** Room for a few arrays of a million rows; so many streams fit a small device. */
  private static final long DEFAULT_PLANNED_BYTES = 256L << 20;

  private static final RuntimeOptions DEFAULTS =
      new RuntimeOptions(
          16,
          false,
          MemoryBudget.ofDevice(DEFAULT_SHARE),
          AllocationLog.none(),
          false,
          false,
          false,
          Long.MAX_VALUE,
          false,
          List.of(),
          Duration.ofSeconds(10),
          Math.min(4, Runtime.getRuntime().availableProcessors()),
          true,
          DEFAULT_PLANNED_BYTES,
          Boolean.getBoolean(ORDERING_VISIBLE_TO_TOOLS));

  /**
   * Checks the numbers, and that nothing is null.
   *
   * @throws IllegalArgumentException if {@code streams}, {@code stagingThreads} or {@code
   *     plannedBytesPerStream} is less than 1, or the threshold or the timeout is negative
   * @throws NullPointerException if the budget, the log, the folders or the timeout is null
   */
  public RuntimeOptions {
    Objects.requireNonNull(memoryBudget, "memoryBudget");
    Objects.requireNonNull(allocationLog, "allocationLog");
    Objects.requireNonNull(abandonedLaunchTimeout, "abandonedLaunchTimeout");
    if (abandonedLaunchTimeout.isNegative()) {
      throw new IllegalArgumentException(
          "a timeout of " + abandonedLaunchTimeout + " for abandoned launches; it is at least 0");
    }
    if (streams < 1) {
      throw new IllegalArgumentException(streams + " streams; a runtime has at least 1");
    }
    if (stagingThreads < 1) {
      throw new IllegalArgumentException(
          stagingThreads + " staging threads; a transfer has at least 1");
    }
    if (poolReleaseThresholdInBytes < 0) {
      throw new IllegalArgumentException(
          "a pool that keeps " + poolReleaseThresholdInBytes + " bytes; it keeps at least 0");
    }
    if (plannedBytesPerStream < 1) {
      throw new IllegalArgumentException(
          "a plan of " + plannedBytesPerStream + " bytes per stream; it is of at least 1");
    }
    kernelFolders = List.copyOf(kernelFolders);
  }

  /**
   * 16 streams, a budget of 80 % of the device's memory, and memory from the stream-ordered pool,
   * which keeps what is freed; no tracing, log, guard or folders; up to 4 staging threads. The
   * system property {@value #ORDERING_VISIBLE_TO_TOOLS}, read once, decides on {@link
   * #orderingVisibleToTools()}: without it, off.
   */
  public static RuntimeOptions defaults() {
    return DEFAULTS;
  }

  /**
   * The same with another number of streams.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public RuntimeOptions withStreams(int streams) {
    return with(draft -> draft.streams = streams);
  }

  /** The same with tracing on or off. */
  public RuntimeOptions withTraceAllocations(boolean traceAllocations) {
    return with(draft -> draft.traceAllocations = traceAllocations);
  }

  /** The same with another limit on device memory. */
  public RuntimeOptions withMemoryBudget(MemoryBudget memoryBudget) {
    return with(draft -> draft.memoryBudget = memoryBudget);
  }

  /** The same with another log of allocations, which the caller closes after the runtime. */
  public RuntimeOptions withAllocationLog(AllocationLog allocationLog) {
    return with(draft -> draft.allocationLog = allocationLog);
  }

  /** The same with guarded memory on or off. */
  public RuntimeOptions withGuardMemory(boolean guardMemory) {
    return with(draft -> draft.guardMemory = guardMemory);
  }

  /** The same with direct memory on or off. */
  public RuntimeOptions withDirectMemory(boolean directMemory) {
    return with(draft -> draft.directMemory = directMemory);
  }

  /** The same with synchronous launches on or off. */
  public RuntimeOptions withSynchronousLaunches(boolean synchronousLaunches) {
    return with(draft -> draft.synchronousLaunches = synchronousLaunches);
  }

  /**
   * The same with checks of bounds on or off. Off, only the simulated device notices an access
   * outside an array.
   */
  public RuntimeOptions withBoundsChecks(boolean boundsChecks) {
    return with(draft -> draft.boundsChecks = boundsChecks);
  }

  /**
   * The same with another amount of freed memory that the driver's pool keeps.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public RuntimeOptions withPoolReleaseThresholdInBytes(long bytes) {
    return with(draft -> draft.poolReleaseThresholdInBytes = bytes);
  }

  /**
   * The same with folders searched for kernel modules before the class path. Any user who can write
   * to them decides what runs on the device. A file there that cannot be read or loaded, or does
   * not fit its interface, is a {@link KernelLoadException}; the module behind it is not loaded
   * instead.
   */
  public RuntimeOptions withKernelFolders(Path... folders) {
    return with(draft -> draft.kernelFolders = List.of(folders));
  }

  /** The same with unchecked binaries allowed or refused. */
  public RuntimeOptions withUncheckedBinaries(boolean uncheckedBinaries) {
    return with(draft -> draft.uncheckedBinaries = uncheckedBinaries);
  }

  /**
   * The same with another limit on how long closing waits for a launch that another thread has left
   * open.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public RuntimeOptions withAbandonedLaunchTimeout(Duration timeout) {
    return with(draft -> draft.abandonedLaunchTimeout = timeout);
  }

  /**
   * The same with another number of threads that copy for a transfer of pageable memory.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public RuntimeOptions withStagingThreads(int stagingThreads) {
    return with(draft -> draft.stagingThreads = stagingThreads);
  }

  /**
   * The same with another figure for the device memory to plan with for each stream.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public RuntimeOptions withPlannedBytesPerStream(long bytes) {
    return with(draft -> draft.plannedBytesPerStream = bytes);
  }

  /**
   * The same with or without an order that tools can follow. On, the runtime leaves out no wait
   * between streams because the host has seen the work finish, or has waited for it: the calls of
   * the driver alone then show the whole order. A race checker that follows streams and events,
   * such as {@code compute-sanitizer --track-stream-ordered-races all}, needs this.
   */
  public RuntimeOptions withOrderingVisibleToTools(boolean orderingVisibleToTools) {
    return with(draft -> draft.orderingVisibleToTools = orderingVisibleToTools);
  }

  private RuntimeOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** A mutable copy of the options, for the {@code with} methods. */
  private static final class Draft {
    private int streams;
    private boolean traceAllocations;
    private MemoryBudget memoryBudget;
    private AllocationLog allocationLog;
    private boolean guardMemory;
    private boolean directMemory;
    private boolean synchronousLaunches;
    private long poolReleaseThresholdInBytes;
    private boolean uncheckedBinaries;
    private List<Path> kernelFolders;
    private Duration abandonedLaunchTimeout;
    private int stagingThreads;
    private boolean boundsChecks;
    private long plannedBytesPerStream;
    private boolean orderingVisibleToTools;

    private Draft(RuntimeOptions options) {
      streams = options.streams;
      traceAllocations = options.traceAllocations;
      memoryBudget = options.memoryBudget;
      allocationLog = options.allocationLog;
      guardMemory = options.guardMemory;
      directMemory = options.directMemory;
      synchronousLaunches = options.synchronousLaunches;
      poolReleaseThresholdInBytes = options.poolReleaseThresholdInBytes;
      uncheckedBinaries = options.uncheckedBinaries;
      kernelFolders = options.kernelFolders;
      abandonedLaunchTimeout = options.abandonedLaunchTimeout;
      stagingThreads = options.stagingThreads;
      boundsChecks = options.boundsChecks;
      plannedBytesPerStream = options.plannedBytesPerStream;
      orderingVisibleToTools = options.orderingVisibleToTools;
    }

    private RuntimeOptions options() {
      return new RuntimeOptions(
          streams,
          traceAllocations,
          memoryBudget,
          allocationLog,
          guardMemory,
          directMemory,
          synchronousLaunches,
          poolReleaseThresholdInBytes,
          uncheckedBinaries,
          kernelFolders,
          abandonedLaunchTimeout,
          stagingThreads,
          boundsChecks,
          plannedBytesPerStream,
          orderingVisibleToTools);
    }
  }
}
