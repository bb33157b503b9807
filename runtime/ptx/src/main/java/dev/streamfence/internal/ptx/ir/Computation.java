package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A computing instruction, decoded: the operation of its row in {@link OpcodeTable}, on operands of
 * known types. The operands are those of the instruction after its first, to which the result goes.
 *
 * @param operation what it computes from its first operands
 * @param type the type of these operands, whose sign counts
 * @param result the type of the result
 * @param sources the type of each operand
 * @param then how a comparison is combined with one more operand; null if it is not
 */
public record Computation(
    Operation operation,
    ScalarType type,
    ScalarType result,
    List<ScalarType> sources,
    @Nullable Operation then) {
  /** Decodes an instruction; empty if a modifier or an operand changes what its row says. */
  public static Optional<Computation> of(Instruction instruction) {
    return ofWords(instruction, OpcodeTable.rule(instruction))
        .filter(computation -> computation.fits(instruction));
  }

  /** Returns the operation of an instruction's row; empty if it has none. */
  public static Optional<Operation> operation(Instruction instruction) {
    return Optional.ofNullable(OpcodeTable.rule(instruction).operation());
  }

  /** Decodes opcode and modifiers; empty if a modifier changes what the row says. */
  public static Optional<Computation> ofWords(Instruction instruction, Opcode rule) {
    Operation operation = rule.operation();
    return operation == null ? Optional.empty() : decoded(instruction, operation);
  }

  /** Returns whether an instruction with these words has the operands that they need. */
  public boolean fits(Instruction instruction) {
    List<Operand> operands = instruction.operands();
    for (int i = 0; i < operands.size(); i++) {
      if (!isScalar(operands.get(i))) {
        return false;
      }
    }
    return sources.size() == operands.size() - 1;
  }

  private static boolean isScalar(Operand operand) {
    return !(operand instanceof Operand.Vector || operand instanceof Operand.Pair);
  }

  private static Optional<Computation> decoded(Instruction instruction, Operation operation) {
    List<String> words = new ArrayList<>(instruction.modifiers());
    return switch (operation) {
      case CONVERT -> converted(words);
      case COMPARE -> compared(words);
      case ADDRESS -> {
        words.remove("to");
        yield words.removeAll(List.of("global", "shared", "local", "const"))
            ? typed(operation, words)
            : Optional.empty();
      }
      default -> operation.multiplies() ? multiplied(operation, words) : typed(operation, words);
    };
  }

  /** An operation whose type is the only word that is left. */
  private static Optional<Computation> typed(Operation operation, List<String> words) {
    return words.size() == 1
        ? ScalarType.named(words.get(0)).filter(operation::worksOn).map(type -> of(operation, type))
        : Optional.empty();
  }

  private static Computation of(Operation operation, ScalarType type) {
    return of(operation, type, operation.result(type));
  }

  private static Computation of(Operation operation, ScalarType type, ScalarType result) {
    List<ScalarType> sources = new ArrayList<>();
    for (int i = 0; i < operation.arity(); i++) {
      sources.add(operation.operand(i, type, result));
    }
    return new Computation(operation, type, result, List.copyOf(sources), null);
  }

  private Computation then(Operation combination, ScalarType with) {
    List<ScalarType> more = new ArrayList<>(sources);
    more.add(with);
    return new Computation(operation, type, result, List.copyOf(more), combination);
  }

  private static Optional<Computation> converted(List<String> words) {
    Operation operation = Operation.CONVERT;
    Optional<ScalarType> to =
        words.isEmpty() ? Optional.empty() : ScalarType.named(words.remove(0));
    return to.filter(operation::worksOn)
        .flatMap(
            result ->
                typed(operation, words)
                    .map(
                        from -> new Computation(operation, from.type, result, from.sources, null)));
  }

  private static Optional<Computation> multiplied(Operation operation, List<String> words) {
    if (words.remove("wide")) {
      return typed(operation, words)
          .flatMap(same -> same.type.twice().map(wide -> of(operation, same.type, wide)));
    }
    boolean isHigh =
        operation == Operation.MULTIPLY_HIGH || operation == Operation.MULTIPLY_HIGH_ADD;
    return words.remove(isHigh ? "hi" : "lo") ? typed(operation, words) : Optional.empty();
  }

  private static Optional<Computation> compared(List<String> words) {
    if (words.isEmpty()) {
      return Optional.empty();
    }
    String relation = words.remove(0);
    Operation combination =
        switch (words.isEmpty() ? "" : words.get(0)) {
          case "and" -> Operation.AND;
          case "or" -> Operation.OR;
          case "xor" -> Operation.XOR;
          default -> null;
        };
    if (combination != null) {
      words.remove(0);
    }
    words.remove("ftz");
    Optional<Computation> comparison =
        typed(Operation.COMPARE, words).map(any -> any.comparing(relation));
    return combination == null
        ? comparison
        : comparison.map(test -> test.then(combination, ScalarType.PRED));
  }

  /** The comparison of integers by this relation; any comparison if it is none. */
  private Computation comparing(String relation) {
    return Operation.comparison(relation)
        .filter(operation -> operation.worksOn(type))
        .map(operation -> of(operation, Operation.compared(relation, type)))
        .orElse(this);
  }
}
