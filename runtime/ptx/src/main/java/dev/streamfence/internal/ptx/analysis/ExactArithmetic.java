package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.ThreadValues.KnownValue;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.ScalarType;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Computes instructions on integers that are known exactly, and on addresses in shared memory. An
 * address takes part only where the result is an address in the same variable, or the distance of
 * two. Stateless.
 */
final class ExactArithmetic {
  private static final Set<String> OPCODES =
      Set.of(
          "mov", "cvt", "cvta", "add", "sub", "mul", "mad", "shl", "shr", "and", "or", "xor", "not",
          "neg", "min", "max", "div", "rem", "setp", "selp");

  private static final Set<String> COMPARISONS =
      Set.of("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs");

  /** Words that change nothing here: the halves of products, and spaces of addresses. */
  private static final Set<String> HARMLESS = Set.of("lo", "wide", "shared", "to");

  private ExactArithmetic() {}

  /** Whether an instruction is one of those that are computed here. */
  static boolean mayEvaluate(Instruction instruction) {
    List<Operand> operands = instruction.operands();
    if (!OPCODES.contains(instruction.opcode())
        || operands.size() < 2
        || operands.size() > 4
        || !(operands.get(0) instanceof Operand.RegisterUse)) {
      return false;
    }
    if (instruction.opcode().equals("setp")
        && !instruction.modifiers().isEmpty()
        && !COMPARISONS.contains(instruction.modifiers().get(0))) {
      return false;
    }
    int types = 0;
    for (String word : instruction.modifiers()) {
      ScalarType type = ScalarType.named(word).orElse(null);
      if (type != null) {
        types++;
        if ((!type.isInteger() && type != ScalarType.PRED) || type.bits > Long.SIZE) {
          return false;
        }
      } else if (!HARMLESS.contains(word)
          && !(instruction.opcode().equals("setp") && COMPARISONS.contains(word))) {
        return false;
      }
    }
    return types == (instruction.opcode().equals("cvt") ? 2 : 1);
  }

  /** Returns the result of an instruction that may be computed; null if it is unknown. */
  static @Nullable KnownValue evaluate(Instruction instruction, KnownValue[] from) {
    List<String> words = instruction.modifiers();
    ScalarType type = ScalarType.named(words.get(words.size() - 1)).orElse(null);
    if (type == null) {
      return null;
    }
    for (KnownValue source : from) {
      if (source.tile() != null) {
        return ofAddress(instruction, type, from);
      }
    }
    long[] in = new long[from.length];
    for (int i = 0; i < in.length; i++) {
      in[i] = extended(from[i].bits(), type);
    }
    boolean wide = words.contains("wide");
    String key = instruction.opcode() + "/" + in.length;
    if (key.equals("setp/2")) {
      return new KnownValue(null, holds(words.get(0), order(type, in)) ? 1 : 0);
    }
    if (key.equals("cvt/1")) {
      // The type of the result is the first of two.
      return ScalarType.named(words.get(words.size() - 2))
          .map(to -> number(in[0], to.bits))
          .orElse(null);
    }
    if (key.equals("selp/3")) {
      return number(from[2].bits() != 0 ? in[0] : in[1], type.bits);
    }
    if (key.equals("shl/2") || key.equals("shr/2")) {
      // The distance is an unsigned number of 32 bits, whatever the type is.
      long bits = Math.min(from[1].bits() & 0xFFFF_FFFFL, type.bits);
      boolean left = key.startsWith("shl");
      if (bits == Long.SIZE) {
        return number(left || in[0] >= 0 || !type.isSigned() ? 0 : -1, type.bits);
      }
      long right = type.isSigned() ? in[0] >> bits : in[0] >>> bits;
      return number(left ? in[0] << bits : right, type.bits);
    }
    if (key.equals("mad/3") && wide) {
      // The third operand has the width of the result.
      return number(in[0] * in[1] + from[2].bits(), 2 * type.bits);
    }
    Long result = arithmetic(key, type, in);
    return result == null ? null : number(result, wide ? 2 * type.bits : type.bits);
  }

