package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.KernelMemory;
import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * The accesses of a kernel to memory that several threads reach; of those that differ in nothing
 * that matters, one. Confined to one thread.
 */
final class SharedAccesses {
  /** The most accesses to one memory that are compared. */
  static final int MOST = 200;

  private final ControlGraph graph;
  private final KernelMemory memory;
  private final Symbols symbols;
  private final Map<Integer, List<SharedAccess>> accesses = new LinkedHashMap<>();

  /** The memories that are stored to. */
  private final Set<Integer> written = new TreeSet<>();

  SharedAccesses(
      FunctionFlow flow,
      ControlGraph graph,
      KernelValues values,
      Formulas formulas,
      KernelMemory memory,
      Symbols symbols) {
    this.graph = graph;
    this.memory = memory;
    this.symbols = symbols;
    collect(values, formulas, barriers(flow));
  }

  List<SharedAccess> all() {
    return accesses.values().stream().flatMap(List::stream).toList();
  }

  boolean areTooMany() {
    return accesses.values().stream().anyMatch(each -> each.size() > MOST);
  }

  boolean isWritten(int base) {
    return written.contains(base);
  }

  /** Whether any memory is stored to that matches. */
  boolean isAnyWritten(IntPredicate choice) {
    return written.stream().anyMatch(choice::test);
  }

  /** The pairs of accesses that may conflict, first those of one instruction in two threads. */
  List<List<SharedAccess>> pairs() {
    List<List<SharedAccess>> found = new ArrayList<>();
    for (int distance = 0; distance < MOST; distance++) {
      for (int base : written) {
        List<SharedAccess> all = accesses.getOrDefault(base, List.of());
        for (int i = 0; i + distance < all.size(); i++) {
          if (conflicts(all.get(i), all.get(i + distance))) {
            found.add(List.of(all.get(i), all.get(i + distance)));
          }
        }
      }
    }
    return found;
  }

  private void collect(KernelValues values, Formulas formulas, BitSet barriers) {
    record Alike(
        int base,
        int block,
        int barriers,
        int guard,
        Polynomial offset,
        boolean isExact,
        int width,
        String instruction) {}

    Set<Alike> seen = new HashSet<>();
    for (MemoryAccess access : values.accesses()) {
      Node base = Obstacles.isLocal(access.instruction()) ? null : formulas.base(access.address());
      if (base == null || memory.isPrivate((int) base.constant)) {
        continue;
      }
      int index = (int) base.constant;
      Polynomial offset =
          symbols.fixed(formulas.of(access.address()).minus(Polynomial.of(base.id)));
      if (offset == null) {
        throw new TooComplexException("an address is too long a formula");
      }
      if (access.writes()) {
        written.add(index);
      }
      boolean isExact = symbols.isExact(access.address());
      Alike alike =
          new Alike(
              index,
              access.block(),
              barriersBefore(access, barriers),
              access.guard() == null ? -1 : access.guard().id,
              offset,
              isExact,
              access.width(),
              access.instruction().mnemonic());
      if (seen.add(alike)) {
        accesses
            .computeIfAbsent(index, key -> new ArrayList<>())
            .add(new SharedAccess(access, index, memory.isGlobal(index), offset, isExact));
      }
    }
  }

  private static BitSet barriers(FunctionFlow flow) {
    BitSet found = new BitSet();
    for (int i = 0; i < flow.size(); i++) {
      found.set(i, BarrierIntervals.isBarrier(flow.instruction(i)));
    }
    return found;
  }

  /** How many barriers of its block of code lie before an access. */
  private int barriersBefore(MemoryAccess access, BitSet barriers) {
    return barriers.get(graph.block(access.block()).first(), access.index()).cardinality();
  }

  /** Whether two accesses would be a race if they met. */
  private static boolean conflicts(SharedAccess one, SharedAccess other) {
    return (one.writes() || other.writes()) && !one.isOrderedWith(other);
  }
}
