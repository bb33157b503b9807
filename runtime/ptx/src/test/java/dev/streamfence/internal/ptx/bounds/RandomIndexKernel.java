package dev.streamfence.internal.ptx.bounds;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Writes random kernels that compute indexes: from threads, numbers and loaded values, under
 * guards, in loops that are tested at their begin or end, in 32 and 64 bits, with wrap-around.
 */
final class RandomIndexKernel {
  private static final String[] RELATIONS = {"lt", "le", "gt", "ge", "eq", "ne"};

  private final Random random;
  private final StringBuilder code = new StringBuilder();

  /** The 32-bit registers with a value in every thread that is here. */
  private final List<String> known = new ArrayList<>();

  private int registers;
  private int wides;
  private int predicates;
  private int labels;

  RandomIndexKernel(Random random) {
    this.random = random;
  }

  /** Returns a module with one kernel, {@code k}, that takes three arrays and three numbers. */
  String write(int statements) {
    for (String special :
        new String[] {"%tid.x", "%ctaid.x", "%ntid.x", "%nctaid.x", "%tid.y", "%ctaid.y"}) {
      emit("mov.u32 " + fresh() + ", " + special);
    }
    emit("mad.lo.s32 " + fresh() + ", %r1, %r2, %r0");
    known.add("%r6");
    known.add("%r6");
    for (int i = 3; i < 5; i++) {
      emit("ld.param.u32 " + fresh() + ", [p" + i + "]");
    }
    for (int i = 0; i < 4; i++) {
      emit("st.local.u32 [kept+" + 4 * i + "], %r6");
    }
    block(statements, 0);
    return ".version 7.0\n.target sm_80\n.address_size 64\n"
        + ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u32 p3,"
        + " .param .u32 p4, .param .u64 p5)\n{\n"
        + ".local .align 4 .b8 kept[16];\n"
        + ".reg .pred %p<"
        + (predicates + 1)
        + ">;\n"
        + ".reg .b32 %r<"
        + (registers + 1)
        + ">;\n"
        + ".reg .b64 %rd<"
        + (wides + 1)
        + ">;\n"
        + code
        + "ret;\n}\n";
  }

  private void emit(String line) {
    code.append(line).append(";\n");
  }

  private String fresh() {
    String register = "%r" + registers++;
    known.add(register);
    return register;
  }

  private String wide() {
    return "%rd" + wides++;
  }

  private String any() {
    return random.nextInt(4) == 0
        ? String.valueOf(random.nextInt(3) == 0 ? -random.nextInt(20) : random.nextInt(70))
        : known.get(random.nextInt(known.size()));
  }

  private String register() {
    return known.get(random.nextInt(known.size()));
  }

  private void block(int statements, int depth) {
    int visible = known.size();
    for (int i = 0; i < statements; i++) {
      switch (random.nextInt(depth > 2 ? 8 : 11)) {
        case 0 -> keep();
        case 1, 2 -> compute();
        case 3, 4, 5 -> access("");
        case 6 -> access("@" + (random.nextInt(3) == 0 ? "!" : "") + predicate() + " ");
        case 7 -> load();
        case 8 -> guarded(depth);
        case 9 -> loop(depth);
        default -> {
          if (random.nextInt(3) == 0) {
            emit("@" + predicate() + " ret");
          } else {
            guarded(depth);
          }
        }
      }
    }
    known.subList(visible, known.size()).clear();
  }

  private void compute() {
    String a = register();
    String b = any();
    String result = "%r" + registers++;
    String sign = random.nextBoolean() ? "s32" : "u32";
    emit(
        switch (random.nextInt(12)) {
          case 0, 1 -> "add.s32 " + result + ", " + a + ", " + b;
          case 2 -> "sub.s32 " + result + ", " + a + ", " + b;
          case 3 -> "mul.lo.s32 " + result + ", " + a + ", " + b;
          case 4 -> "mad.lo.s32 " + result + ", " + a + ", " + register() + ", " + b;
          case 5 -> "and.b32 " + result + ", " + a + ", " + (random.nextBoolean() ? b : "31");
          case 6 -> "rem." + sign + " " + result + ", " + a + ", " + (1 + random.nextInt(9));
          case 7 -> "div." + sign + " " + result + ", " + a + ", " + (1 + random.nextInt(9));
          case 8 -> "shr." + sign + " " + result + ", " + a + ", " + random.nextInt(6);
          case 9 -> "min." + sign + " " + result + ", " + a + ", " + b;
          case 10 -> "max." + sign + " " + result + ", " + a + ", " + b;
          default -> "selp.b32 " + result + ", " + a + ", " + b + ", " + predicate();
        });
    known.add(result);
  }

