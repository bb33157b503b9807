package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.ControlGraph.Loop;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the threads of a block come to from a place that all of them come to, without a barrier in
 * between. They stay together through branches that go one way in all of them; at another branch
 * they part, and meet again where both of its ways lead to. So what lies on two ways of a branch
 * that all take alike is never between the same two barriers. Confined to one thread.
 */
final class CommonPaths {
  /**
   * A part of the way.
   *
   * @param blocks the blocks of code that threads come to before they are together again
   * @param next the blocks of which they come to one together; empty if they are not together again
   */
  private record Stage(BitSet blocks, Collection<Integer> next) {}

  private final ControlGraph graph;

  /** The blocks of code that have a barrier, at which a thread stops. */
  private final BitSet stops;

  /** The blocks of code whose branch goes one way in all threads. */
  private final BitSet oneWay;

  private final Budget budget;
  private final Map<Integer, Stage> stages = new HashMap<>();
  private final Map<Integer, Stage> ends = new HashMap<>();

  /** What follows each block in which threads are together: the others, and all that they pass. */
  private final Map<Integer, BitSet> together = new HashMap<>();

  private final Map<Integer, BitSet> passed = new HashMap<>();

  /** The blocks that threads come to which leave each block together. */
  private final Map<Integer, BitSet> reached = new HashMap<>();

  CommonPaths(ControlGraph graph, BitSet stops, BitSet oneWay, Budget budget) {
    this.graph = graph;
    this.stops = stops;
    this.oneWay = oneWay;
    this.budget = budget;
  }

  /** Whether threads that leave a block together may be in two others at a time. */
  boolean meet(int left, int one, int other) {
    budget.take(1 + graph.size() / 512);
    Stage end = end(left);
    if (end.blocks().get(one) && end.blocks().get(other)) {
      return true;
    }
    if (end.blocks().get(one) || end.blocks().get(other)) {
      int later = end.blocks().get(one) ? other : one;
      return end.next().stream().anyMatch(at -> passed(at).get(later));
    }
    return end.next().stream()
        .anyMatch(next -> together(next).stream().anyMatch(at -> meetFrom(at, one, other)));
  }

  /** Whether one of two blocks is come to in a stage, and the other one there or later. */
  private boolean meetFrom(int first, int one, int other) {
    BitSet blocks = stage(first).blocks();
    return (blocks.get(one) && passed(first).get(other))
        || (blocks.get(other) && passed(first).get(one));
  }

  /** Whether threads that leave a block together may come to another one. */
  boolean reach(int left, int block) {
    BitSet known = reached.get(left);
    if (known == null) {
      known = (BitSet) end(left).blocks().clone();
      for (int next : end(left).next()) {
        known.or(passed(next));
      }
      reached.put(left, known);
    }
    return known.get(block);
  }

  /** The blocks in which threads are together that begin in one of them. */
  private BitSet together(int first) {
    BitSet known = together.get(first);
    if (known == null) {
      budget.take(1 + graph.size() / 128);
      known = new BitSet();
      Deque<Integer> open = new ArrayDeque<>(List.of(first));
      while (!open.isEmpty()) {
        int block = open.remove();
        if (!known.get(block)) {
          known.set(block);
          open.addAll(stage(block).next());
        }
      }
      together.put(first, known);
    }
    return known;
  }

  /** The blocks that threads come to which begin together in one. */
  private BitSet passed(int first) {
    BitSet known = passed.get(first);
    if (known == null) {
      BitSet found = new BitSet();
      together(first).stream().forEach(at -> found.or(stage(at).blocks()));
      known = found;
      passed.put(first, known);
    }
    return known;
  }

  private Stage stage(int block) {
    Stage known = stages.get(block);
    if (known == null) {
      Stage end = stops.get(block) ? new Stage(new BitSet(), List.of()) : end(block);
      BitSet blocks = (BitSet) end.blocks().clone();
      blocks.set(block);
      known = new Stage(blocks, end.next());
      stages.put(block, known);
    }
    return known;
  }

  /** What follows the end of a block, at which threads are together. */
  private Stage end(int block) {
    Stage known = ends.get(block);
    if (known == null) {
      known = computedEnd(block);
      ends.put(block, known);
    }
    return known;
  }

  private Stage computedEnd(int block) {
    List<Integer> successors = graph.block(block).successors();
    if (successors.size() < 2 || oneWay.get(block)) {
      return new Stage(new BitSet(), successors);
    }
    int join = graph.postdominator(block);
    BitSet apart = apart(successors, join);
    boolean goesAround = false;
    for (Loop loop : graph.loops()) {
      // Then some threads are further iterations ahead where the ways meet.
      goesAround |= loop.body.get(block) && apart.get(loop.header);
    }
    if (join < 0 || goesAround) {
      return new Stage(apart(successors, -1), List.of());
    }
    return new Stage(apart, List.of(join));
  }

  /** The blocks that threads come to before the one where they are together again. */
  private BitSet apart(Collection<Integer> from, int join) {
    budget.take(graph.size() / 8);
    return region(graph, from, join, stops);
  }

  /**
   * The blocks that control may come to from some on, before another one.
   *
   * @param stops the blocks behind which it does not go on
   */
  static BitSet region(ControlGraph graph, Collection<Integer> from, int end, BitSet stops) {
    BitSet found = new BitSet();
    Deque<Integer> open = new ArrayDeque<>(from);
    while (!open.isEmpty()) {
      int block = open.remove();
      if (block != end && !found.get(block)) {
        found.set(block);
        if (!stops.get(block)) {
          open.addAll(graph.block(block).successors());
        }
      }
    }
    return found;
  }
}
