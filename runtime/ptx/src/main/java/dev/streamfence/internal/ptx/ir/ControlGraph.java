// Long because blocks, dominators and loops are one computation over the same arrays.
package dev.streamfence.internal.ptx.bounds;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Label;
import dev.streamfence.internal.ptx.syntax.Operand;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The control flow of a function: its basic blocks in reverse postorder, their dominators and
 * postdominators, and its loops. A thread leaves it at {@code ret} and {@code exit}; a trap ends
 * the whole run, and leads nowhere. Immutable.
 *
 * <p>Dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
 */
final class ControlGraph {
  /** The successor of a block at which the thread ends. */
  static final int EXIT = -1;

  /** The successor of a block that ends the run, or that does not exist. */
  static final int NONE = -2;

  /** Beyond so many blocks a kernel is no kernel that a person wrote. */
  private static final int MAX_BLOCKS = 4000;

  /**
   * A basic block.
   *
   * @param first its first instruction
   * @param end the instruction after its last one
   * @param branch the guarded instruction at its end whose guard chooses the successor, or null
   * @param taken the successor if the guard holds, or if there is no guard
   * @param fallen the successor if it does not hold; {@link #NONE} without a guard
   * @param mayExit whether a call in it may end the thread
   */
  record Block(
      int first,
      int end,
      @Nullable Instruction branch,
      int taken,
      int fallen,
      boolean mayExit,
      List<Integer> predecessors) {
    List<Integer> successors() {
      List<Integer> all = new ArrayList<>();
      for (int each : new int[] {taken, fallen}) {
        if (each >= 0 && !all.contains(each)) {
          all.add(each);
        }
      }
      return all;
    }

    boolean leaves() {
      return mayExit || taken == EXIT || fallen == EXIT;
    }
  }

  /** A natural loop. */
  static final class Loop {
    final int index;
    final int header;
    final BitSet body = new BitSet();
    final List<Integer> latches = new ArrayList<>();
    @Nullable Loop parent;

    Loop(int index, int header) {
      this.index = index;
      this.header = header;
      body.set(header);
    }
  }

  private final List<Block> blocks = new ArrayList<>();
  private final int[] dominators;
  private final int[] postdominators;
  private final List<Loop> loops = new ArrayList<>();
  private final @Nullable Loop[] innermost;

  private ControlGraph(List<Block> ordered) {
    blocks.addAll(ordered);
    int count = blocks.size();
    dominators = new int[count];
    findDominators();
    findLoops();
    innermost = new Loop[count];
    for (Loop loop : loops) {
      loop.body.stream()
          .forEach(
              block -> {
                Loop known = innermost[block];
                if (known == null || known.body.cardinality() > loop.body.cardinality()) {
                  innermost[block] = loop;
                }
              });
    }
    for (Loop loop : loops) {
      for (Loop around : loops) {
        boolean encloses = around != loop && around.body.get(loop.header);
        Loop parent = loop.parent;
        if (encloses && (parent == null || parent.body.cardinality() > around.body.cardinality())) {
          loop.parent = around;
        }
      }
    }
    postdominators = new int[count];
    findPostdominators();
  }

  /**
   * Builds the graph of a function.
   *
   * @param ends the calls that may end the thread, and those that end the run
   * @throws TooComplexException if a jump has no known target, or a loop has two entries
   */
  static ControlGraph of(FunctionFlow flow, CallEnds ends) {
    return new ControlGraph(ordered(split(flow, ends)));
  }

  /** What a call does to the thread besides returning. */
  interface CallEnds {
    boolean mayExit(Instruction call);

    boolean traps(Instruction call);
  }

  private static List<Block> split(FunctionFlow flow, CallEnds ends) {
    int count = flow.size();
    BitSet leaders = new BitSet(count + 1);
    leaders.set(0);
    for (int i = 0; i < count; i++) {
      Instruction instruction = flow.instruction(i);
      if (isTerminator(instruction, ends)) {
        leaders.set(i + 1);
        if (instruction.opcode().equals("bra")) {
          leaders.set(target(instruction));
        }
      }
    }
    NavigableMap<Integer, Integer> numbers = new TreeMap<>();
    for (int at = leaders.nextSetBit(0); at >= 0 && at < count; at = leaders.nextSetBit(at + 1)) {
      numbers.put(at, numbers.size());
    }
    if (numbers.size() > MAX_BLOCKS) {
      throw new TooComplexException("it has more than " + MAX_BLOCKS + " basic blocks");
    }
    List<Block> found = new ArrayList<>();
    for (int first : numbers.keySet()) {
      Integer next = numbers.higherKey(first);
      found.add(block(flow, ends, first, next == null ? count : next, numbers));
    }
    return found;
  }

