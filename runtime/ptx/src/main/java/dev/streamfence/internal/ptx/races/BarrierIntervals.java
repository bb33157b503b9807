package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Block;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Between which barriers of its block a thread makes an access. Two threads of a block can meet
 * only between the same two barriers, provided that all threads come to the same barriers in the
 * same order. Confined to one thread.
 *
 * <p>That is the barrier interval of Betts and others, "GPUVerify: A Verifier for GPU Kernels",
 * 2012.
 */
final class BarrierIntervals {
  /** The barrier before the first one: the begin of the kernel. */
  static final int BEGIN = -1;

  private static final int ZERO = 1;
  private static final int ONCE = 2;

  private final FunctionFlow flow;
  private final ControlGraph graph;
  private final Budget budget;

  /** The barriers, by their instruction, that all threads of a block wait at. */
  private final BitSet barriers = new BitSet();

  /** The block of code of each instruction. */
  private final int[] blocks;

  /** The loops that all threads of a block leave together. */
  private final BitSet ended;

  private final boolean isOrdered;
  private final CommonPaths paths;
  private final Map<List<Integer>, int[]> crossings = new HashMap<>();

  /**
   * Finds the intervals of a kernel.
   *
   * @param branches which branches go one way in all threads of a block
   */
  BarrierIntervals(FunctionFlow flow, ControlGraph graph, Branches branches, Budget budget) {
    this.budget = budget;
    this.flow = flow;
    this.graph = graph;
    this.blocks = new int[flow.size()];
    boolean areAllOfAll = true;
    for (int block = 0; block < graph.size(); block++) {
      for (int i = graph.block(block).first(); i < graph.block(block).end(); i++) {
        Instruction instruction = flow.instruction(i);
        blocks[i] = block;
        barriers.set(i, isBarrier(instruction));
        areAllOfAll &= barriers.get(i) || !mayArrive(instruction);
      }
    }
    ended = barriers.isEmpty() ? new BitSet() : endedTogether(branches);
    BitSet oneWay = barriers.isEmpty() ? new BitSet() : oneWay(branches);
    isOrdered = !barriers.isEmpty() && areAllOfAll && areInOrder(oneWay);
    BitSet stops = new BitSet();
    barriers.stream().forEach(barrier -> stops.set(blocks[barrier]));
    paths = new CommonPaths(graph, stops, oneWay, budget);
  }

  /** Which branches go one way in all threads of a block. */
  @FunctionalInterface
  interface Branches {
    /**
     * Whether the branch at the end of a block of code does.
     *
     * @param sameIterations the indexes of the loops that the threads have gone through equally
     *     often
     */
    boolean goOneWay(int block, BitSet sameIterations);
  }

  /**
   * The loops that all threads of a block go through on the same way, and so leave together, within
   * one iteration of the loops around them.
   */
  private BitSet endedTogether(Branches branches) {
    BitSet ended = new BitSet();
    int before;
    do {
      before = ended.cardinality();
      for (Loop loop : graph.loops()) {
        boolean isOneWay =
            loop.body.stream()
                .allMatch(
                    at ->
                        graph.block(at).branch() == null
                            || branches.goOneWay(at, sameIterations(at, ended)));
        ended.set(loop.index, isOneWay);
      }
    } while (ended.cardinality() > before);
    return ended;
  }

  /** The loops that all threads which come to a block have gone through equally often. */
  private BitSet sameIterations(int block, BitSet ended) {
    BitSet same = new BitSet();
    for (Loop loop : graph.loops()) {
      // What a loop did in the last iteration of one around it remains, so both have to end alike.
      boolean isSame = true;
      for (Loop each = loop; each != null; each = each.parent) {
        isSame &= each.body.get(block) || ended.get(each.index);
      }
      same.set(loop.index, isSame);
    }
    return same;
  }

  /** Whether an instruction is a barrier of any threads, or counts those that come to one. */
  static boolean isAnyBarrier(Instruction instruction) {
    return instruction.opcode().equals("bar") || instruction.opcode().equals("barrier");
  }

