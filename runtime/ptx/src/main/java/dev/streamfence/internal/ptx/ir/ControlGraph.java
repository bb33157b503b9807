package dev.streamfence.internal.ptx.ir;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.ptx.ir.Opcode.Control;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Label;
import dev.streamfence.internal.ptx.syntax.Operand;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The control flow of a function: its basic blocks in reverse postorder, their dominators and
 * postdominators, and its loops. A thread leaves it at {@code ret} and {@code exit}; a trap ends
 * the whole run, and leads nowhere. Immutable.
 *
 * <p>Dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
 */
public final class ControlGraph {
  /** The successor of a block at which the thread ends. */
  public static final int EXIT = -1;

  /** The successor of a block that ends the run, or that does not exist. */
  public static final int NONE = -2;

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
  public record Block(
      int first,
      int end,
      @Nullable Instruction branch,
      int taken,
      int fallen,
      boolean mayExit,
      List<Integer> predecessors) {
    public List<Integer> successors() {
      List<Integer> all = new ArrayList<>();
      for (int each : new int[] {taken, fallen}) {
        if (each >= 0 && !all.contains(each)) {
          all.add(each);
        }
      }
      return all;
    }

    public boolean leaves() {
      return mayExit || taken == EXIT || fallen == EXIT;
    }
  }

  /** A natural loop. */
  public static final class Loop {
    public final int index;
    public final int header;
    public final BitSet body = new BitSet();
    public final List<Integer> latches = new ArrayList<>();
    public @Nullable Loop parent;

    Loop(int index, int header) {
      this.index = index;
      this.header = header;
      body.set(header);
    }
  }

  private final List<Block> blocks = new ArrayList<>();
  private final int[] dominators;
  private final int[] postdominators;

  /**
   * The blocks from which threads end, each after its postdominators, in one walk of their tree.
   */
  private final int[] walk;

  /** The place of each block in the walk; negative if it has none. */
  private final int[] place;

  /** The end of the places of the blocks that each block postdominates, itself among them. */
  private final int[] end;

  private final List<Loop> loops = new ArrayList<>();
  private final @Nullable Loop[] innermost;

  private ControlGraph(List<Block> ordered) {
    blocks.addAll(ordered);
    dominators = dominators(blocks.size(), at -> blocks.get(at).predecessors());
    findLoops();
    innermost = new Loop[blocks.size()];
    Arrays.setAll(innermost, block -> smallest(block, null));
    loops.forEach(loop -> loop.parent = smallest(loop.header, loop));
    postdominators = postdominators();
    walk = new int[blocks.size()];
    place = new int[blocks.size()];
    end = new int[blocks.size()];
    Arrays.fill(place, NONE);
    walkPostdominators();
  }

  private void walkPostdominators() {
    List<List<Integer>> children = new ArrayList<>();
    blocks.forEach(block -> children.add(new ArrayList<>(1)));
    Deque<Integer> open = new ArrayDeque<>();
    for (int block = 0; block < postdominators.length; block++) {
      if (postdominators[block] == EXIT) {
        open.push(block);
      } else if (postdominators[block] != NONE) {
        children.get(postdominators[block]).add(block);
      }
    }
    int count = 0;
    while (!open.isEmpty()) {
      int block = open.pop();
      walk[count] = block;
      place[block] = count++;
      children.get(block).forEach(open::push);
    }
    for (int at = count - 1; at >= 0; at--) {
      int block = walk[at];
      end[block] = Math.max(end[block], at + 1);
      int parent = postdominators[block];
      if (parent >= 0) {
        end[parent] = Math.max(end[parent], end[block]);
      }
    }
  }

  /** The smallest loop around a block, other than this one. */
  private @Nullable Loop smallest(int block, @Nullable Loop other) {
    Loop found = null;
    for (Loop loop : loops) {
      boolean encloses = loop != other && loop.body.get(block);
      if (encloses && (found == null || found.body.cardinality() > loop.body.cardinality())) {
        found = loop;
      }
    }
    return found;
  }

  /**
   * Builds the graph of a function.
   *
   * @param ends the calls that may end the thread, and those that end the run
   * @throws TooComplexException if a jump has no known target, or a loop has two entries
   */
  public static ControlGraph of(FunctionFlow flow, CallEnds ends) {
    return new ControlGraph(ordered(split(flow, ends)));
  }