  private static Block block(
      FunctionFlow flow,
      CallEnds ends,
      int first,
      int end,
      NavigableMap<Integer, Integer> numbers) {
    boolean mayExit = false;
    for (int i = first; i < end; i++) {
      mayExit |= flow.instruction(i).opcode().equals("call") && ends.mayExit(flow.instruction(i));
    }
    int after = numbers.getOrDefault(end, EXIT);
    Instruction last = first < end ? flow.instruction(end - 1) : null;
    if (last == null || !isTerminator(last, ends)) {
      return new Block(first, end, null, after, NONE, mayExit, new ArrayList<>());
    }
    int taken =
        switch (last.opcode()) {
          case "bra" ->
              target(last) < flow.size() ? requireNonNull(numbers.get(target(last))) : EXIT;
          case "ret", "exit" -> EXIT;
          default -> NONE;
        };
    boolean guarded = last.guard() != null;
    return new Block(
        first,
        end,
        guarded ? last : null,
        taken,
        guarded ? after : NONE,
        mayExit,
        new ArrayList<>());
  }

  private static boolean isTerminator(Instruction instruction, CallEnds ends) {
    return switch (instruction.opcode()) {
      case "bra", "ret", "exit", "trap" -> true;
      case "brx" -> throw new TooComplexException("it jumps through a table");
      case "call" -> ends.traps(instruction);
      default -> false;
    };
  }

  private static int target(Instruction jump) {
    for (Operand operand : jump.operands()) {
      if (operand instanceof Operand.Name name) {
        Label label = name.label();
        if (label.branchTargets().isEmpty() && label.target() >= 0) {
          return label.target();
        }
      }
    }
    throw new TooComplexException("a jump has no known target");
  }

  /** Puts the reachable blocks into reverse postorder, and notes their predecessors. */
  private static List<Block> ordered(List<Block> found) {
    int[] place = new int[found.size()];
    Arrays.fill(place, NONE);
    List<Integer> postorder = new ArrayList<>();
    BitSet seen = new BitSet();
    Deque<int[]> open = new ArrayDeque<>();
    if (!found.isEmpty()) {
      open.push(new int[] {0, 0});
      seen.set(0);
    }
    while (!open.isEmpty()) {
      int[] top = open.getFirst();
      List<Integer> next = found.get(top[0]).successors();
      if (top[1] < next.size()) {
        int successor = next.get(top[1]++);
        if (!seen.get(successor)) {
          seen.set(successor);
          open.push(new int[] {successor, 0});
        }
      } else {
        postorder.add(top[0]);
        open.pop();
      }
    }
    for (int i = 0; i < postorder.size(); i++) {
      place[postorder.get(i)] = postorder.size() - 1 - i;
    }
    List<Block> ordered = new ArrayList<>();
    for (int i = postorder.size() - 1; i >= 0; i--) {
      Block block = found.get(postorder.get(i));
      ordered.add(
          new Block(
              block.first,
              block.end,
              block.branch,
              block.taken < 0 ? block.taken : place[block.taken],
              block.fallen < 0 ? block.fallen : place[block.fallen],
              block.mayExit,
              new ArrayList<>()));
    }
    for (int i = 0; i < ordered.size(); i++) {
      for (int successor : ordered.get(i).successors()) {
        ordered.get(successor).predecessors().add(i);
      }
    }
    return ordered;
  }

