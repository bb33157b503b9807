package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.Carry;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How far apart the values of two threads are that are neighbours in x, for each register of one
 * function: {@code %tid.x} by 1, four times that by 4, and a kernel's parameter by 0. Where it is
 * not certain, it is unknown. Immutable.
 *
 * <p>Independent of the provenance of values: that tells the memory of an address, this tells the
 * stride at which threads walk through it. Overflow and divergence are not considered, so a stride
 * is what the code means, and no proof.
 */
final class ThreadStrides extends ForwardFlow<ThreadStrides.NeighbourStep> {
  /** Registers settle after a few rounds, since a value changes at most three times. */
  private static final int MOST_ROUNDS = 16;

  /** Registers that neighbours in x have in common. */
  private static final Set<String> UNIFORM =
      Set.of(
          "%tid.y",
          "%tid.z",
          "%ntid.x",
          "%ntid.y",
          "%ntid.z",
          "%ctaid.x",
          "%ctaid.y",
          "%ctaid.z",
          "%nctaid.x",
          "%nctaid.y",
          "%nctaid.z");

  /** Larger factors are no strides. */
  private static final long LARGEST = 1L << 40;

  /**
   * The step of a value from one thread to its neighbour.
   *
   * @param stride how much it grows
   * @param constant the value if it is always the same; null otherwise
   */
  record NeighbourStep(long stride, @Nullable Long constant) {
    static final NeighbourStep UNKNOWN = new NeighbourStep(Long.MIN_VALUE, null);

    /** No instruction has assigned a value yet. */
    static final NeighbourStep NONE = new NeighbourStep(Long.MIN_VALUE + 1, null);

    static final NeighbourStep SAME = new NeighbourStep(0, null);

    static NeighbourStep of(long stride) {
      return Math.abs(stride) > LARGEST ? UNKNOWN : new NeighbourStep(stride, null);
    }

    boolean isKnown() {
      return stride > NONE.stride;
    }

    boolean isNone() {
      return stride == NONE.stride;
    }

    // Written out, because every instruction compares steps.
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof NeighbourStep step
          && stride == step.stride
          && Objects.equals(constant, step.constant);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(stride);
    }

    boolean isSame() {
      return isKnown() && stride == 0;
    }

    NeighbourStep plus(NeighbourStep other) {
      return isKnown() && other.isKnown() ? of(stride + other.stride) : UNKNOWN;
    }

    NeighbourStep times(NeighbourStep other) {
      if (isSame() && other.isSame()) {
        return SAME;
      }
      Long factor = constant != null ? constant : other.constant;
      NeighbourStep value = constant != null ? other : this;
      return factor == null || !value.isKnown() || Math.abs(factor) > LARGEST >> 20
          ? UNKNOWN
          : of(value.stride * factor);
    }

