package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;

/**
 * Counts and limits the instructions that all threads of one launch run together. Confined to the
 * thread that runs the launch.
 */
public final class LaunchBudget {
  /**
   * A launch within this number takes some hundredths of a second, and an interruption does not end
   * it: interrupted threads still complete short work.
   */
  static final long UNINTERRUPTED = 1L << 22;

  /** Clearing this many bytes takes about as long as an instruction. */
  private static final int BYTES_PER_INSTRUCTION = 64;

  private final long limit;
  private long spent;
  private long work;

  public LaunchBudget(long limit) {
    this.limit = limit;
  }

  /** Records the start of a block, which clears its shared memory. */
  void clear(int sharedBytes) {
    work += sharedBytes / BYTES_PER_INSTRUCTION;
  }

  /**
   * Records the instructions that a lane has run.
   *
   * @throws PtxFault if the budget is exceeded, or if the thread that runs the launch is
   *     interrupted; it stays interrupted
   */
  void spend(Lane lane, long instructions) {
    spent += instructions;
    work += instructions;
    if (spent > limit) {
      throw lane.fault(
          Reason.INSTRUCTION_LIMIT,
          "still runs after "
              + limit
              + " instructions of the launch, the budget of all its threads",
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
