package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import dev.streamfence.internal.ptx.run.order.LaunchOrder;
import dev.streamfence.internal.ptx.run.order.ThreadOrder;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Layout;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a block: its position, its registers, and the reason it waits. Steps access the
 * fields directly; they are the only code on the interpreter's hot path.
 */
public final class Lane {
  /** Deeper than 512 KiB of local memory allow with real stack frames. */
  static final int MAX_CALL_DEPTH = 1024;

  private static final int MAX_LOCAL_BYTES = 1 << 20;

  /** How often a lane sees the same again before it gives way for the first time. */
  private static final int FIRST_LOOKS = 2;

  /** The activity of a lane. */
  enum LaneState {
    READY,
    WAITING,
    /** Waits for the rest of its warp to stop as well. */
    CONVERGING,
    EXITED
  }

  public final ThreadBlock block;
  public final Warp warp;
  final int index;
  public final int laneIndex;
  public final int x;
  public final int y;
  public final int z;

  /** The thread's order among the others of its launch; null if that is not wanted. */
  public final @Nullable ThreadOrder order;

  LaneState state = LaneState.READY;
  public long[] registers = {};
  public byte[] params = {};
  byte[] local = {};
  public int localBase;
  int localEnd;
  public int pc;
  Op[] ops = {};

  /** For each step, the number of its access in the order of the launch. */
  private int[] sites = {};

  public long carry;
  long executed;
  int remaining;

  // The place that the lane looks at, what it saw there, and how often until it gives way.
  private long watchedAddress;
  private long watchedValue;
  private int looks;
  private int looksLeft;

  /** The collective in which this lane waits; the fields below hold its input. */
  public @Nullable Collective waitingIn;

  int waitMask;
  public long waitValue;
  public long waitControl;
  public long waitBound;
  int waitRounds;

  /** Receives the result of the barrier at which this lane waits. */
  public BlockBarrier.@Nullable Result barrierResult;

  private @Nullable PendingCopies copies;
  private Frame[] frames = new Frame[4];
  private int depth;

  Lane(ThreadBlock block, Warp warp, int index, PtxGrid grid) {
    this.block = block;
    this.warp = warp;
    this.index = index;
    this.laneIndex = index % Warp.SIZE;
    this.x = index % grid.blockX();
    this.y = index / grid.blockX() % grid.blockY();
    this.z = index / grid.blockX() / grid.blockY();
    this.order = warp.order == null ? null : warp.order.thread(laneIndex);
  }

  /** Puts the lane at the start of an entry. */
  void start(Code entry) {
    state = LaneState.READY;
    waitingIn = null;
    barrierResult = null;
    carry = 0;
    copies = null;
    executed = 0;
    looks = 0;
    depth = 0;
    localEnd = 0;
    push(entry, null);
    System.arraycopy(block.parameters, 0, params, 0, block.parameters.length);
  }

  /** Runs until the lane waits, exits, or has used up its share. */
  void run() {
    long before = executed;
    remaining = ThreadBlock.QUANTUM;
    block.memory.enters(this);
    do {
      ops[pc++].execute(this);
    } while (--remaining > 0 && state == LaneState.READY);
    executed += ThreadBlock.QUANTUM - remaining;
    block.budget.spend(this, executed - before);
  }

  /** Returns how many instructions the lane has run in its turns that have ended. */
  long executed() {
    return executed;
  }

  /** Returns how many instructions the lane has run, for clocks. */
  public long clock() {
    return executed + ThreadBlock.QUANTUM - remaining;
  }

  void call(Code callee, Call by) {
    if (depth == MAX_CALL_DEPTH) {
      throw fault(Reason.CALL_DEPTH, "nests calls deeper than " + MAX_CALL_DEPTH, 0);
    }
    Frame caller = frames[depth - 1];
    caller.pc = pc;
    push(callee, by);
    by.passArguments(caller, frames[depth - 1]);
  }

  /** Leaves the current function, or ends the thread if it is the entry. */
  public void leave() {
    if (depth == 1) {
      exit();
      return;
    }
    Frame callee = frames[depth - 1];
    Frame caller = frames[depth - 2];
    depth--;
    localEnd = callee.localBase;
    resume(caller);
    if (callee.call != null) {
      callee.call.takeResults(callee, caller);
    }
  }