    NeighbourStep join(NeighbourStep other) {
      if (equals(other)) {
        return this;
      }
      return isKnown() && other.isKnown() && stride == other.stride ? of(stride) : UNKNOWN;
    }
  }

  private final FunctionFlow flow;
  private boolean isSettled = true;

  private ThreadStrides(FunctionFlow flow) {
    super(List.of(flow), NeighbourStep.NONE);
    this.flow = flow;
  }

  static ThreadStrides of(FunctionFlow flow) {
    ThreadStrides strides = new ThreadStrides(flow);
    for (int round = 0; strides.spread() && strides.isSettled; round++) {
      strides.isSettled = round < MOST_ROUNDS;
    }
    return strides;
  }

  @Override
  NeighbourStep join(NeighbourStep one, NeighbourStep other) {
    return one.isNone() ? other : other.isNone() ? one : one.join(other);
  }

  /** Returns the stride of an address in bytes; empty if it is unknown. */
  Optional<Long> stride(int instruction, Operand address) {
    NeighbourStep step = value(instruction, address);
    return isSettled && step.isKnown() ? Optional.of(step.stride()) : Optional.empty();
  }

  @Override
  void call(FunctionFlow caller, int at, Instruction instruction) {
    evaluate(caller, at, instruction);
  }

  @Override
  void evaluate(FunctionFlow function, int at, Instruction instruction) {
    Opcode rule = flow.rule(at);
    NeighbourStep result = rule.assignsAny() ? NeighbourStep.UNKNOWN : result(at, instruction);
    for (int i = 0; i < instruction.operands().size(); i++) {
      if (!rule.mayAssign(i)) {
        continue;
      }
      Operand destination = instruction.operands().get(i);
      if (destination instanceof Operand.RegisterUse && destination.isSingle()) {
        assign(flow, at, destination, result);
      } else {
        for (Operand part : destination.parts()) {
          // The elements of a vector register have no stride of their own.
          if (part instanceof Operand.RegisterUse || part instanceof Operand.Element) {
            assign(
                flow,
                at,
                part,
                part instanceof Operand.Element && !result.isNone()
                    ? NeighbourStep.UNKNOWN
                    : result);
          }
        }
      }
    }
  }

  /** Returns the result of an instruction; none as long as an operand has no value yet. */
  private NeighbourStep result(int index, Instruction instruction) {
    List<Operand> operands = instruction.operands();
    if (instruction.opcode().equals("ld")) {
      return isParameter(operands) ? NeighbourStep.SAME : loaded(index, instruction);
    }
    Opcode rule = flow.rule(index);
    boolean isPure = rule.effect() == Opcode.Effect.COMPUTES && rule.transfer().isPerThread();
    if (operands.isEmpty() || !isPure || Carry.isAdded(instruction)) {
      return NeighbourStep.UNKNOWN;
    }
    NeighbourStep[] sources = new NeighbourStep[operands.size()];
    boolean same = true;
    for (int i = 1; i < operands.size(); i++) {
      NeighbourStep source = value(index, operands.get(i));
      if (source.isNone()) {
        return source;
      }
      sources[i] = source;
      same &= source.isSame();
    }
    boolean plain = isWholeInteger(instruction);
    for (int i = 0; plain && i < operands.size(); i++) {
      plain = operands.get(i).isSingle();
    }
    NeighbourStep linear = plain ? linear(rule.transfer(), sources) : NeighbourStep.UNKNOWN;
    return !linear.isKnown() && same ? NeighbourStep.SAME : linear;
  }

  /** Returns what both threads load: the same from the same place of a memory that they share. */
  private NeighbourStep loaded(int index, Instruction instruction) {
    List<Operand> operands = instruction.operands();
    boolean isShared = instruction.has("global") || instruction.has("const");
    if (!isShared || operands.size() < 2) {
      return NeighbourStep.UNKNOWN;
    }
    NeighbourStep address = value(index, operands.get(1));
    return address.isNone() || address.isSame() ? address : NeighbourStep.UNKNOWN;
  }

  /** Returns the result of an instruction on integers that keeps neighbours equally far apart. */
  private static NeighbourStep linear(Opcode.Transfer transfer, NeighbourStep[] from) {
    int sources =
        switch (transfer) {
          case FIRST, CONVERT, NEGATE -> 1;
          case MULTIPLY_ADD, SELECT -> 3;
          default -> 2;
        };
    if (from.length != sources + 1) {
      return NeighbourStep.UNKNOWN;
    }
    return switch (transfer) {
      case FIRST, CONVERT -> from[1];
      case ADD -> from[1].plus(from[2]);
      case SUBTRACT -> from[1].plus(negated(from[2]));
      case NEGATE -> negated(from[1]);
      case MULTIPLY -> from[1].times(from[2]);
      case MULTIPLY_ADD -> from[1].times(from[2]).plus(from[3]);
      case SHIFT_LEFT -> {
        Long bits = from[2].constant();
        yield bits == null || bits < 0 || bits > 20
            ? NeighbourStep.UNKNOWN
            : from[1].times(new NeighbourStep(0, 1L << bits));
      }
      case SELECT -> from[1].join(from[2]);
      default -> NeighbourStep.UNKNOWN;
    };
  }

  private static NeighbourStep negated(NeighbourStep value) {
    return value.isKnown() ? NeighbourStep.of(-value.stride()) : value;
  }

  /** Returns whether all types are integers of at least 32 bits, which indexes fit. */
  private static boolean isWholeInteger(Instruction instruction) {
    for (ScalarType type : instruction.types()) {
      if (!type.isInteger() || type.bits < 32) {
        return false;
      }
    }
    return true;
  }

  private boolean isParameter(List<Operand> operands) {
    return flow.function().entry()
        && operands.size() > 1
        && operands.get(1) instanceof Operand.Memory memory
        && memory.base() instanceof Operand.VariableAddress address
        && flow.function().parameters().stream().anyMatch(each -> isThat(each, address.variable()));
  }

  private static boolean isThat(PtxFunction.Formal formal, Variable variable) {
    return variable.space() == StateSpace.PARAM
        && formal instanceof PtxFunction.Formal.InMemory memory
        && memory.variable().id() == variable.id();
  }

  /** Returns the value of an operand; none if no instruction has assigned one yet. */
  private NeighbourStep value(int instruction, Operand operand) {
    if (operand instanceof Operand.RegisterUse use) {
      return use.register().vectorLength() > 1
          ? NeighbourStep.UNKNOWN
          : held(flow, instruction, use.register().index());
    }
    if (operand instanceof Operand.IntegerLiteral literal) {
      return new NeighbourStep(0, literal.value());
    }
    if (operand instanceof Operand.SpecialRegister special) {
      return special(special.name());
    }
    if (operand instanceof Operand.VariableAddress) {
      return NeighbourStep.SAME;
    }
    return operand instanceof Operand.Memory memory
        ? value(instruction, memory.base())
        : NeighbourStep.UNKNOWN;
  }

  private static NeighbourStep special(String name) {
    if (name.equals("%tid.x")) {
      return NeighbourStep.of(1);
    }
    return UNIFORM.contains(name) ? NeighbourStep.SAME : NeighbourStep.UNKNOWN;
  }
}
