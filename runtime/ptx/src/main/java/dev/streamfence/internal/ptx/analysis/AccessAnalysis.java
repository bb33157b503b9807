package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.BitArithmetic;
import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.ir.RegisterSlots;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Lexer;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Computes the provenance of every value of an entry as a fixpoint, then records the accesses. The
 * order of instructions matters only within a basic block: a value that is stored in a variable, or
 * is in a register at the end of a block, may be found everywhere. Works without recursion.
 * Confined to one thread, used once.
 *
 * <p>This is a points-to analysis by inclusion (Andersen, "Program Analysis and Specialization for
 * the C Programming Language", 1994), in which a value also tells how it contains an address. Calls
 * are told apart by clones of the functions, which {@link Activations} bounds.
 */
final class AccessAnalysis {
  private final PtxModule module;
  private final AccessLedger ledger;
  private final Worklist worklist;
  private final AbstractMemory memory = new AbstractMemory();
  private final Activations activations;
  private final Escapes escapes;
  private final ValueFlow values = new ValueFlow(this);
  private final ComputeFlow computing = new ComputeFlow(this, values);
  private final MemoryFlow accessing;
  private final CallFlow calling;

  AccessAnalysis(ModuleAnalysis shared, AccessLedger ledger) {
    this.module = shared.module();
    this.ledger = ledger;
    worklist = new Worklist(shared);
    activations = new Activations(memory, worklist, shared);
    escapes = new Escapes(memory, worklist, ledger);
    accessing = new MemoryFlow(this, values, new ObjectFlow(this, memory));
    calling = new CallFlow(this, values);
  }

  /** Runs the analysis and fills the ledger. */
  void run(PtxFunction entry, EntryParameters parameters) {
    try {
      Activation root = activations.activate(entry, null);
      parameters.store(variable -> object(root, variable));
      worklist.drain(this::evaluate);
      while (raiseBottoms()) {
        worklist.drain(this::evaluate);
      }
      record(root);
    } catch (TooLargeException e) {
      ledger.giveUp(entry, e.fact());
    }
  }

  /**
   * Raises registers that are still bottom to a number: first those that no instruction assigns to,
   * then those loaded from memory in which nothing was stored, and last those computed in a circle.
   * Returns whether there were any; if so, the iteration continues.
   */
  private boolean raiseBottoms() {
    return raiseBottoms((slots, slot) -> !slots.isAssigned(slot))
        || raiseBottoms((slots, slot) -> !slots.isComputed(slot))
        || raiseBottoms((slots, slot) -> true);
  }

  @FunctionalInterface
  private interface SlotChoice {
    boolean matches(RegisterSlots slots, int slot);
  }

  private boolean raiseBottoms(SlotChoice choice) {
    boolean found = false;
    for (Activation activation : activations.all()) {
      RegisterSlots slots = activation.flow().slots();
      worklist.charge(slots.size() / 8);
      for (int slot = 0; slot < slots.size(); slot++) {
        if (activation.slot(slot).isBottom() && choice.matches(slots, slot)) {
          assign(activation, slot, Provenance.NUMBER);
          found = true;
        }
      }
    }
    return found;
  }

  private void evaluate(Step step) {
    worklist.charge(1);
    Opcode rule = step.activation().flow().rule(step.index());
    if (rule.effect() == Opcode.Effect.CALLS) {
      calling.evaluate(step);
    } else if (rule.effect() == Opcode.Effect.COMPUTES) {
      computing.evaluate(step, rule.transfer());
    } else if (!rule.operands().isEmpty()) {
      accessing.evaluate(step, rule);
    } else if (rule.effect() == Opcode.Effect.UNKNOWN) {
      unknown(step);
    }
  }

  /** Evaluates an unknown opcode: each register may receive a value that depends on all others. */
  private void unknown(Step step) {
    Provenance mixed = Provenance.FOREIGN;
    String opcode = Lexer.shortened(step.instruction().mnemonic());
    List<Operand> operands = new ArrayList<>();
    step.instruction().operands().forEach(operand -> ValueFlow.addSimple(operand, operands));
    for (Operand operand : operands) {
      Provenance value = values.value(step, operand);
      escapes.unknown(step, value, "the analysis does not know '" + opcode + "'");
      if (!value.isBottom()) {
        mixed = mixed.join(BitArithmetic.mix(mixed, value));
      }
    }
    for (Operand operand : operands) {
      values.assign(step, operand, mixed);
    }
  }

  private void record(Activation root) {
    worklist.close();
    ledger.open();
    Set<Activation> reached = new LinkedHashSet<>();
    Deque<Activation> open = new ArrayDeque<>(List.of(root));
    while (!open.isEmpty()) {
      Activation activation = open.remove();
      if (!reached.add(activation)) {
        continue;
      }
      for (int i = 0; i < activation.flow().size(); i++) {
        if (!activation.flow().isReachable(i)) {
          continue;
        }
        Opcode.Effect effect = activation.flow().rule(i).effect();
        boolean converts = activation.flow().instruction(i).opcode().equals("cvta");
        if (effect == Opcode.Effect.COMPUTES && !converts) {
          // It shows no access, and has its value.
          worklist.charge(1);
        } else {
          evaluate(new Step(activation, i));
        }
        if (effect == Opcode.Effect.CALLS) {
          open.addAll(activation.callees(i));
        }
      }
    }
    escapes.report();
  }

  AccessLedger ledger() {
    return ledger;
  }

  Escapes escapes() {
    return escapes;
  }

  Activations activations() {
    return activations;
  }

  Worklist worklist() {
    return worklist;
  }

  int pointerBytes() {
    return module.addressSize() / 8;
  }

  int pointerBits() {
    return module.addressSize();
  }

  void assign(Activation activation, int slot, Provenance value) {
    if (!activation.assign(slot, value)) {
      return;
    }
    worklist.charge(value.weight() / 4);
    for (int user : activation.flow().users(slot)) {
      worklist.add(activation, user);
    }
    activation.calls().forEach(call -> worklist.add(call.activation(), call.index()));
  }

  void changed(MemoryObject object) {
    memory.readers(object).forEach(worklist::addAll);
  }

  void copy(MemoryObject from, MemoryObject to) {
    worklist.charge(from.size());
    if (to.storeAll(from)) {
      changed(to);
    }
  }

  /** Returns the power of two of which the address of an object is a multiple. */
  int alignment(int object) {
    return memory.object(object).alignment();
  }

  /** Returns the object of a variable in one activation of its function. */
  MemoryObject object(Activation activation, Variable variable) {
    return activations.object(activation, variable);
  }

  /** Returns the place through which lanes exchange values by instructions of one kind. */
  MemoryObject lanes(Instruction instruction) {
    return memory.lanes(instruction.mnemonic());
  }

  /** Returns the origin of the address of a variable. */
  int origin(Activation activation, Variable variable) {
    boolean isOfModule =
        variable.space() == StateSpace.GLOBAL || variable.space() == StateSpace.CONST;
    Integer analysed = isOfModule ? ledger.variable(variable.name()) : null;
    return analysed == null ? object(activation, variable).origin() : analysed;
  }

  /** Returns the origin of the address that a name in the code stands for. */
  int origin(String name) {
    Integer analysed = ledger.variable(name);
    return analysed == null ? named(name).origin() : analysed;
  }

  /** Returns the object that a name in the code stands for. */
  private MemoryObject named(String name) {
    return module.function(name).map(memory::function).orElse(memory.elsewhere());
  }

  /** Returns whether a name is the own name of a function, and not an alias of another one. */
  boolean isItself(String name) {
    return !module.isAlias(name);
  }

  /** Returns the function at an address, or null if the address is not exactly a function's. */
  @Nullable PtxFunction functionAt(Derivation address) {
    boolean isStart = address.isPlace() && address.isFixed() && address.offset() == 0;
    return isStart ? memory.object(address.origin(0)).function() : null;
  }
}