  private static List<Block> split(FunctionFlow flow, CallEnds ends) {
    int count = flow.size();
    BitSet leaders = new BitSet(count + 1);
    leaders.set(0);
    for (int i = 0; i < count; i++) {
      if (flow.isLeader(i)) {
        leaders.set(i);
      }
      if (isTerminator(flow, i, ends)) {
        leaders.set(i + 1);
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
      mayExit |= flow.rule(i).control() == Control.CALL && ends.mayExit(flow.instruction(i));
    }
    int after = numbers.getOrDefault(end, EXIT);
    Instruction last = first < end ? flow.instruction(end - 1) : null;
    if (last == null || !isTerminator(flow, end - 1, ends)) {
      return new Block(first, end, null, after, NONE, mayExit, new ArrayList<>());
    }
    int taken =
        switch (flow.rule(end - 1).control()) {
          case BRANCH ->
              target(last) < flow.size() ? requireNonNull(numbers.get(target(last))) : EXIT;
          case RETURN, EXIT -> ControlGraph.EXIT;
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

  private static boolean isTerminator(FunctionFlow flow, int index, CallEnds ends) {
    return switch (flow.rule(index).control()) {
      case BRANCH, RETURN, EXIT, TRAP -> true;
      case TABLE_BRANCH -> throw new TooComplexException("it jumps through a table");
      case CALL -> ends.traps(flow.instruction(index));
      case NEXT -> false;
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
    List<Integer> roots = found.isEmpty() ? List.of() : List.of(0);
    List<Integer> postorder = postorder(roots, at -> found.get(at).successors());
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

  /** The nodes that lead from some roots, each after those that it leads to. */
  private static List<Integer> postorder(
      List<Integer> roots, IntFunction<List<Integer>> successors) {
    List<Integer> postorder = new ArrayList<>();
    BitSet seen = new BitSet();
    Deque<int[]> open = new ArrayDeque<>();
    for (int root : roots) {
      if (seen.get(root)) {
        continue;
      }
      seen.set(root);
      open.push(new int[] {root, 0});
      while (!open.isEmpty()) {
        int[] top = open.getFirst();
        List<Integer> next = successors.apply(top[0]);
        if (top[1] == next.size()) {
          postorder.add(top[0]);
          open.pop();
          continue;
        }
        int successor = next.get(top[1]++);
        if (!seen.get(successor)) {
          seen.set(successor);
          open.push(new int[] {successor, 0});
        }
      }
    }
    return postorder;
  }

  /** The immediate dominators of a graph in reverse postorder, whose first node is its root. */
  private static int[] dominators(int count, IntFunction<List<Integer>> predecessors) {
    int[] tree = new int[count];
    Arrays.fill(tree, NONE);
    if (count > 0) {
      tree[0] = 0;
    }
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int i = 1; i < count; i++) {
        int common = NONE;
        for (int before : predecessors.apply(i)) {
          if (tree[before] != NONE) {
            common = common == NONE ? before : common(tree, before, common);
          }
        }
        changed |= tree[i] != common;
        tree[i] = common;
      }
    }
    return tree;
  }

  /** The nearest common dominator of two nodes, by the immediate ones of all before them. */
  public static int common(int[] tree, int a, int b) {
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
  private int[] postdominators() {
    List<Integer> roots = new ArrayList<>();
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).leaves()) {
        roots.add(i);
      }
    }
    // The numbers of the reversed graph: its own reverse postorder, from the exit at 0 on.
    List<Integer> order = postorder(roots, at -> blocks.get(at).predecessors());
    order.add(EXIT);
    Collections.reverse(order);
    int[] number = new int[blocks.size()];
    Arrays.fill(number, NONE);
    for (int i = 1; i < order.size(); i++) {
      number[order.get(i)] = i;
    }
    int[] tree =
        dominators(
            order.size(),
            at -> {
              Block block = blocks.get(order.get(at));
              List<Integer> after = new ArrayList<>(block.leaves() ? List.of(0) : List.of());
              for (int successor : block.successors()) {
                if (number[successor] != NONE) {
                  after.add(number[successor]);
                }
              }
              return after;
            });
    int[] found = new int[blocks.size()];
    Arrays.fill(found, NONE);
    for (int i = 1; i < order.size(); i++) {
      found[order.get(i)] = order.get(Math.max(0, tree[i]));
    }
    return found;
  }

  public int size() {
    return blocks.size();
  }

  public Block block(int index) {
    return blocks.get(index);
  }

  public List<Loop> loops() {
    return loops;
  }

  /** The innermost loop around a block; null if there is none. */
  public @Nullable Loop loop(int block) {
    return innermost[block];
  }

  /** The headers of the loops around a block. */
  public BitSet headersAround(int block) {
    BitSet found = new BitSet();
    for (Loop around = loop(block); around != null; around = around.parent) {
      found.set(around.header);
    }
    return found;
  }

  /** The immediate dominator; a block itself if it is the first one. */
  public int dominator(int block) {
    return dominators[block];
  }

  /**
   * The immediate postdominator; {@link #EXIT} if there is no block that all threads come to, and
   * {@link #NONE} if no thread that comes to the block ends.
   */
  public int postdominator(int block) {
    return postdominators[block];
  }

  /** Whether every path to the second block leads through the first one. */
  public boolean dominates(int first, int second) {
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
  public boolean postdominates(int first, int second) {
    return first == second
        || (place[first] >= 0 && place[first] <= place[second] && place[second] < end[first]);
  }

  /** The blocks with a successor that a block postdominates, or that is the block. */
  public BitSet leadingTo(int block) {
    BitSet found = new BitSet();
    blocks.get(block).predecessors().forEach(found::set);
    for (int at = place[block] + 1; place[block] >= 0 && at < end[block]; at++) {
      blocks.get(walk[at]).predecessors().forEach(found::set);
    }
    return found;
  }
}