  /** Keeps a value in the thread's own memory, and loads what is there, as plain code does. */
  private void keep() {
    String guard = random.nextInt(4) == 0 ? "@" + predicate() + " " : "";
    if (random.nextInt(8) == 0) {
      String place = "%r" + registers++;
      emit("and.b32 " + place + ", " + register() + ", 12");
      String address = wide();
      emit("mov.u64 " + address + ", kept");
      String offset = wide();
      emit("cvt.u64.u32 " + offset + ", " + place);
      emit("add.s64 " + address + ", " + address + ", " + offset);
      emit(guard + "st.local.u32 [" + address + "], " + register());
    } else {
      String type = random.nextInt(12) == 0 ? "u16" : "u32";
      emit(guard + "st.local." + type + " [kept+" + 4 * random.nextInt(4) + "], " + register());
    }
    String value = "%r" + registers++;
    String type = random.nextInt(12) == 0 ? "s8" : "u32";
    emit("ld.local." + type + " " + value + ", [kept+" + 4 * random.nextInt(4) + "]");
    known.add(value);
  }

  private String predicate() {
    String sign = random.nextInt(3) == 0 ? "u32" : "s32";
    String first = "%p" + predicates++;
    String relation = RELATIONS[random.nextInt(RELATIONS.length)];
    emit("setp." + relation + "." + sign + " " + first + ", " + register() + ", " + any());
    if (random.nextInt(4) > 0) {
      return first;
    }
    String second = "%p" + predicates++;
    emit("setp.lt.s32 " + second + ", " + register() + ", " + any());
    String both = "%p" + predicates++;
    emit((random.nextBoolean() ? "and" : "or") + ".pred " + both + ", " + first + ", " + second);
    return both;
  }

  /** An address in one of the arrays. */
  private String address(int bytes) {
    String base = wide();
    emit("ld.param.u64 " + base + ", [p" + random.nextInt(3) + "]");
    String offset = wide();
    String sign = random.nextInt(3) == 0 ? "u32" : "s32";
    String index = register();
    if (random.nextBoolean()) {
      emit("mul.wide." + sign + " " + offset + ", " + index + ", " + bytes);
    } else {
      String extended = wide();
      emit("cvt." + sign.charAt(0) + "64." + sign + " " + extended + ", " + index);
      emit("shl.b64 " + offset + ", " + extended + ", " + Integer.numberOfTrailingZeros(bytes));
    }
    String address = wide();
    emit("add.s64 " + address + ", " + base + ", " + offset);
    return "[" + address + (random.nextInt(3) == 0 ? "+" + bytes * random.nextInt(5) : "") + "]";
  }

  private void access(String guard) {
    int bytes = 1 << random.nextInt(3);
    String address = address(bytes);
    emit(guard + "st.global.u" + 8 * bytes + " " + address + ", " + register());
  }

  private void load() {
    int bytes = 1 << random.nextInt(3);
    String address = address(bytes);
    String result = fresh();
    emit(
        "ld.global."
            + (random.nextBoolean() ? "u" : "s")
            + 8 * bytes
            + " "
            + result
            + ", "
            + address);
  }

  private void guarded(int depth) {
    String end = "L" + labels++;
    emit("@" + predicate() + " bra " + end);
    block(1 + random.nextInt(3), depth + 1);
    code.append(end).append(":\n");
  }

  /** A loop over a counter, often to a number and in steps of one, of four or of the grid. */
  private void loop(int depth) {
    String counter = fresh();
    emit("mov.u32 " + counter + ", " + (random.nextBoolean() ? "0" : any()));
    String step = String.valueOf(1 + random.nextInt(5));
    if (random.nextInt(3) == 0) {
      String grid = fresh();
      emit("mul.lo.s32 " + grid + ", %r2, %r3");
      step = grid;
    } else if (random.nextInt(4) == 0) {
      step = "-" + step;
    }
    String bound = random.nextInt(3) == 0 ? any() : "%r" + (7 + random.nextInt(2));
    String begin = "L" + labels++;
    String end = "L" + labels++;
    boolean testedFirst = random.nextBoolean();
    String relation = RELATIONS[random.nextInt(6)];
    relation = random.nextInt(4) == 0 ? relation : step.startsWith("-") ? "gt" : "lt";
    String test = "%p" + predicates++;
    String sign = random.nextInt(4) == 0 && !relation.equals("eq") ? "u32" : "s32";
    String compare = "setp." + relation + "." + sign + " " + test + ", " + counter + ", " + bound;
    code.append(begin).append(":\n");
    if (testedFirst) {
      emit(compare);
      emit("@!" + test + " bra " + end);
    }
    block(1 + random.nextInt(3), depth + 1);
    emit("add.s32 " + counter + ", " + counter + ", " + step);
    if (testedFirst) {
      emit("bra " + begin);
    } else {
      emit(compare);
      emit("@" + test + " bra " + begin);
    }
    code.append(end).append(":\n");
  }
}
