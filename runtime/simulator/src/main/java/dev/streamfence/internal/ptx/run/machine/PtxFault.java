package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.syntax.Instruction;
import org.jspecify.annotations.Nullable;

/** A fault of a simulated thread; its launch has stopped there. */
public final class PtxFault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kind of a fault. */
  public enum Reason {
    /** The global memory refused an access; the cause says why. */
    GLOBAL_ACCESS,
    /** An address is not a multiple of the size of its access. */
    MISALIGNED,
    /** An access outside the block's shared memory. */
    SHARED_ACCESS,
    /** An access outside the thread's local memory or its parameters. */
    LOCAL_ACCESS,
    /** An access outside the module's constants, or a store to them. */
    CONSTANT_ACCESS,
    /** A trap, a breakpoint, or an indirect branch or call to nowhere. */
    TRAP,
    /** A device-side assertion failed. */
    ASSERT,
    /** Threads wait for each other and would deadlock. */
    BARRIER_DIVERGENCE,
    /** The threads of the launch together exceeded its instruction limit. */
    INSTRUCTION_LIMIT,
    /** The Java thread that ran the launch was interrupted. */
    INTERRUPTED,
    /** Calls are nested too deeply. */
    CALL_DEPTH
  }

  private final Reason reason;
  private final String entry;
  private final int[] block;
  private final int[] thread;
  private final String fact;
  private final int line;
  private final transient @Nullable Instruction instruction;
  private final long address;

  PtxFault(Reason reason, String fact, Lane lane, long address, @Nullable Throwable cause) {
    super(message(fact, lane, address), cause);
    this.reason = reason;
    this.entry = lane.block.entryName();
    this.block = new int[] {lane.block.x, lane.block.y, lane.block.z};
    this.thread = new int[] {lane.x, lane.y, lane.z};
    this.fact = fact;
    this.line = lane.line();
    this.instruction = lane.instruction();
    this.address = address;
  }

  private static String message(String fact, Lane lane, long address) {
    String where =
        String.format(
            "%s: thread (%d,%d,%d) of block (%d,%d,%d) %s, in line %d of the PTX",
            lane.block.entryName(),
            lane.x,
            lane.y,
            lane.z,
            lane.block.x,
            lane.block.y,
            lane.block.z,
            fact,
            lane.line());
    return address == 0 ? where : where + ", at address 0x" + Long.toHexString(address);
  }

  /**
   * Returns the kind of the fault.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }

  /**
   * Returns which kernel was running.
   *
   * @return the entry's name
   */
  public String entry() {
    return entry;
  }

  /**
   * Returns the x index of the thread's block.
   *
   * @return from 0
   */
  public int blockX() {
    return block[0];
  }

  /**
   * Returns the y index of the thread's block.
   *
   * @return from 0
   */
  public int blockY() {
    return block[1];
  }

  /**
   * Returns the z index of the thread's block.
   *
   * @return from 0
   */
  public int blockZ() {
    return block[2];
  }

  /**
   * Returns the thread's x index in its block.
   *
   * @return from 0
   */
  public int threadX() {
    return thread[0];
  }

  /**
   * Returns the thread's y index in its block.
   *
   * @return from 0
   */
  public int threadY() {
    return thread[1];
  }

  /**
   * Returns the thread's z index in its block.
   *
   * @return from 0
   */
  public int threadZ() {
    return thread[2];
  }

  /**
   * Returns where the thread was.
   *
   * @return the line in the PTX text, counted from 1
   */
  public int line() {
    return line;
  }

  /** Returns what the thread did, as a clause without a subject. */
  public String fact() {
    return fact;
  }

  /**
   * Returns the instruction that the thread was at; null at the start and the end of a function.
   */
  public @Nullable Instruction instruction() {
    return instruction;
  }

  /**
   * Returns the address of the access.
   *
   * @return the address in the instruction, relative to its state space; 0 if the fault has no
   *     address
   */
  public long address() {
    return address;
  }
}