  private void findDominators() {
    Arrays.fill(dominators, NONE);
    if (blocks.isEmpty()) {
      return;
    }
    dominators[0] = 0;
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int i = 1; i < blocks.size(); i++) {
        int common = NONE;
        for (int before : blocks.get(i).predecessors()) {
          if (dominators[before] != NONE) {
            common = common == NONE ? before : common(dominators, before, common);
          }
        }
        changed |= dominators[i] != common;
        dominators[i] = common;
      }
    }
  }

  private static int common(int[] tree, int a, int b) {
    int left = a;
    int right = b;
    while (left != right) {
      if (left > right) {
        left = tree[left];
      } else {
        right = tree[right];
      }
    }
    return left;
  }

  private void findLoops() {
    Loop[] byHeader = new Loop[blocks.size()];
    for (int i = 0; i < blocks.size(); i++) {
      for (int successor : blocks.get(i).successors()) {
        if (successor > i) {
          continue;
        }
        if (!dominates(successor, i)) {
          throw new TooComplexException("it has a loop with two entries");
        }
        Loop loop = byHeader[successor];
        if (loop == null) {
          loop = new Loop(loops.size(), successor);
          byHeader[successor] = loop;
          loops.add(loop);
        }
        loop.latches.add(i);
        Deque<Integer> open = new ArrayDeque<>(List.of(i));
        while (!open.isEmpty()) {
          int block = open.pop();
          if (!loop.body.get(block)) {
            loop.body.set(block);
            open.addAll(blocks.get(block).predecessors());
          }
        }
      }
    }
  }

  /** The same algorithm on the reversed graph; blocks from which no thread ends have none. */
  private void findPostdominators() {
    int count = blocks.size();
    Arrays.fill(postdominators, NONE);
    // The numbers of the reversed graph: its own reverse postorder, from the exit at 0 on.
    int[] number = new int[count];
    Arrays.fill(number, NONE);
    List<Integer> order = reversedOrder();
    for (int i = 0; i < order.size(); i++) {
      number[order.get(i)] = i + 1;
    }
    int[] tree = new int[order.size() + 1];
    Arrays.fill(tree, NONE);
    tree[0] = 0;
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int i = 1; i <= order.size(); i++) {
        Block block = blocks.get(order.get(i - 1));
        int common = block.leaves() ? 0 : NONE;
        for (int successor : block.successors()) {
          int known = number[successor];
          if (known != NONE && tree[known] != NONE) {
            common = common == NONE ? known : common(tree, known, common);
          }
        }
        changed |= tree[i] != common;
        tree[i] = common;
      }
    }
    for (int i = 1; i <= order.size(); i++) {
      postdominators[order.get(i - 1)] = tree[i] <= 0 ? EXIT : order.get(tree[i] - 1);
    }
  }

  private List<Integer> reversedOrder() {
    List<Integer> postorder = new ArrayList<>();
    BitSet seen = new BitSet();
    for (int start = 0; start < blocks.size(); start++) {
      if (!blocks.get(start).leaves() || seen.get(start)) {
        continue;
      }
      Deque<int[]> open = new ArrayDeque<>();
      open.push(new int[] {start, 0});
      seen.set(start);
      while (!open.isEmpty()) {
        int[] top = open.getFirst();
        List<Integer> next = blocks.get(top[0]).predecessors();
        if (top[1] < next.size()) {
          int before = next.get(top[1]++);
          if (!seen.get(before)) {
            seen.set(before);
            open.push(new int[] {before, 0});
          }
        } else {
          postorder.add(top[0]);
          open.pop();
        }
      }
    }
    List<Integer> order = new ArrayList<>();
    for (int i = postorder.size() - 1; i >= 0; i--) {
      order.add(postorder.get(i));
    }
    return order;
  }

  int size() {
    return blocks.size();
  }

  Block block(int index) {
    return blocks.get(index);
  }

  List<Loop> loops() {
    return loops;
  }

  /** The innermost loop around a block; null if there is none. */
  @Nullable Loop loop(int block) {
    return innermost[block];
  }

  /** The immediate dominator; a block itself if it is the first one. */
  int dominator(int block) {
    return dominators[block];
  }

  /** Whether every path to the second block leads through the first one. */
  boolean dominates(int first, int second) {
    int at = second;
    while (at > first) {
      at = dominators[at];
    }
    return at == first;
  }

  /**
   * Whether every thread that comes to the second block and ends comes to the first one afterwards,
   * or is there. A run that traps or never ends counts for neither.
   */
  boolean postdominates(int first, int second) {
    int at = second;
    while (at >= 0 && at != first) {
      at = postdominators[at];
    }
    return at == first && at >= 0 && (first == second || postdominators[second] != NONE);
  }
}
