package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.Register;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the registers of a kernel hold in one thread of a block: exactly, where the thread's place
 * and the block's shape decide it, and nothing otherwise. Confined to one thread.
 */
final class ThreadValues {
  /** Deeper chains of instructions count as unknown. */
  private static final int MAX_DEPTH = 100;

  /**
   * A known value.
   *
   * @param tile the variable in shared memory of which it is an address; null for a number
   * @param bits the number, with zeros above its width, or the offset from the variable
   */
  record KnownValue(@Nullable Variable tile, long bits) {}

  /** Which instruction assigns each register that has exactly one assignment, without a guard. */
  static final class Definitions {
    private static final int SEVERAL = -1;

    private final FunctionFlow flow;
    private final Map<Integer, Integer> assigned = new HashMap<>();

    Definitions(FunctionFlow flow) {
      this.flow = flow;
      for (int at = 0; at < flow.size(); at++) {
        Opcode rule = flow.rule(at);
        List<Operand> operands = flow.instruction(at).operands();
        for (int i = 0; i < operands.size(); i++) {
          if (rule.mayAssign(i)) {
            add(
                operands.get(i),
                rule.assignsAny() || flow.instruction(at).guard() != null ? SEVERAL : at);
          }
        }
      }
    }

    private void add(Operand operand, int at) {
      if (operand instanceof Operand.Arguments listed) {
        listed.elements().forEach(element -> add(element, SEVERAL));
        return;
      }
      List<Operand> parts = operand.parts();
      for (Operand part : parts) {
        if (part instanceof Operand.RegisterUse use) {
          assigned.merge(
              use.register().index(), parts.size() > 1 ? SEVERAL : at, (one, two) -> SEVERAL);
        } else if (part instanceof Operand.Element element) {
          assigned.put(element.register().index() + element.element(), SEVERAL);
        }
      }
    }

    private int of(Register register) {
      return register.vectorLength() > 1
          ? SEVERAL
          : assigned.getOrDefault(register.index(), SEVERAL);
    }
  }

  private final Definitions definitions;
  private final Map<String, Integer> places;
  private final Map<Integer, Optional<KnownValue>> known = new HashMap<>();

  /**
   * Creates the values of a thread.
   *
   * @param x the thread's number in x
   */
  ThreadValues(Definitions definitions, BlockLimit block, int x, int y, int z) {
    this.definitions = definitions;
    this.places =
        Map.of(
            "%tid.x",
            x, "%tid.y", y, "%tid.z", z, "%ntid.x", block.x(), "%ntid.y", block.y(), "%ntid.z",
            block.z());
  }

  /** How many registers were looked at. */
  int size() {
    return known.size();
  }

  /** The address in brackets; empty if it is unknown. */
  Optional<KnownValue> address(Operand.Memory place) {
    return value(place.base(), 0)
        .map(base -> new KnownValue(base.tile(), base.bits() + place.offset()));
  }

  /** Whether an instruction's guard lets it run; empty if that is unknown. */
  Optional<Boolean> runs(Instruction instruction) {
    Instruction.GuardPredicate guard = instruction.guard();
    return guard == null
        ? Optional.of(true)
        : value(guard.predicate(), 0).map(value -> (value.bits() != 0) != guard.negated());
  }

  private Optional<KnownValue> value(Operand operand, int depth) {
    if (operand instanceof Operand.RegisterUse use) {
      Optional<KnownValue> held = value(use.register(), depth);
      return use.negated() ? held.map(value -> new KnownValue(null, value.bits() ^ 1)) : held;
    }
    if (operand instanceof Operand.IntegerLiteral literal) {
      return Optional.of(new KnownValue(null, literal.value()));
    }
    if (operand instanceof Operand.SpecialRegister special) {
      return Optional.ofNullable(places.get(special.name()))
          .map(number -> new KnownValue(null, number));
    }
    return operand instanceof Operand.VariableAddress address
            && address.variable().space() == StateSpace.SHARED
        ? Optional.of(new KnownValue(address.variable(), address.offset()))
        : Optional.empty();
  }

  private Optional<KnownValue> value(Register register, int depth) {
    int index = register.index();
    Optional<KnownValue> before = known.get(index);
    if (before != null) {
      return before;
    }
    int at = definitions.of(register);
    Optional<KnownValue> value = Optional.empty();
    if (at >= 0 && depth < MAX_DEPTH) {
      // A register that depends on itself is unknown.
      known.put(index, value);
      value = result(definitions.flow.instruction(at), depth + 1);
    }
    known.put(index, value);
    return value;
  }

  private Optional<KnownValue> result(Instruction instruction, int depth) {
    if (!ExactArithmetic.mayEvaluate(instruction)) {
      return Optional.empty();
    }
    List<Operand> operands = instruction.operands();
    KnownValue[] sources = new KnownValue[operands.size() - 1];
    for (int i = 0; i < sources.length; i++) {
      Optional<KnownValue> source = value(operands.get(i + 1), depth);
      if (source.isEmpty()) {
        return source;
      }
      sources[i] = source.get();
    }
    return Optional.ofNullable(ExactArithmetic.evaluate(instruction, sources));
  }
}
