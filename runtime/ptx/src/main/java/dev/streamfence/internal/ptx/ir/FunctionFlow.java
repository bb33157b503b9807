package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Mnemonic;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.Register;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A function prepared for the analysis: its rules, its basic blocks, and the uses of its registers.
 * Confined to one thread.
 */
public final class FunctionFlow {
  private static final int[] NONE = {};

  private final PtxFunction function;
  private final Opcode[] rules;
  private final int[][] assigned;

  /** The bits of each register; null until the first is asked for. */
  private int @Nullable [] bits;

  /** What each instruction computes, or null; null until the first is asked for. */
  private @Nullable Computation @Nullable [] computations;

  private final ControlFlow control;
  private final RegisterSlots slots;

  /** The index of the first user of each slot in the array below. */
  private final int[] starts;

  private final int[] users;

  /** Filled when a message first needs it. */
  private final Map<Integer, List<Integer>> writers = new HashMap<>();

  public FunctionFlow(PtxFunction function) {
    this.function = function;
    rules = rules(function);
    assigned = new int[rules.length][];
    Arrays.setAll(assigned, i -> rules[i].assigned(instruction(i)));
    control = new ControlFlow(function, rules, new ConstantPredicates(function, assigned));
    slots = new RegisterSlots(function, control, rules, assigned);
    int[] ends = new int[rules.length];
    int[] uses = uses(ends);
    starts = new int[slots.size() + 2];
    users = users(uses, ends);
  }

  // One loop per method: the JVM replaces code on the stack loop by loop, and compiles the whole
  // method each time.

  private static Opcode[] rules(PtxFunction function) {
    Opcode[] found = new Opcode[function.instructions().size()];
    // The instructions of a module that are written alike share their words.
    IdentityHashMap<Mnemonic, Opcode> known = new IdentityHashMap<>();
    for (int i = 0; i < found.length; i++) {
      Instruction instruction = function.instructions().get(i);
      Opcode row = known.get(instruction.words());
      if (row == null) {
        row = OpcodeTable.row(instruction);
        known.put(instruction.words(), row);
      }
      found[i] = OpcodeTable.rule(instruction, row);
    }
    return found;
  }

  /**
   * The slots that the instructions use, one after another.
   *
   * @param ends gets where those of each instruction end
   */
  private int[] uses(int[] ends) {
    int[] uses = new int[4 * ends.length + 1];
    int used = 0;
    for (int i = 0; i < ends.length; i++) {
      int[] own = uses(i);
      uses = used + own.length > uses.length ? Arrays.copyOf(uses, 2 * used + own.length) : uses;
      System.arraycopy(own, 0, uses, used, own.length);
      used += own.length;
      ends[i] = used;
    }
    return Arrays.copyOf(uses, used);
  }

  private int[] uses(int index) {
    int[] found = NONE;
    List<Operand> operands = instruction(index).operands();
    for (int operand = 0; operand < operands.size(); operand++) {
      if (rules[index].isSource(operand)) {
        for (int register : operands.get(operand).registerIndexes()) {
          found = with(found, slots.use(index, register));
        }
      }
    }
    return Carry.isAdded(instruction(index)) ? with(found, slots.use(index, slots.carry())) : found;
  }

  private static int[] with(int[] some, int another) {
    int[] all = Arrays.copyOf(some, some.length + 1);
    all[some.length] = another;
    return all;
  }

  /** The users of each slot; sets where those of the next one begin. */
  private int[] users(int[] uses, int[] ends) {
    for (int use : uses) {
      starts[use + 2]++;
    }
    for (int i = 2; i < starts.length; i++) {
      starts[i] += starts[i - 1];
    }
    int[] found = new int[uses.length];
    int use = 0;
    for (int i = 0; i < ends.length; i++) {
      for (; use < ends[i]; use++) {
        found[starts[uses[use] + 1]++] = i;
      }
    }
    return found;
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

  /** Returns what an instruction computes from numbers; null if it has no formula. */
  public @Nullable Computation computation(int index) {
    @Nullable Computation[] found = computations;
    if (found == null) {
      found = computations();
      computations = found;
    }
    return found[index];
  }

  private @Nullable Computation[] computations() {
    @Nullable Computation[] found = new Computation[rules.length];
    IdentityHashMap<Mnemonic, Optional<Computation>> known = new IdentityHashMap<>();
    for (int i = 0; i < found.length; i++) {
      Opcode rule = rules[i];
      Instruction instruction = instruction(i);
      Computation computation =
          rule.operation() == null
              ? null
              : known
                  .computeIfAbsent(
                      instruction.words(), words -> Computation.ofWords(instruction, rule))
                  .orElse(null);
      found[i] = computation != null && computation.fits(instruction) ? computation : null;
    }
    return found;
  }

  /** Returns the registers that an instruction may assign, without the carry; not to be changed. */
  public int[] assigned(int index) {
    return assigned[index];
  }

  /** Returns the width of a register that the function assigns; of a vector, that of an element. */
  public int bits(int register) {
    int[] found = bits;
    if (found == null) {
      found = new int[function.registers()];
      for (int i = 0; i < rules.length; i++) {
        List<Operand> operands = instruction(i).operands();
        for (int operand = 0; operand < operands.size(); operand++) {
          if (rules[i].mayAssign(operand)) {
            addBits(operands.get(operand), found);
          }
        }
      }
      bits = found;
    }
    return found[register];
  }

  private static void addBits(Operand operand, int[] bits) {
    List<Register> registers = operand.registers();
    for (int i = 0; i < registers.size(); i++) {
      Register register = registers.get(i);
      int first = register.index();
      Arrays.fill(bits, first, first + register.vectorLength(), register.type().bits);
    }
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

  /** Returns whether something holds of one of the first instructions that use a slot. */
  boolean isAnyUser(int slot, int most, IntPredicate condition) {
    int end = Math.min(starts[slot + 1], starts[slot] + most);
    for (int i = starts[slot]; i < end; i++) {
      if (condition.test(users[i])) {
        return true;
      }
    }
    return false;
  }

  /** Returns the reachable instructions that assign to a slot, in order. */
  public int[] writers(int slot) {
    return writersOf(slot).stream().mapToInt(Integer::intValue).toArray();
  }

  /** Returns the same, but none if they are many. */
  int[] writers(int slot, int most) {
    return writersOf(slot).size() > most ? NONE : writers(slot);
  }

  private List<Integer> writersOf(int slot) {
    if (writers.isEmpty()) {
      for (int i = 0; i < size(); i++) {
        if (isReachable(i)) {
          addWriter(i);
        }
      }
    }
    return writers.getOrDefault(slot, List.of());
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
