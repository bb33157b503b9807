package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** What may order the threads of a launch, apart from the order of atomic operations. Immutable. */
final class ThreadOrders {
  /** Threads in the first row of every block that has several. */
  private static final int FEW_THREADS = 8;

  private static final Set<String> FENCES = Set.of("acquire", "release", "acq_rel");

  /** Accesses that a thread may wait for without a fence. */
  private static final Set<String> FLAGS = Set.of("volatile", "mmio");

  private final FunctionFlow flow;
  private final ControlGraph graph;
  private final BarrierIntervals intervals;

  /** Whether the code is written for blocks of any size, or their size is known. */
  private final boolean isOfAnyBlock;

  /** Whether threads may be ordered in another way than by the barriers of their block. */
  private final boolean hasOtherOrder;

  /** Whether the code has a fence, or waits other than at a barrier of a block or a warp. */
  private final boolean hasFence;

  /** Whether threads of one warp may be. */
  private final boolean hasWarpOrder;

  ThreadOrders(
      FunctionFlow flow,
      ControlGraph graph,
      BarrierIntervals intervals,
      Set<Special> read,
      LaunchSpace space) {
    this.flow = flow;
    this.graph = graph;
    this.intervals = intervals;
    boolean any = true;
    for (int i = 0; i < 3; i++) {
      boolean isRead = read.contains(Special.thread(i));
      boolean readsSize = read.contains(Special.blockSize(i));
      any &= !isRead || readsSize || space.threads(i) > 0;
    }
    isOfAnyBlock = any;
    boolean fence = false;
    boolean flag = false;
    boolean warp = false;
    boolean hasBarrier = false;
    for (int i = 0; i < flow.size(); i++) {
      Instruction instruction = flow.instruction(i);
      fence |= isFence(instruction);
      flag |= instruction.modifiers().stream().anyMatch(FLAGS::contains);
      warp |= instruction.opcode().equals("bar") && instruction.has("warp");
      hasBarrier |= BarrierIntervals.isBarrier(instruction);
    }
    hasFence = fence || (hasBarrier && !intervals.isOrdered());
    hasOtherOrder = hasFence || flag;
    hasWarpOrder = warp;
  }

  /** Whether a loop has an access by which it may wait for other threads. */
  private boolean mayWait(Loop loop) {
    return loop.body.stream()
        .mapToObj(graph::block)
        .flatMapToInt(block -> IntStream.range(block.first(), block.end()))
        .mapToObj(flow::instruction)
        .anyMatch(
            each ->
                each.opcode().equals("atom")
                    || each.modifiers().stream().anyMatch(FLAGS::contains));
  }

  private static boolean isFence(Instruction instruction) {
    boolean isBarrier = BarrierIntervals.isAnyBarrier(instruction);
    return instruction.opcode().equals("fence")
        || instruction.opcode().equals("membar")
        || instruction.opcode().equals("griddepcontrol")
        || instruction.modifiers().stream().anyMatch(FENCES::contains)
        || (isBarrier && !instruction.has("warp") && !BarrierIntervals.isBarrier(instruction));
  }

  /** Whether a fence, or a loop that waits, may order two threads. */
  boolean mayBeOrderedByFlags() {
    return hasFence || graph.loops().stream().anyMatch(this::mayWait);
  }

  /** Whether only barriers of a block, and of a warp, can keep two accesses from conflicting. */
  boolean mayConflict(SharedAccess one, SharedAccess other) {
    boolean isPlain = one.isPlain() && other.isPlain() && (one.writes() || other.writes());
    return !hasOtherOrder && isPlain && one.width() > 0 && other.width() > 0;
  }

  /** Whether nothing orders threads of different blocks that both reach some memory. */
  boolean areBlocksUnordered(SharedAccess one) {
    return one.isGlobal() && isOfAnyBlock;
  }

  /** Whether two accesses of a block's threads always lie between the same barriers. */
  boolean areInOneInterval(MemoryAccess one, MemoryAccess other) {
    boolean isInLoop = graph.loop(one.block()) != null || graph.loop(other.block()) != null;
    return !(intervals.isOrdered() && isInLoop) && areInOneIntervalAtFirst(one, other);
  }

  /** The same of two accesses in the first iteration of all loops around them. */
  boolean areInOneIntervalAtFirst(MemoryAccess one, MemoryAccess other) {
    if (!intervals.isOrdered()) {
      return true;
    }
    List<Integer> shared = intervals.shared(one, other);
    return shared.size() == 1
        && shared.equals(intervals.shared(one, one))
        && shared.equals(intervals.shared(other, other))
        && intervals.isPassedEquallyOften(shared.get(0), one)
        && intervals.isPassedEquallyOften(shared.get(0), other);
  }

  /** Whether all blocks have two threads that only barriers of the block can order. */
  boolean haveNoOtherOrder(TrialLaunch launch, int first, int second) {
    int left = first % launch.threads();
    int right = second % launch.threads();
    return (isOfAnyBlock || (left < FEW_THREADS && right < FEW_THREADS))
        && !(hasWarpOrder && left / 32 == right / 32);
  }
}
