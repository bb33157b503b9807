package dev.streamfence;

/**
 * How a runtime is opened. Immutable.
 *
 * @param streams how many streams may be acquired at the same time, at least 1
 * @param traceAllocations whether arrays remember where they were allocated and closed, for errors
 *     and leak reports; a stack trace each
 * @param memoryBudgetInBytes device memory that arrays may take at the same time, freed ones
 *     included that the device may still use; {@link #NO_BUDGET} for what the device has
 * @param allocationLog is told of each allocation, free and reap
 * @param guardMemory whether writes outside of arrays and after their close are looked for; closing
 *     an array then waits for its uses, and each takes 1 KiB more
 * @param directMemory whether each array is an allocation of the driver of its own instead of a
 *     piece of its stream-ordered pool, so that memory checkers see it; closing an array then waits
 *     for its uses
 * @param synchronousLaunches whether each launch waits for its kernel, so that a fault is thrown by
 *     the very launch that caused it; for looking for that, since nothing overlaps any more
 */
public record RuntimeOptions(
    int streams,
    boolean traceAllocations,
    long memoryBudgetInBytes,
    AllocationLog allocationLog,
    boolean guardMemory,
    boolean directMemory,
    boolean synchronousLaunches) {
  /** Nothing limits memory but the device. Reservations need a budget. */
  public static final long NO_BUDGET = Long.MAX_VALUE;

  /** Checks the number of streams and the budget. */
  public RuntimeOptions {
    if (streams < 1) {
      throw new IllegalArgumentException(streams + " streams; a runtime has at least 1");
    }
    if (memoryBudgetInBytes < 0) {
      throw new IllegalArgumentException(
          "a memory budget of " + memoryBudgetInBytes + " bytes; it is at least 0");
    }
  }

  /** 16 streams and memory from the stream-ordered pool; no tracing, budget, log or guard. */
  public static RuntimeOptions defaults() {
    return new RuntimeOptions(16, false, NO_BUDGET, AllocationLog.none(), false, false, false);
  }

  /** The same with another number of streams. */
  public RuntimeOptions withStreams(int streams) {
    return new RuntimeOptions(
        streams,
        traceAllocations,
        memoryBudgetInBytes,
        allocationLog,
        guardMemory,
        directMemory,
        synchronousLaunches);
  }

  /** The same with tracing on or off. */
  public RuntimeOptions withTraceAllocations(boolean traceAllocations) {
    return new RuntimeOptions(
        streams,
        traceAllocations,
        memoryBudgetInBytes,
        allocationLog,
        guardMemory,
        directMemory,
        synchronousLaunches);
  }

  /** The same with another limit on device memory. */
  public RuntimeOptions withMemoryBudgetInBytes(long memoryBudgetInBytes) {
    return new RuntimeOptions(
        streams,
        traceAllocations,
        memoryBudgetInBytes,
        allocationLog,
        guardMemory,
        directMemory,
        synchronousLaunches);
  }

  /** The same with another log of allocations, which the caller closes after the runtime. */
  public RuntimeOptions withAllocationLog(AllocationLog allocationLog) {
    return new RuntimeOptions(
        streams,
        traceAllocations,
        memoryBudgetInBytes,
        allocationLog,
        guardMemory,
        directMemory,
        synchronousLaunches);
  }

  /** The same with guarded memory on or off. */
  public RuntimeOptions withGuardMemory(boolean guardMemory) {
    return new RuntimeOptions(
        streams,
        traceAllocations,
        memoryBudgetInBytes,
        allocationLog,
        guardMemory,
        directMemory,
        synchronousLaunches);
  }

  /** The same with direct memory on or off. */
  public RuntimeOptions withDirectMemory(boolean directMemory) {
    return new RuntimeOptions(
        streams,
        traceAllocations,
        memoryBudgetInBytes,
        allocationLog,
        guardMemory,
        directMemory,
        synchronousLaunches);
  }

  /** The same with launches that wait for their kernel, or not. */
  public RuntimeOptions withSynchronousLaunches(boolean synchronousLaunches) {
    return new RuntimeOptions(
        streams,
        traceAllocations,
        memoryBudgetInBytes,
        allocationLog,
        guardMemory,
        directMemory,
        synchronousLaunches);
  }
}
