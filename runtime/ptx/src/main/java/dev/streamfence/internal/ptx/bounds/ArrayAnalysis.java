package dev.streamfence.internal.ptx.bounds;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.LoadedNumbers;
import dev.streamfence.internal.ptx.symbolic.MemoryAccess;
import dev.streamfence.internal.ptx.symbolic.Node;
import dev.streamfence.internal.ptx.symbolic.Node.Operator;
import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The analysis of a kernel's accesses to one array. Confined to one thread, used once. */
final class ArrayAnalysis {
  /**
   * Accesses whose addresses differ by a constant only, and of which all are made if one is. Their
   * addresses are those of their formulas if that holds of the first and the last one.
   */
  private record Neighbours(int block, @Nullable Node guard, Node address) {
    static Neighbours of(MemoryAccess access) {
      Node address = access.address();
      return new Neighbours(
          access.block(), access.guard(), isMoved(address) ? address.input(0) : address);
    }

    static boolean isMoved(Node address) {
      return address.is(Operator.ADD)
          && address.input(1).is(Operator.CONSTANT)
          && address.input(1).constant == (int) address.input(1).constant;
    }
  }

  private final int array;
  private final ArrayPlace place;
  private final KernelValues values;
  private final Formulas formulas;
  private final Ranges ranges;
  private final Dependences dependences;
  private final Certainty certainty;
  private final LoadedNumbers loaded;
  private final List<TouchedRange> touched = new ArrayList<>();
  private final List<MemoryAccess> inArray = new ArrayList<>();
  private List<CertainAccess> certain = List.of();
  private @Nullable Instruction unclear;
  private String reason = "";

  ArrayAnalysis(
      int array,
      ArrayPlace place,
      KernelValues values,
      Formulas formulas,
      Ranges ranges,
      Dependences dependences,
      Certainty certainty,
      LoadedNumbers loaded) {
    this.array = array;
    this.place = place;
    this.values = values;
    this.formulas = formulas;
    this.ranges = ranges;
    this.dependences = dependences;
    this.certainty = certainty;
    this.loaded = loaded;
  }

  ArrayAnalysis analyse() {
    boolean escapes = false;
    for (Node value : values.escaping()) {
      escapes |= dependences.dependsOn(value, array);
    }
    if (escapes) {
      reason = "its address leaves the registers of the thread";
    }
    List<MemoryAccess> accesses = new ArrayList<>();
    for (MemoryAccess access : values.accesses()) {
      if (dependences.dependsOn(access.address(), array)) {
        accesses.add(access);
      }
    }
    Set<MemoryAccess> outermost = outermost(accesses);
    for (MemoryAccess access : accesses) {
      try {
        add(access, outermost.contains(access));
      } catch (TooComplexException e) {
        unclear(access, String.valueOf(e.getMessage()));
      }
    }
    try {
      certain = certainty.of(inArray);
    } catch (TooComplexException e) {
      // What is certain of them takes too much work to find.
    }
    return this;
  }

  /**
   * Some accesses without those between others: what an unrolled loop touches is what the first and
   * the last of its accesses touch, and all that lies between them.
   */
  private static Set<MemoryAccess> outermost(List<MemoryAccess> accesses) {
    Map<Neighbours, MemoryAccess> first = new HashMap<>();
    Map<Neighbours, MemoryAccess> last = new HashMap<>();
    Set<MemoryAccess> found = Collections.newSetFromMap(new IdentityHashMap<>());
    for (MemoryAccess access : accesses) {
      Neighbours neighbours = Neighbours.of(access);
      if (access.width() == 0) {
        found.add(access);
      } else {
        first.merge(neighbours, access, (a, b) -> begin(b) < begin(a) ? b : a);
        last.merge(neighbours, access, (a, b) -> end(b) > end(a) ? b : a);
      }
    }
    found.addAll(first.values());
    found.addAll(last.values());
    return found;
  }

  private static long begin(MemoryAccess access) {
    return Neighbours.isMoved(access.address()) ? access.address().input(1).constant : 0;
  }

  private static long end(MemoryAccess access) {
    return begin(access) + access.width();
  }

  ArrayBounds bounds() {
    return new ArrayBounds(place, reason.isEmpty() ? null : unclear, reason);
  }

  /** All bytes that the kernel may touch; none if they are not limited. */
  List<TouchedRange> touched() {
    return reason.isEmpty() ? touched : List.of();
  }

  /** The accesses that are certain. */
  List<CertainAccess> certain() {
    return certain;
  }

  /**
   * Adds an access to this array.
   *
   * @param isOutermost false if it lies between others
   */
  private void add(MemoryAccess access, boolean isOutermost) {
    Polynomial address = formulas.of(access.address());
    Node base = formulas.base(address);
    if (base == null || base.constant != array) {
      unclear(access, "the address is no sum of the array's and of numbers");
      return;
    }
    if (access.width() == 0) {
      unclear(
          access,
          "'" + access.instruction().mnemonic() + "' touches a number of bytes that is unknown");
      return;
    }
    if (Widths.touchesAll(access.instruction())) {
      inArray.add(access);
    }
    if (!isOutermost || !reason.isEmpty()) {
      return;
    }
    try {
      add(access, ranges.at(access));
    } catch (TooComplexException e) {
      // What the branches say of the place is too long: the index itself may have limits.
      add(access, ranges.nothing());
    }
  }

  private void add(MemoryAccess access, Context context) {
    int range = ranges.range(requireNonNull(formulas.offset(access.address())), context);
    RangeProgram.RangeStep step = ranges.program().step(range);
    if (!step.hasLow() || !step.hasHigh()) {
      unclear(access, cause(access.address(), step));
      return;
    }
    touched.add(
        new TouchedRange(
            range,
            ranges.guards(context).stream().mapToInt(Integer::intValue).toArray(),
            ranges.checks(access.address(), context),
            access.width()));
  }

  private void unclear(MemoryAccess access, String why) {
    if (reason.isEmpty()) {
      unclear = access.instruction();
      reason = why;
    }
  }

  private String cause(Node address, RangeProgram.RangeStep step) {
    Polynomial formula = formulas.of(address);
    List<Node> parts = formulas.parts(formula);
    String end = step.hasLow() ? " from above" : step.hasHigh() ? " from below" : "";
    if (formula.has(id -> formulas.loads(id))) {
      List<Node> reached = Node.reached(parts, node -> !node.is(Operator.UNKNOWN));
      if (reached.stream().anyMatch(loaded::isStored)) {
        return "the index is a value that the kernel loads from an array to which it may store,"
            + " so the declared limit of its numbers does not count";
      }
      return (reached.stream().anyMatch(this::isReceived)
              ? "the index is a value that the kernel loads or receives"
              : "the index is computed in a way that is not followed")
          + ", and nothing limits it"
          + end;
    }
    return formula.has(id -> formulas.is(id, Operator.ITERATION))
        ? "the index grows in a loop of which no end was found"
        : "nothing limits the index" + end;
  }

  /** Whether a value comes from memory: what is computed otherwise has operands. */
  private boolean isReceived(Node value) {
    return value.is(Operator.UNKNOWN) && (value.inputs.isEmpty() || values.load(value) != null);
  }
}
