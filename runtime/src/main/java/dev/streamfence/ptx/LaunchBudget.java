package dev.streamfence.ptx;

import dev.streamfence.ptx.PtxFault.Reason;

/**
 * How many instructions the threads of one launch run together, and when that is too much. Confined
 * to the thread that runs the launch.
 */
final class LaunchBudget {
  /**
   * A launch within this is over in some hundredths of a second, and is not cut short: a thread
   * that is interrupted goes on with what takes no time.
   */
  static final long UNINTERRUPTED = 1L << 22;

  /** Clearing this many bytes takes about as long as an instruction. */
  private static final int BYTES_PER_INSTRUCTION = 64;

  private final long limit;
  private long spent;
  private long work;

  LaunchBudget(long limit) {
    this.limit = limit;
  }

  /** Notes that a block starts, which clears its shared memory. */
  void clear(int sharedBytes) {
    work += sharedBytes / BYTES_PER_INSTRUCTION;
  }

  /**
   * Notes what a lane has run.
   *
   * @throws PtxFault if that is beyond the budget, or if the thread that runs the launch is
   *     interrupted, which it stays
   */
  void spend(Lane lane, long instructions) {
    spent += instructions;
    work += instructions;
    if (spent > limit) {
      throw lane.fault(
          Reason.INSTRUCTION_LIMIT,
          "goes on when the launch has run " + limit + " instructions, the budget of all threads",
          0);
    }
    if (work > UNINTERRUPTED && Thread.currentThread().isInterrupted()) {
      throw lane.fault(
          Reason.INTERRUPTED,
          "was ended, because the Java thread '"
              + Thread.currentThread().getName()
              + "', which runs the launch, was interrupted",
          0);
    }
  }
}
