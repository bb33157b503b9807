package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts and limits the instructions that all threads of one launch run together. Confined to the
 * thread that runs the launch.
 */
public final class LaunchBudget {
  /**
   * An interrupt ends a launch once one of its threads has run this many instructions, for about a
   * hundredth of a second. It loses the device for all threads, so that short launches run to their
   * end.
   */
  static final long UNINTERRUPTED = 1L << 20;

  /** Or once all of its threads together have run this many, for some ten seconds. */
  private static final long UNINTERRUPTED_IN_ALL = 1L << 30;

  /** Clearing this many bytes takes about as long as an instruction. */
  private static final int BYTES_PER_INSTRUCTION = 64;

  private final long limit;
  private final Supplier<@Nullable Thread> interrupted;
  private long spent;
  private long work;

  /**
   * Creates the budget of one launch.
   *
   * @param interrupted returns a thread that waits for the launch and was interrupted, or null
   */
  public LaunchBudget(long limit, Supplier<@Nullable Thread> interrupted) {
    this.limit = limit;
    this.interrupted = interrupted;
  }

  /** How many instructions its threads have run. */
  public long spent() {
    return spent;
  }

  /** Records the start of a block, which clears its shared memory. */
  void clear(int sharedBytes) {
    work += sharedBytes / BYTES_PER_INSTRUCTION;
  }

  /**
   * Records the instructions that a lane has run.
   *
   * @throws PtxFault if the budget is exceeded, or if the thread that runs the launch or one that
   *     waits for it is interrupted; it stays interrupted
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
    if (lane.executed() > UNINTERRUPTED || work > UNINTERRUPTED_IN_ALL) {
      if (Thread.currentThread().isInterrupted()) {
        throw ended(lane, Thread.currentThread(), "runs");
      }
      Thread waits = interrupted.get();
      if (waits != null) {
        throw ended(lane, waits, "waits for");
      }
    }
  }

  private static PtxFault ended(Lane lane, Thread thread, String role) {
    return lane.fault(
        Reason.INTERRUPTED,
        "was ended, because the Java thread '"
            + thread.getName()
            + "', which "
            + role
            + " the launch, was interrupted",
        0);
  }
}
