package dev.streamfence.internal.ptx.analysis.controlflow;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells values apart that a function keeps in the same register one after another. Each assignment
 * has a slot of its own for as long as control runs straight on; what is still there at the end of
 * a straight piece goes to the register's common slot, from which all other pieces take it.
 */
public final class RegisterSlots {
  private final SlotMap uses = new SlotMap();
  private final SlotMap assignments = new SlotMap();
  private final BitSet lasting = new BitSet();
  private final BitSet reassigned = new BitSet();
  private final BitSet assigned = new BitSet();
  private final BitSet computed = new BitSet();

  /** The slots of the piece of code that is being looked at, by register. */
  private final Map<Integer, Integer> current = new HashMap<>();

  private int size;

  RegisterSlots(PtxFunction function, ControlFlow control, OpcodeRule[] rules) {
    size = function.registers();
    List<Instruction> instructions = function.instructions();
    BitSet once = new BitSet();
    for (int i = 0; i < instructions.size(); i++) {
      for (int register : assigned(instructions.get(i), rules[i])) {
        (once.get(register) ? reassigned : once).set(register);
      }
    }
    for (int i = 0; i < instructions.size(); i++) {
      if (control.isLeader(i)) {
        endPiece();
      }
      add(i, instructions.get(i), rules[i]);
    }
    endPiece();
  }

  private void endPiece() {
    current.values().forEach(lasting::set);
    current.clear();
  }

  private void add(int index, Instruction instruction, OpcodeRule rule) {
    for (Operand operand : instruction.operands()) {
      Registers.forEach(
          operand,
          register -> {
            Integer slot = current.get(register);
            if (slot != null) {
              uses.put(index, register, slot);
            }
          });
    }
    // What may leave the old value in place adds to it.
    boolean sure = instruction.guard() == null && isSure(rule);
    for (int register : assigned(instruction, rule)) {
      mark(register, rule);
      if (!reassigned.get(register)) {
        continue;
      }
      if (sure) {
        current.put(register, size++);
      }
      Integer slot = current.get(register);
      if (slot != null) {
        assignments.put(index, register, slot);
        mark(slot, rule);
      }
    }
  }

  private void mark(int slot, OpcodeRule rule) {
    assigned.set(slot);
    if (rule.effect() == OpcodeRule.Effect.COMPUTES) {
      computed.set(slot);
    }
  }

  private static boolean isSure(OpcodeRule rule) {
    return rule.effect() != OpcodeRule.Effect.UNKNOWN && rule.effect() != OpcodeRule.Effect.CALLS;
  }

  private static List<Integer> assigned(Instruction instruction, OpcodeRule rule) {
    List<Integer> registers = new ArrayList<>();
    for (int i = 0; i < instruction.operands().size(); i++) {
      if (!isSure(rule) || rule.isDestination(i)) {
        Registers.forEach(instruction.operands().get(i), registers::add);
      }
    }
    return registers;
  }

  /** Returns how many slots there are; the first ones belong to the registers. */
  public int size() {
    return size;
  }

  /** Returns the slot in which an instruction finds what a register holds. */
  public int use(int instruction, int register) {
    return reassigned.get(register) ? uses.get(instruction, register) : register;
  }

  /** Returns the slot to which an instruction assigns. */
  public int assignment(int instruction, int register) {
    return reassigned.get(register) ? assignments.get(instruction, register) : register;
  }

  /** Returns whether any instruction assigns to a slot. */
  public boolean isAssigned(int slot) {
    return assigned.get(slot);
  }

  /** Returns whether what a slot holds is computed from other slots. */
  public boolean isComputed(int slot) {
    return computed.get(slot);
  }

  /** Returns whether what is assigned to a slot is also seen elsewhere. */
  public boolean isLasting(int slot) {
    return lasting.get(slot);
  }
}
