package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Mnemonic;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * A function prepared for the analysis: its rules, its basic blocks, and the uses of its registers.
 * Confined to one thread.
 */
public final class FunctionFlow {
  private final PtxFunction function;
  private final Opcode[] rules;
  private final ControlFlow control;
  private final RegisterSlots slots;

  /** The index of the first user of each slot in the array below. */
  private final int[] starts;

  private final int[] users;

  /** Filled when a message first needs it. */
  private final Map<Integer, List<Integer>> writers = new HashMap<>();

  public FunctionFlow(PtxFunction function) {
    this.function = function;
    int count = function.instructions().size();
    rules = new Opcode[count];
    int[][] assigned = new int[count][];
    // The instructions of a module that are written alike share their words.
    IdentityHashMap<Mnemonic, Opcode> known = new IdentityHashMap<>();
    for (int i = 0; i < count; i++) {
      Instruction instruction = instruction(i);
      Opcode row = known.get(instruction.words());
      if (row == null) {
        row = OpcodeTable.row(instruction);
        known.put(instruction.words(), row);
      }
      rules[i] = OpcodeTable.rule(instruction, row);
      assigned[i] = rules[i].assigned(instruction);
    }
    control = new ControlFlow(function, rules, new ConstantPredicates(function, assigned));
    slots = new RegisterSlots(function, control, rules, assigned);
    int[] uses = new int[4 * count + 1];
    int used = 0;
    int[] ends = new int[count];
    for (int i = 0; i < count; i++) {
      List<Operand> operands = instruction(i).operands();
      for (int operand = 0; operand < operands.size(); operand++) {
        if (rules[i].isSource(operand)) {
          for (int register : operands.get(operand).registerIndexes()) {
            uses = used == uses.length ? Arrays.copyOf(uses, 2 * used) : uses;
            uses[used++] = slots.use(i, register);
          }
        }
      }
      if (Carry.isAdded(instruction(i))) {
        uses = used == uses.length ? Arrays.copyOf(uses, 2 * used) : uses;
        uses[used++] = slots.use(i, slots.carry());
      }
      ends[i] = used;
    }
    starts = new int[slots.size() + 2];
    for (int use = 0; use < used; use++) {
      starts[uses[use] + 2]++;
    }
    for (int i = 2; i < starts.length; i++) {
      starts[i] += starts[i - 1];
    }
    users = new int[used];
    int use = 0;
    for (int i = 0; i < count; i++) {
      for (; use < ends[i]; use++) {
        users[starts[uses[use] + 1]++] = i;
      }
    }
  }

  public PtxFunction function() {
    return function;
  }

  /** Returns whether this is the flow of a function; names are unique in a module. */
  public boolean isOf(PtxFunction other) {
    return function.name().equals(other.name());
  }

  public int size() {
    return rules.length;
  }

  public Instruction instruction(int index) {
    return function.instructions().get(index);
  }

  public Opcode rule(int index) {
    return rules[index];
  }

  public RegisterSlots slots() {
    return slots;
  }

  /** Returns whether an instruction starts a basic block. */
  boolean isLeader(int index) {
    return control.isLeader(index);
  }

  public boolean isReachable(int index) {
    return control.isReachable(index);
  }

  /** Returns the instructions that use a slot, in order and with repetitions. */
  public int[] users(int slot) {
    return Arrays.copyOfRange(users, starts[slot], starts[slot + 1]);
  }

  /** Returns the reachable instructions that assign to a slot, in order. */
  public int[] writers(int slot) {
    if (writers.isEmpty()) {
      for (int i = 0; i < size(); i++) {
        if (isReachable(i)) {
          addWriter(i);
        }
      }
    }
    return writers.getOrDefault(slot, List.of()).stream().mapToInt(Integer::intValue).toArray();
  }

  private void addWriter(int index) {
    List<Operand> operands = instruction(index).operands();
    for (int i = 0; i < operands.size(); i++) {
      if (rules[index].isDestination(i) || rules[index].effect() == Opcode.Effect.CALLS) {
        operands
            .get(i)
            .forEachRegister(
                register -> {
                  int slot = slots.assignment(index, register);
                  writers.computeIfAbsent(slot, s -> new ArrayList<>(1)).add(index);
                  if (slot != register && slots.isLasting(slot)) {
                    writers.computeIfAbsent(register, s -> new ArrayList<>(1)).add(index);
                  }
                });
      }
    }
  }
}