  /** Whether all threads of a block that have not ended wait at an instruction. */
  static boolean isBarrier(Instruction instruction) {
    return mayArrive(instruction)
        && (instruction.has("sync") || instruction.has("red"))
        && instruction.guard() == null
        && instruction.operands().size() == (instruction.has("red") ? 3 : 1)
        && instruction.operands().get(id(instruction)) instanceof Operand.IntegerLiteral;
  }

  /**
   * Whether threads may arrive at the barrier 0 of their block. Where only some of them do, those
   * that wait for it at another instruction go on without them.
   */
  private static boolean mayArrive(Instruction instruction) {
    if (!isAnyBarrier(instruction)) {
      return false;
    }
    int id = id(instruction);
    boolean isOther =
        instruction.operands().size() > id
            && instruction.operands().get(id) instanceof Operand.IntegerLiteral literal
            && literal.value() != 0;
    return !isOther && !instruction.has("warp") && !instruction.has("cluster");
  }

  /** Which operand of a barrier is its number. */
  private static int id(Instruction barrier) {
    return barrier.has("red") ? 1 : 0;
  }

  /** Whether there are barriers, and all threads come to the same ones in the same order. */
  boolean isOrdered() {
    return isOrdered;
  }

  /** The blocks of code whose branches go one way in all threads that come to them together. */
  private BitSet oneWay(Branches branches) {
    BitSet found = new BitSet();
    for (int block = 0; block < graph.size(); block++) {
      found.set(
          block,
          graph.block(block).branch() == null
              || branches.goOneWay(block, sameIterations(block, ended)));
    }
    return found;
  }

  private boolean areInOrder(BitSet oneWay) {
    BitSet waiting = waiting();
    for (int block = 0; block < graph.size(); block++) {
      Block code = graph.block(block);
      // Where one way leads to no further barrier, its threads end, and the others wait for that.
      boolean doBothWait =
          Math.min(code.taken(), code.fallen()) >= 0
              && waiting.get(code.taken())
              && waiting.get(code.fallen());
      if (oneWay.get(block) || !doBothWait) {
        continue;
      }
      int join = graph.postdominator(block);
      if (join < 0) {
        return false;
      }
      BitSet apart = region(code.taken(), join);
      apart.or(region(code.fallen(), join));
      if (hasBarrier(apart)) {
        return false;
      }
      for (Loop loop : graph.loops()) {
        if (apart.get(loop.header) && loop.body.get(block) && hasBarrier(loop.body)) {
          return false;
        }
      }
    }
    return true;
  }

  /** The blocks of code from which threads may come to a barrier. */
  private BitSet waiting() {
    BitSet found = new BitSet();
    Deque<Integer> open = new ArrayDeque<>();
    barriers.stream().forEach(barrier -> open.push(blocks[barrier]));
    while (!open.isEmpty()) {
      int block = open.pop();
      if (!found.get(block)) {
        found.set(block);
        open.addAll(graph.block(block).predecessors());
      }
    }
    return found;
  }

  /** The blocks that control may come to from one on, before another one. */
  private BitSet region(int from, int end) {
    budget.take(graph.size() / 8);
    return CommonPaths.region(graph, from < 0 ? List.of() : List.of(from), end, new BitSet());
  }

  private boolean hasBarrier(BitSet blocks) {
    return blocks.stream()
        .anyMatch(
            block -> {
              int next = barriers.nextSetBit(graph.block(block).first());
              return next >= 0 && next < graph.block(block).end();
            });
  }

  /** The barriers, or the begin, after which two accesses may be made without another barrier. */
  List<Integer> shared(MemoryAccess one, MemoryAccess other) {
    List<Integer> found = new ArrayList<>();
    for (int barrier = BEGIN; ; barrier = barriers.nextSetBit(barrier + 1)) {
      if (areBoth(barrier, one, other)) {
        found.add(barrier);
      }
      if (barriers.nextSetBit(barrier + 1) < 0) {
        return found;
      }
    }
  }

  /**
   * Whether threads that come from a barrier to an access have waited there equally often: not if
   * they leave a loop around the barrier in different iterations.
   */
  boolean isPassedEquallyOften(int barrier, MemoryAccess access) {
    boolean isEqual = true;
    Loop loop = barrier == BEGIN ? null : graph.loop(blocks[barrier]);
    for (; loop != null; loop = loop.parent) {
      isEqual &= loop.body.get(access.block()) || ended.get(loop.index);
    }
    return isEqual;
  }

