package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Divides the registers of a function into slots, so that values that use the same register one
 * after another stay apart. Within a basic block, each assignment has a slot of its own. The value
 * at the end of a block also goes to the register's common slot, from which all other blocks read
 * it. The carry flag counts as a register.
 */
public final class RegisterSlots {
  private final SlotMap uses = new SlotMap();
  private final SlotMap assignments = new SlotMap();
  private final BitSet lasting = new BitSet();
  private final BitSet reassigned = new BitSet();
  private final BitSet assigned = new BitSet();
  private final BitSet computed = new BitSet();

  /** The slots of the current basic block, by register; 0 for none, otherwise more by one. */
  private final int[] current;

  /** The registers that have one. */
  private final BitSet used = new BitSet();

  private final int carry;
  private int size;

  /**
   * Divides the registers.
   *
   * @param registers the registers that each instruction may assign, without the carry
   */
  RegisterSlots(PtxFunction function, ControlFlow control, Opcode[] rules, int[][] registers) {
    List<Instruction> instructions = function.instructions();
    boolean carries = false;
    for (Instruction instruction : instructions) {
      carries |= Carry.isAdded(instruction);
    }
    carry = carries ? function.registers() : -1;
    size = function.registers() + (carries ? 1 : 0);
    current = new int[size];
    BitSet once = new BitSet();
    for (int i = 0; i < instructions.size(); i++) {
      for (int register : assigned(instructions.get(i), registers[i])) {
        (once.get(register) ? reassigned : once).set(register);
      }
    }
    for (int i = 0; i < instructions.size(); i++) {
      if (control.isLeader(i)) {
        endBlock();
      }
      add(i, instructions.get(i), rules[i], registers[i]);
    }
    endBlock();
  }

  private void endBlock() {
    for (int register = used.nextSetBit(0);
        register >= 0;
        register = used.nextSetBit(register + 1)) {
      lasting.set(current[register] - 1);
      current[register] = 0;
    }
    used.clear();
  }

  private void add(int index, Instruction instruction, Opcode rule, int[] registers) {
    for (Operand operand : instruction.operands()) {
      for (int register : operand.registerIndexes()) {
        recordUse(index, register);
      }
    }
    if (instruction.guard() != null) {
      recordUse(index, instruction.guard().predicate().index());
    }
    if (Carry.isAdded(instruction)) {
      recordUse(index, carry);
    }
    // An assignment that may leave the old value in place joins its slot.
    boolean sure = instruction.guard() == null && !rule.assignsAny();
    for (int register : assigned(instruction, registers)) {
      mark(register, rule);
      if (!reassigned.get(register)) {
        continue;
      }
      if (sure) {
        current[register] = ++size;
        used.set(register);
      }
      int slot = current[register] - 1;
      if (slot >= 0) {
        assignments.put(index, register, slot);
        mark(slot, rule);
      }
    }
  }

  private void recordUse(int index, int register) {
    int slot = current[register] - 1;
    if (slot >= 0) {
      uses.put(index, register, slot);
    }
  }

  private void mark(int slot, Opcode rule) {
    assigned.set(slot);
    if (rule.effect() == Opcode.Effect.COMPUTES) {
      computed.set(slot);
    }
  }

  private int[] assigned(Instruction instruction, int[] registers) {
    if (carry < 0 || !Carry.isAssigned(instruction)) {
      return registers;
    }
    int[] all = Arrays.copyOf(registers, registers.length + 1);
    all[registers.length] = carry;
    return all;
  }

  /** Returns the register that stands for the carry flag; negative if no instruction adds it. */
  public int carry() {
    return carry;
  }

  /** Returns the number of slots; the first ones are the common slots of the registers. */
  public int size() {
    return size;
  }

  /** Returns the slot from which an instruction reads a register. */
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

  /** Returns whether the value of a slot is computed from other slots. */
  public boolean isComputed(int slot) {
    return computed.get(slot);
  }

  /** Returns whether other basic blocks read the value of a slot. */
  public boolean isLasting(int slot) {
    return lasting.get(slot);
  }
}
