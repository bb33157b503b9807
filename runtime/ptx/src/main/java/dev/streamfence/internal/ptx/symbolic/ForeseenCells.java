package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.symbolic.LocalCells.Cell;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places in a thread's own memory as far as single instructions show them: addresses of
 * variables with constants added, in registers that are assigned once. An evaluation of the kernel
 * with these places usually confirms them, which saves those that would find them. Used once.
 */
final class ForeseenCells {
  /** An address in a variable of the thread. */
  private record Place(Variable variable, long offset) {}

  private final FunctionFlow flow;

  /** How often each register is assigned; an assignment that a guard may leave out counts twice. */
  private final int[] assignments;

  private final @Nullable Place[] places;

  /** The registers that are computed from an address in some other way. */
  private final BitSet derived = new BitSet();

  /** The variables in the order in which the code takes their addresses. */
  private final List<Variable> variables = new ArrayList<>();

  private final Map<Integer, List<Cell>> elements = new HashMap<>();
  private final BitSet reads = new BitSet();
  private final BitSet changes = new BitSet();

  /**
   * Whether what is computed from an address is handed on, other than to the thread's own memory.
   */
  private boolean escapes;

  private ForeseenCells(FunctionFlow flow) {
    this.flow = flow;
    this.assignments = new int[flow.function().registers()];
    this.places = new Place[assignments.length];
  }

  /** The places; null if single instructions hand on what is computed from an address. */
  static @Nullable LocalCells of(FunctionFlow flow, ControlGraph graph) {
    if (flow.function().locals().stream().noneMatch(ForeseenCells::isLocal)) {
      return LocalCells.NONE;
    }
    ForeseenCells found = new ForeseenCells(flow);
    for (int i = 0; i < flow.size(); i++) {
      for (int register : flow.assigned(i)) {
        found.assignments[register] += flow.instruction(i).guard() == null ? 1 : 2;
      }
    }
    for (int block = 0; block < graph.size(); block++) {
      for (int i = graph.block(block).first(); i < graph.block(block).end(); i++) {
        found.follow(i);
      }
    }
    return found.escapes ? null : LocalCells.of(found.elements, found.reads, found.changes);
  }

  private static boolean isLocal(Variable variable) {
    return variable.space() == StateSpace.LOCAL;
  }

  private void follow(int index) {
    Instruction instruction = flow.instruction(index);
    boolean isAnyDerived = false;
    for (int i = 0; i < instruction.operands().size(); i++) {
      Operand operand = instruction.operands().get(i);
      if (flow.rule(index).isAddress(i) && operand instanceof Operand.Memory memory) {
        addAccess(index, memory, flow.rule(index).letter(i) != 'r');
      } else if (flow.rule(index).isSource(i) && (place(operand) != null || isDerived(operand))) {
        isAnyDerived = true;
        boolean staysHere = flow.rule(index).letter(i) == 'v' && isStoredHere(index);
        escapes |= flow.rule(index).handsOn(i) && !staysHere;
      }
    }
    if (isAnyDerived) {
      Place place = computed(instruction);
      for (int register : flow.assigned(index)) {
        boolean isOnly = assignments[register] == 1;
        places[register] = isOnly ? place : null;
        derived.set(register, !isOnly || place == null);
      }
    }
  }

  private boolean isStoredHere(int index) {
    return elements.containsKey(index) || reads.get(index);
  }

  private void addAccess(int index, Operand.Memory memory, boolean writes) {
    Place base = place(memory.base());
    List<Cell> cells =
        base == null
            ? List.of()
            : LocalCells.cells(
                flow.instruction(index),
                Widths.access(flow.instruction(index)),
                number(base.variable()),
                base.offset() + memory.offset());
    if (!cells.isEmpty()) {
      elements.put(index, cells);
    } else if (base != null || isDerived(memory.base())) {
      reads.set(index);
      changes.set(index, writes || changes.get(index));
    }
  }

  private int number(Variable variable) {
    int number = variables.indexOf(variable);
    if (number < 0) {
      variables.add(variable);
      number = variables.size() - 1;
    }
    return number;
  }

  /** The address that an operand is; null if it is none, or not known. */
  private @Nullable Place place(Operand operand) {
    if (operand instanceof Operand.VariableAddress address && isLocal(address.variable())) {
      return new Place(address.variable(), address.offset());
    }
    return operand instanceof Operand.RegisterUse use ? places[use.register().index()] : null;
  }

  private boolean isDerived(Operand operand) {
    for (int register : operand.registerIndexes()) {
      if (derived.get(register)) {
        return true;
      }
    }
    return false;
  }

  /** The address that an instruction computes; null if it computes none, or it is not known. */
  private @Nullable Place computed(Instruction instruction) {
    List<Operand> operands = instruction.operands();
    Place base = operands.size() > 1 ? place(operands.get(1)) : null;
    if (base == null || operands.size() > 3) {
      return null;
    }
    long added =
        operands.size() == 3 && operands.get(2) instanceof Operand.IntegerLiteral literal
            ? literal.value()
            : 0;
    boolean isPlace =
        switch (instruction.opcode()) {
          case "mov", "cvta" -> operands.size() == 2;
          case "add" -> operands.get(2) instanceof Operand.IntegerLiteral;
          case "or" ->
              added > 0 && added < base.variable().alignment() && (base.offset() & added) == 0;
          default -> false;
        };
    return isPlace ? new Place(base.variable(), base.offset() + added) : null;
  }
}
