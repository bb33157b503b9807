package dev.streamfence.internal.ptx.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Computes random numbers in a kernel. It keeps the limits of each, so that no arithmetic in 32
 * bits wraps around, as proofs assume.
 */
final class RandomNumbers {
  /** Four times as much fits into 32 bits. */
  private static final long LIMIT = 1L << 28;

  private static final String[] RELATIONS = {"lt", "le", "gt", "ge", "eq", "ne"};

  /** What is compared without a sign to find negative numbers, or not to find them. */
  private static final String[] LARGE = {
    "4294967280", "-16", "2147483648", "2147483647", "2147483649", "65536"
  };

  private final Random random;
  private final KernelCode code;
  private final Theme theme;

  /** How often in 100 cases the code does what a usual kernel does not. */
  private final int oddness;

  /** The words and predicates with a value in every thread that comes to this place. */
  final List<Value> words = new ArrayList<>();

  final List<Value> predicates = new ArrayList<>();

  /** Numbers of the launch that others are compared with. */
  final List<Value> compared = new ArrayList<>();

  RandomNumbers(Random random, KernelCode code, Theme theme) {
    this.random = random;
    this.theme = theme;
    this.code = code;
    int[] all = {2, 10, 40};
    this.oddness = all[random.nextInt(all.length)];
  }

  boolean isOdd() {
    return random.nextInt(100) < oddness;
  }

