package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Register;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The places in a thread's own memory that hold one value at a time, like registers: where
 * compilers keep variables if they do not optimise. A place is one if the kernel accesses it as a
 * whole, and no address of that memory gets out of sight. Immutable.
 *
 * <p>Which places these are depends on addresses, and these on what the places hold. It is assumed,
 * and then checked: as long as no access before it contradicts, the next one is as foreseen.
 */
final class LocalCells {
  /** No places. */
  static final LocalCells NONE =
      new LocalCells(new Accesses(Map.of(), new BitSet(), new BitSet(), List.of()));

  private static final int MAX_CELLS = 2_000;

  /** Where one element of an access is. */
  record Cell(long variable, long offset, int bits) {
    long end() {
      return offset + bits / Byte.SIZE;
    }
  }

  /**
   * How a kernel accesses the places.
   *
   * @param own the places that each load and store is of, by its instruction
   * @param reads the instructions that may read any place
   * @param changes the instructions that may change any place
   * @param widths the bits of each place
   */
  private record Accesses(
      Map<Integer, List<Integer>> own, BitSet reads, BitSet changes, List<Integer> widths) {}

  private final Accesses accesses;

  private LocalCells(Accesses accesses) {
    this.accesses = accesses;
  }

  /**
   * Finds the places that the accesses of a kernel are of, given the values in those that were
   * found before.
   *
   * @param locals the bases of the variables in a thread's own memory
   * @throws TooComplexException if there are too many, or if it accesses parts of them
   */
  static LocalCells of(KernelValues values, Dependences dependences, BitSet locals) {
    Map<Integer, List<Cell>> elements = new HashMap<>();
    BitSet reads = new BitSet();
    BitSet changes = new BitSet();
    for (MemoryAccess access : values.accesses()) {
      List<Cell> cells = cells(access, locals);
      if (!cells.isEmpty()) {
        elements.put(access.index(), cells);
      } else if (dependences.dependsOnAny(access.address(), locals)) {
        reads.set(access.index());
        changes.set(access.index(), access.writes() || changes.get(access.index()));
      }
    }
    return of(elements, reads, changes);
  }

  /**
   * Makes places of what accesses are of.
   *
   * @param elements where the elements of each plain access are, by its instruction
   * @param reads the other instructions that may read any place
   * @param changes those that may change any place
   */
  static LocalCells of(Map<Integer, List<Cell>> elements, BitSet reads, BitSet changes) {
    Set<Cell> all = new HashSet<>();
    elements.values().forEach(all::addAll);
    if (all.size() > MAX_CELLS) {
      throw new TooComplexException("it has too many local variables");
    }
    List<Cell> order = whole(all);
    Map<Cell, Integer> numbers = new HashMap<>();
    order.forEach(cell -> numbers.put(cell, numbers.size()));
    Map<Integer, List<Integer>> accessed = new HashMap<>();
    elements.forEach(
        (index, cells) -> {
          if (numbers.keySet().containsAll(cells)) {
            accessed.put(index, cells.stream().map(numbers::get).toList());
          } else if (cells.stream().anyMatch(numbers::containsKey)) {
            throw new TooComplexException("it has an access to parts of local variables");
          }
        });
    List<Integer> widths = order.stream().map(Cell::bits).toList();
    return new LocalCells(new Accesses(accessed, reads, changes, widths));
  }

  /** The places that no other one has a part of, in a fixed order. */
  private static List<Cell> whole(Set<Cell> all) {
    List<Cell> order = new ArrayList<>(all);
    order.sort(
        Comparator.comparingLong(Cell::variable)
            .thenComparingLong(Cell::offset)
            .thenComparingInt(Cell::bits));
    List<Cell> whole = new ArrayList<>();
    for (int i = 0; i < order.size(); ) {
      int next = i + 1;
      long end = order.get(i).end();
      while (next < order.size()
          && order.get(next).variable() == order.get(i).variable()
          && order.get(next).offset() < end) {
        end = Math.max(end, order.get(next).end());
        next++;
      }
      if (next == i + 1) {
        whole.add(order.get(i));
      }
      i = next;
    }
    return whole;
  }

  /** The places of the elements of a plain access; none if it is none in a thread's own memory. */
  private static List<Cell> cells(MemoryAccess access, BitSet locals) {
    Node base = access.address();
    long offset = 0;
    while (base.is(Operator.ADD) && base.input(1).is(Operator.CONSTANT)) {
      offset += base.input(1).constant;
      base = base.input(0);
    }
    return base.is(Operator.BASE) && locals.get((int) base.constant)
        ? cells(access.instruction(), access.width(), base.constant, offset)
        : List.of();
  }

  /**
   * The places of the elements of an access at an offset in a variable; none if it is not plain.
   */
  static List<Cell> cells(Instruction instruction, int width, long variable, long offset) {
    boolean isPlain = instruction.opcode().equals("ld") || instruction.opcode().equals("st");
    if (!isPlain || instruction.type() == null) {
      return List.of();
    }
    int bytes = Widths.element(instruction);
    List<Cell> cells = new ArrayList<>();
    for (int at = 0; at < width; at += bytes) {
      cells.add(new Cell(variable, offset + at, bytes * Byte.SIZE));
    }
    return bytes <= Long.BYTES && isWhole(instruction, cells.size()) ? cells : List.of();
  }

  /** Whether an access is a store, or a load that fills registers with all elements. */
  private static boolean isWhole(Instruction instruction, int elements) {
    return instruction.opcode().equals("st")
        || elements
            == instruction.operands().get(0).registers().stream()
                .mapToInt(Register::vectorLength)
                .sum();
  }

  /** Whether no address of the places gets out of sight. */
  static boolean areKept(KernelValues values, Dependences dependences, BitSet locals) {
    return values.escaping().stream().noneMatch(value -> dependences.dependsOnAny(value, locals));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LocalCells cells && accesses.equals(cells.accesses);
  }

  @Override
  public int hashCode() {
    return accesses.hashCode();
  }

  /** How many places there are. */
  int count() {
    return accesses.widths.size();
  }

  int bits(int cell) {
    return accesses.widths.get(cell);
  }

  /** The places that a load or a store is of, one for each of its elements; null if of none. */
  @Nullable List<Integer> of(int instruction) {
    // Optimised code has none.
    return accesses.own.isEmpty() ? null : accesses.own.get(instruction);
  }

  /** Whether an instruction may read any place. */
  boolean readsAny(int instruction) {
    return accesses.reads.get(instruction);
  }

  /** Whether an instruction may store to any place. */
  boolean changesAny(int instruction) {
    return accesses.changes.get(instruction);
  }
}