  public void exit() {
    if (copies != null) {
      copies.awaitAll();
    }
    state = LaneState.EXITED;
    block.exited(this);
  }

  /** Returns the asynchronous copies that the lane has begun. */
  public PendingCopies copies() {
    if (copies == null) {
      copies = new PendingCopies(this);
    }
    return copies;
  }

  /** Returns the function that the lane is in. */
  Code code() {
    return frames[depth - 1].code;
  }

  /**
   * Executes a step, which uses no register, in the name of an instruction that the lane has
   * passed: errors and the order of threads name that one. After a fault the lane stays there.
   */
  void executeAt(Code code, int at, Op step) {
    Frame frame = frames[depth - 1];
    Code current = frame.code;
    int next = pc;
    standAt(frame, code, at);
    step.execute(this);
    standAt(frame, current, next);
  }

  private void standAt(Frame frame, Code code, int at) {
    frame.code = code;
    pc = at;
    LaunchOrder launch = block.launchOrder;
    if (launch != null) {
      sites = launch.sites(code.index, code.ops.length);
    }
  }

  /** Lets other lanes run before this lane continues. */
  public void giveWay() {
    executed -= remaining - 1;
    remaining = 1;
  }

  /**
   * Lets other lanes run if this lane sees the same value at the same place again: it waits for one
   * of them. Each time it sees that value twice as often before it gives way again, so that a lane
   * that waits in vain takes few turns.
   */
  public void sees(long address, long value) {
    if (looks == 0 || address != watchedAddress || value != watchedValue) {
      watchedAddress = address;
      watchedValue = value;
      looks = FIRST_LOOKS;
      looksLeft = looks;
    } else if (--looksLeft == 0) {
      looks = Math.min(looks * 2, ThreadBlock.QUANTUM);
      looksLeft = looks;
      giveWay();
    }
  }

  private void push(Code code, @Nullable Call by) {
    if (depth == frames.length) {
      frames = Arrays.copyOf(frames, depth * 2);
    }
    Frame frame = frames[depth];
    if (frame == null) {
      frame = new Frame(code);
      frames[depth] = frame;
    }
    int base = (int) Layout.aligned(localEnd, code.localAlignment);
    int end = base + code.localBytes;
    if (end > MAX_LOCAL_BYTES) {
      throw fault(Reason.CALL_DEPTH, "needs more than " + MAX_LOCAL_BYTES + " bytes of stack", 0);
    }
    frame.prepare(code, block.templates[code.index], by, base);
    depth++;
    localEnd = end;
    if (local.length < end) {
      local = Arrays.copyOf(local, Math.max(end, local.length * 2));
    }
    Bytes.markUnwritten(local, base, end);
    resume(frame);
  }

  private void resume(Frame frame) {
    registers = frame.registers;
    params = frame.params;
    localBase = frame.localBase;
    ops = frame.code.ops;
    standAt(frame, frame.code, frame.pc);
  }

  /** Returns the number of the current instruction's access in the order of the launch. */
  public int site() {
    int at = pc - 1;
    int site = sites[at];
    return site != 0 ? site : newSite(at);
  }

  private int newSite(int at) {
    LaunchOrder launch = block.launchOrder;
    if (launch != null) {
      sites[at] = launch.site(frames[depth - 1].code.origins[at]);
    }
    return sites[at];
  }

  byte[] entryParams() {
    return frames[0].params;
  }

  /** Returns the lane's current instruction; null before the first one and after the last one. */
  public @Nullable Instruction instruction() {
    if (depth == 0) {
      return null;
    }
    Code code = frames[depth - 1].code;
    int at = Math.max(0, pc - 1);
    return at < code.origins.length ? code.origins[at] : null;
  }

  /** Returns the line of the lane's current instruction. */
  int line() {
    Instruction current = instruction();
    if (current != null) {
      return current.line();
    }
    return depth == 0 ? 0 : frames[depth - 1].code.function.line();
  }

  public PtxFault fault(Reason reason, String fact, long address) {
    return new PtxFault(reason, fact, this, address, null);
  }
}