  String any(String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  Value word() {
    if (theme != Theme.MIXED) {
      // What was computed for this place.
      int last = words.size() - 1;
      return words.get(last - random.nextInt(Math.min(3, last + 1)));
    }
    return words.get(random.nextInt(words.size()));
  }

  private Value uniform() {
    List<Value> all = words.stream().filter(Value::isUniform).toList();
    return all.isEmpty() ? Value.constant(3) : all.get(random.nextInt(all.size()));
  }

  /** A register with what an instruction computes. */
  Value put(long least, long most, boolean isUniform, String operation, Object... inputs) {
    String result = code.word();
    StringBuilder text = new StringBuilder(operation + " " + result);
    for (Object input : inputs) {
      text.append(", ").append(input);
    }
    code.emit("%s", text);
    return new Value(result, least, most, isUniform);
  }

  Value special(String register, long most) {
    boolean isSize = register.startsWith("%n");
    boolean isThread = register.startsWith("%tid") || register.equals("%laneid");
    return put(isSize ? 1 : 0, most, !isThread, "mov.u32", register);
  }

  Value product(Value a, Value b, Value sum) {
    boolean isUniform = a.isUniform() && b.isUniform() && sum.isUniform();
    long[] ends = {
      a.least() * b.least(), a.least() * b.most(), a.most() * b.least(), a.most() * b.most()
    };
    long least = Math.min(Math.min(ends[0], ends[1]), Math.min(ends[2], ends[3]));
    long most = Math.max(Math.max(ends[0], ends[1]), Math.max(ends[2], ends[3]));
    return put(
        least + sum.least(), most + sum.most(), isUniform, "mad.lo.s32", a, b, sum.register());
  }

  /**
   * Computes a number that fits, and makes it one of {@link #words}. Code that computes another one
   * stays in the kernel, which does not use it.
   */
  Value compute() {
    Value made = null;
    while (made == null) {
      Value a = isOdd() ? uniform() : word();
      if (theme == Theme.GUARDS && random.nextInt(3) == 0) {
        made = opposite(a);
        continue;
      }
      made = random.nextInt(3) > 0 ? arithmetic(a) : bits(a);
    }
    words.add(made);
    return made;
  }

  /** The value, if it fits; otherwise null. */
  private static @Nullable Value fitting(Value value) {
    return value.least() < -LIMIT || value.most() > LIMIT ? null : value;
  }

  private @Nullable Value arithmetic(Value a) {
    int small = 1 + random.nextInt(8);
    Value b = random.nextInt(3) == 0 ? word() : Value.constant(small);
    boolean both = a.isUniform() && b.isUniform();
    boolean isUnsigned = a.mayBeUnsigned() && random.nextBoolean();
    String sign = isUnsigned ? "u32" : "s32";
    switch (random.nextInt(12)) {
      case 0, 1:
        return fitting(put(a.least() + b.least(), a.most() + b.most(), both, "add.s32", a, b));
      case 2:
        return fitting(put(a.least() - b.most(), a.most() - b.least(), both, "sub.s32", a, b));
      case 3:
        long from = random.nextInt(100) * 10;
        return fitting(put(from - a.most(), from - a.least(), a.isUniform(), "sub.s32", from, a));
      case 4:
        return fitting(product(a, Value.constant(small), random.nextBoolean() ? b : word()));
      case 5:
        return fitting(product(a, uniform(), word()));
      case 6:
        Value times = Value.constant(2 + random.nextInt(4));
        return fitting(
            put(
                Math.min(a.least() * times.most(), a.least()),
                Math.max(a.most() * times.most(), a.most()),
                a.isUniform(),
                "mul.lo.s32",
                a,
                times));
      case 7:
        return remainder(a, random.nextInt(3) == 0 ? uniform() : Value.constant(small), sign);
      case 8:
        Value by = random.nextInt(3) == 0 ? uniform() : Value.constant(small);
        boolean isLarge = isUnsigned && !a.isNatural();
        return by.least() < 1 || isLarge
            ? null
            : put(
                Math.min(a.least(), 0), Math.max(a.most(), 0), a.isUniform(), "div." + sign, a, by);
      case 9, 10:
        if (isUnsigned && !b.mayBeUnsigned()) {
          return null;
        }
        // Without a sign, either may be the larger one.
        boolean isLess = random.nextBoolean();
        boolean isPlain = !isUnsigned || (a.isNatural() && b.isNatural());
        long least = Math.min(a.least(), b.least());
        long most = Math.max(a.most(), b.most());
        return put(
            isPlain && !isLess ? Math.max(a.least(), b.least()) : least,
            isPlain && isLess ? Math.min(a.most(), b.most()) : most,
            both,
            (isLess ? "min." : "max.") + sign,
            a,
            b);
      default:
        return chosen(a, b);
    }
  }

  private @Nullable Value remainder(Value a, Value by, String sign) {
    if (by.least() < 1) {
      return null;
    }
    boolean isNatural = a.isNatural() || sign.equals("u32");
    long most = by.most() - 1;
    boolean isSmall = a.isNatural();
    return put(
        isNatural ? 0 : -most,
        isSmall ? Math.min(most, a.most()) : most,
        a.isUniform(),
        "rem." + sign,
        a,
        by);
  }

  /** One of two numbers, by an instruction or on the two ways of a branch. */
  private Value chosen(Value a, Value b) {
    Value decision = predicate();
    boolean isUniform = a.isUniform() && b.isUniform() && decision.isUniform();
    long least = Math.min(a.least(), b.least());
    long most = Math.max(a.most(), b.most());
    switch (random.nextInt(3)) {
      case 0:
        return put(least, most, isUniform, "selp.b32", a, b, decision);
      case 1:
        Value guarded = put(least, most, isUniform, "mov.b32", a);
        code.emit("@%s mov.b32 %s, %s", decision, guarded, b);
        return guarded;
      default:
        String end = code.label();
        Value merged = put(least, most, isUniform, "mov.b32", a);
        code.emit("@!%s bra %s", decision, end);
        code.emit("mov.b32 %s, %s", merged, b);
        code.at(end);
        return merged;
    }
  }

  /** A negative number, if the other one is none. */
  private Value opposite(Value a) {
    return random.nextBoolean()
        ? put(-1 - a.most(), -1 - a.least(), a.isUniform(), "not.b32", a)
        : put(-a.most(), -a.least(), a.isUniform(), "neg.s32", a);
  }

  private @Nullable Value bits(Value a) {
    int places = 1 + random.nextInt(4);
    long mask = (1L << places) - 1;
    boolean same = a.isUniform();
    switch (random.nextInt(12)) {
      case 0, 1:
        return fitting(
            put(a.least() << places, a.most() << places, same, "shl.b32", a, "" + places));
      case 2:
        return put(a.least() >> places, a.most() >> places, same, "shr.s32", a, "" + places);
      case 3:
        return !a.isNatural()
            ? null
            : put(a.least() >> places, a.most() >> places, same, "shr.u32", a, "" + places);
      case 4, 5:
        return put(
            0, a.isNatural() ? Math.min(mask, a.most()) : mask, same, "and.b32", a, "" + mask);
      case 6:
        return put(a.least() - mask, a.most(), same, "and.b32", a, "" + -(mask + 1));
      case 7:
        long above = (Long.highestOneBit(Math.max(1, a.most() | mask)) << 1) - 1;
        return !a.isNatural()
            ? null
            : put(0, above, same, any("or.b32", "xor.b32"), a, "" + (1 + random.nextInt(7)));
      case 8:
        return opposite(a);
      case 9:
        return narrow(a);
      case 10:
        int at = random.nextInt(8);
        return put(0, mask, same, "bfe.u32", a, "" + at, "" + places);
      default:
        return isOdd() ? ofWarp(a) : null;
    }
  }

  private Value narrow(Value a) {
    int bits = random.nextBoolean() ? 8 : 16;
    boolean isSigned = random.nextBoolean();
    long most = (1L << (isSigned ? bits - 1 : bits)) - 1;
    boolean fits = a.least() >= (isSigned ? -most - 1 : 0) && a.most() <= most;
    String type = (isSigned ? "s" : "u") + bits;
    return put(
        fits ? a.least() : isSigned ? -most - 1 : 0,
        fits ? a.most() : most,
        a.isUniform(),
        "cvt." + type.charAt(0) + "32." + type,
        a);
  }

  /** What the code of one thread does not show. */
  private Value ofWarp(Value a) {
    Value mask = put(0, 0, false, "activemask.b32");
    return switch (random.nextInt(3)) {
      case 0 -> special("%laneid", 31);
      case 1 -> put(0, 32, false, "popc.b32", mask);
      default -> {
        String lane = any("0", "1", "2");
        String mode = any("idx", "down", "bfly");
        yield put(a.least(), a.most(), false, "shfl.sync." + mode + ".b32", a, lane, "31", mask);
      }
    };
  }

  /** A predicate that decides something, new or known. */
  Value predicate() {
    if (!predicates.isEmpty() && random.nextInt(4) == 0) {
      return predicates.get(random.nextInt(predicates.size()));
    }
    Value made = null;
    while (made == null) {
      made = comparison();
    }
    predicates.add(made);
    if (predicates.size() > 1 && random.nextInt(5) == 0) {
      Value other = predicates.get(random.nextInt(predicates.size()));
      String both = code.predicate();
      code.emit("%s.pred %s, %s, %s", any("and", "or", "xor"), both, made, other);
      made = new Value(both, 0, 1, made.isUniform() && other.isUniform());
      predicates.add(made);
    }
    return made;
  }

  private @Nullable Value comparison() {
    Value a = word();
    String relation = any(RELATIONS);
    if (theme == Theme.BARRIERS && random.nextBoolean()) {
      return compared(relation, a, Value.constant(random.nextInt(5)));
    }
    if (theme == Theme.GUARDS && a.mayBeUnsigned() && random.nextBoolean()) {
      return compared(any("lt", "le", "gt", "ge") + ".u32", a, any(LARGE));
    }
    switch (random.nextInt(10)) {
      case 0, 1, 2:
        return compared(
            any("lt", "ge", "lt", "le"), a, compared.get(random.nextInt(compared.size())));
      case 3:
        return compared(relation, a, word());
      case 4:
        return compared(relation, uniform(), Value.constant(random.nextInt(60)));
      case 5:
        return compared(any("eq", "ne"), a, Value.constant(random.nextInt(3)));
      case 6:
        Value lane = remainder(a, Value.constant(2 + random.nextInt(7)), "s32");
        return lane == null ? null : compared(any("eq", "ne"), lane, Value.constant(0));
      case 7:
        return !a.mayBeUnsigned() ? null : compared(relation + ".u32", a, any(LARGE));
      case 8:
        return compareWide(relation, a);
      default:
        return compared(relation, a, Value.constant((1L << random.nextInt(9)) - random.nextInt(2)));
    }
  }

  /** The result of a comparison, with or without a sign. */
  Value compared(String relation, Value a, Value b) {
    boolean isUnsigned = a.mayBeUnsigned() && b.mayBeUnsigned() && random.nextInt(3) == 0;
    Value result = compared(relation + (isUnsigned ? ".u32" : ".s32"), a, b.register());
    return new Value(result.register(), 0, 1, a.isUniform() && b.isUniform());
  }

  private Value compared(String relation, Value a, String b) {
    String result = code.predicate();
    code.emit("setp.%s %s, %s, %s", relation, result, a, b);
    return new Value(result, 0, 1, a.isUniform());
  }

  /** Compares in 64 bits with another number of the launch. */
  private Value compareWide(String relation, Value a) {
    String extended = code.wide();
    String number = code.wide();
    String result = code.predicate();
    boolean isUnsigned = a.isNatural() && random.nextBoolean();
    code.emit("cvt.%s %s, %s", isUnsigned ? "u64.u32" : "s64.s32", extended, a);
    code.emit("ld.param.u64 %s, [p6]", number);
    code.emit("setp.%s.s64 %s, %s, %s", relation, result, extended, number);
    return new Value(result, 0, 1, a.isUniform());
  }
}