  private static @Nullable Long arithmetic(String key, ScalarType type, long[] in) {
    boolean signed = type.isSigned();
    return switch (key) {
      case "mov/1", "cvta/1" -> in[0];
      case "add/2" -> in[0] + in[1];
      case "sub/2" -> in[0] - in[1];
      case "mul/2" -> in[0] * in[1];
      case "mad/3" -> in[0] * in[1] + in[2];
      case "and/2" -> in[0] & in[1];
      case "or/2" -> in[0] | in[1];
      case "xor/2" -> in[0] ^ in[1];
      case "not/1" -> ~in[0];
      case "neg/1" -> -in[0];
      case "min/2" -> order(type, in) < 0 ? in[0] : in[1];
      case "max/2" -> order(type, in) > 0 ? in[0] : in[1];
      case "div/2" ->
          in[1] == 0 ? null : signed ? in[0] / in[1] : Long.divideUnsigned(in[0], in[1]);
      case "rem/2" ->
          in[1] == 0 ? null : signed ? in[0] % in[1] : Long.remainderUnsigned(in[0], in[1]);
      default -> null;
    };
  }

  private static @Nullable KnownValue ofAddress(
      Instruction instruction, ScalarType type, KnownValue[] from) {
    KnownValue first = from[0];
    int bits = type.bits;
    switch (instruction.opcode() + "/" + from.length) {
      case "mov/1", "cvta/1" -> {
        return first;
      }
      case "cvt/1" -> {
        // Widening an address, and narrowing one that was widened, leaves the address.
        return instruction.modifiers().stream()
                .flatMap(word -> ScalarType.named(word).stream())
                .allMatch(each -> each.bits >= Integer.SIZE)
            ? first
            : null;
      }
      case "add/2" -> {
        return first.tile() == null
            ? moved(from[1], first, bits)
            : from[1].tile() == null ? moved(first, from[1], bits) : null;
      }
      case "sub/2" -> {
        return from[1].tile() == null
            ? moved(first, new KnownValue(null, -from[1].bits()), bits)
            : null;
      }
      case "mad/3" -> {
        boolean wide = instruction.modifiers().contains("wide");
        return first.tile() != null || from[1].tile() != null
            ? null
            : moved(
                from[2],
                new KnownValue(null, extended(first.bits(), type) * extended(from[1].bits(), type)),
                wide ? 2 * bits : bits);
      }
      default -> {
        return null;
      }
    }
  }

  /** An address with a distance, which addresses of that width give modulo their width. */
  private static @Nullable KnownValue moved(KnownValue address, KnownValue by, int bits) {
    if (bits < Integer.SIZE) {
      return null;
    }
    long distance = address.bits() + by.bits();
    return new KnownValue(address.tile(), bits == Integer.SIZE ? (int) distance : distance);
  }

  private static KnownValue number(long value, int bits) {
    return new KnownValue(null, bits >= Long.SIZE ? value : value & ((1L << bits) - 1));
  }

  /** A number as an operand of a type: its lower bits, with their sign where the type has one. */
  private static long extended(long value, ScalarType type) {
    int unused = Long.SIZE - type.bits;
    return type.isSigned() ? value << unused >> unused : value & type.mask();
  }

  private static int order(ScalarType type, long[] in) {
    return type.isSigned() ? Long.compare(in[0], in[1]) : Long.compareUnsigned(in[0], in[1]);
  }

  private static boolean holds(String comparison, int order) {
    return switch (comparison) {
      case "eq" -> order == 0;
      case "ne" -> order != 0;
      case "lt", "lo" -> order < 0;
      case "le", "ls" -> order <= 0;
      case "gt", "hi" -> order > 0;
      default -> order >= 0;
    };
  }
}