  /** Whether threads that come from a barrier may make both of two accesses before another one. */
  private boolean areBoth(int barrier, MemoryAccess one, MemoryAccess other) {
    int from = barrier == BEGIN ? 0 : blocks[barrier];
    int next = barriers.nextSetBit(barrier == BEGIN ? 0 : barrier + 1);
    boolean ends = next >= 0 && next < graph.block(from).end();
    int end = ends ? next : graph.block(from).end();
    boolean first = one.index() > barrier && one.block() == from && one.index() < end;
    boolean second = other.index() > barrier && other.block() == from && other.index() < end;
    if (first && second) {
      return true;
    }
    boolean firstLater = !ends && isBeforeBarriers(one) && paths.reach(from, one.block());
    boolean secondLater = !ends && isBeforeBarriers(other) && paths.reach(from, other.block());
    return (first && secondLater)
        || (second && firstLater)
        || (firstLater && secondLater && paths.meet(from, one.block(), other.block()));
  }

  /** Whether a thread that enters the block of an access comes to it without a barrier. */
  private boolean isBeforeBarriers(MemoryAccess access) {
    int barrier = barriers.nextSetBit(graph.block(access.block()).first());
    return barrier < 0 || access.index() < barrier;
  }

  /**
   * Whether two threads that have come through the same barrier are in the same iteration of a loop
   * around both accesses.
   */
  boolean isSameIteration(int barrier, MemoryAccess one, MemoryAccess other, Loop loop) {
    int first = crossings(barrier, loop)[one.index()];
    int second = crossings(barrier, loop)[other.index()];
    return first == second && (first == ZERO || first == ONCE);
  }

  private int[] crossings(int barrier, Loop loop) {
    return crossings.computeIfAbsent(List.of(barrier, loop.index), key -> walk(barrier, loop));
  }

  /**
   * For each instruction, in how many ways a thread comes there from a barrier on: a bit for those
   * that begin no iteration of a loop, one for those that begin one, and one for all others.
   */
  private int[] walk(int barrier, @Nullable Loop loop) {
    budget.take(flow.size() / 8);
    int[] found = new int[flow.size()];
    int[] entered = new int[graph.size()];
    Deque<int[]> open = new ArrayDeque<>();
    // A thread that comes from a barrier in the loop, and enters the loop again, is in another one.
    boolean isInside = loop != null && barrier != BEGIN && loop.body.get(blocks[barrier]);
    int anew = isInside ? ONCE << 1 : ZERO;
    if (barrier == BEGIN) {
      enter(0, ZERO, entered, open);
    } else {
      int block = blocks[barrier];
      if (pass(block, barrier + 1, ZERO, found)) {
        leave(block, ZERO, anew, loop, entered, open);
      }
    }
    while (!open.isEmpty()) {
      int[] next = open.remove();
      if (pass(next[0], graph.block(next[0]).first(), next[1], found)) {
        leave(next[0], next[1], anew, loop, entered, open);
      }
    }
    return found;
  }

  private static void enter(int block, int way, int[] entered, Deque<int[]> open) {
    if ((entered[block] & way) == 0) {
      entered[block] |= way;
      open.add(new int[] {block, way});
    }
  }

  private void leave(
      int block, int way, int anew, @Nullable Loop loop, int[] entered, Deque<int[]> open) {
    for (int next : graph.block(block).successors()) {
      if (loop == null || next != loop.header) {
        enter(next, way, entered, open);
      } else {
        boolean goesOn = loop.body.get(block);
        enter(next, goesOn ? Math.min(way << 1, ONCE << 1) : anew, entered, open);
      }
    }
  }

  /** Marks the instructions up to the next barrier; whether the end of the block is reached. */
  private boolean pass(int block, int from, int way, int[] found) {
    for (int i = from; i < graph.block(block).end(); i++) {
      found[i] |= way;
      if (barriers.get(i)) {
        return false;
      }
    }
    return true;
  }
}
