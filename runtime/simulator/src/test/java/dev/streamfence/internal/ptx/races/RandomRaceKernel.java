package dev.streamfence.internal.ptx.races;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Writes random kernels whose threads touch two arrays and a tile in shared memory: by indices that
 * tell threads apart and others, also from an array of distinct numbers, under guards, between
 * barriers, in loops and with atomics.
 */
final class RandomRaceKernel {
  private final Random random;
  private final StringBuilder code = new StringBuilder();

  /** The registers with an index that every thread here has. */
  private final List<String> indices = new ArrayList<>();

  private int registers = 20;
  private int wides;
  private int predicates;
  private int labels;

  RandomRaceKernel(Random random) {
    this.random = random;
  }

  /**
   * Returns a module with one kernel, {@code k}, that takes two arrays, two numbers and distinct
   * ones.
   */
  String write(int statements) {
    String[] specials = {"%tid.x", "%ctaid.x", "%ntid.x", "%nctaid.x"};
    for (int i = 0; i < specials.length; i++) {
      emit("mov.u32 %r" + i + ", " + specials[i]);
    }
    emit("mad.lo.s32 %r4, %r1, %r2, %r0");
    emit("ld.param.u32 %r5, [p2]");
    emit("ld.param.u32 %r6, [p3]");
    emit("mul.lo.s32 %r7, %r2, %r3");
    indices.addAll(List.of("%r0", "%r4", "%r4", "%r4"));
    if (random.nextInt(4) == 0) {
      emit("mov.u32 %r8, %tid.y");
      emit("mad.lo.s32 %r9, %r8, %r2, %r0");
      indices.addAll(List.of("%r9", "%r9"));
    }
    for (int i = 0; i < 3; i++) {
      emit("st.local.u32 [kept+" + 4 * i + "], %r4");
    }
    block(statements, 0);
    return ".version 7.0\n.target sm_80\n.address_size 64\n"
        + ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u32 p2, .param .u32 p3,\n"
        + ".param .u64 p4)\n{\n"
        + ".shared .align 4 .b8 tile[65536];\n"
        + ".local .align 4 .b8 kept[12];\n"
        + ".reg .pred %p<"
        + (predicates + 1)
        + ">;\n.reg .b32 %r<"
        + (registers + 1)
        + ">;\n.reg .b64 %rd<"
        + (wides + 1)
        + ">;\n"
        + code
        + "ret;\n}\n";
  }

  private void emit(String line) {
    code.append(line).append(";\n");
  }

  private String fresh() {
    return "%r" + registers++;
  }

  private String index() {
    return indices.get(random.nextInt(indices.size()));
  }

  private void block(int statements, int depth) {
    int visible = indices.size();
    for (int i = 0; i < statements; i++) {
      switch (random.nextInt(depth > 1 ? 9 : 13)) {
        case 0, 1 -> compute();
        case 2, 3, 4, 5 -> access();
        case 6 -> tile();
        case 7 -> tile();
        case 8 -> {
          if (depth == 0 || random.nextInt(3) == 0) {
            emit("bar.sync 0");
          }
        }
        case 9, 10 -> guarded(depth);
        case 11 -> strided(depth);
        default -> counted(depth);
      }
    }
    indices.subList(visible, indices.size()).clear();
  }

  private void compute() {
    if (random.nextInt(6) == 0) {
      String address = address(4);
      indices.add(fresh());
      emit("ld.global.u32 " + indices.get(indices.size() - 1) + ", [" + address + "]");
      return;
    }
    if (random.nextInt(6) == 0) {
      keep();
      return;
    }
    String a = index();
    String result = fresh();
    int small = 1 + random.nextInt(4);
    emit(
        switch (random.nextInt(13)) {
          case 11 -> "selp.b32 " + result + ", " + a + ", " + index() + ", " + predicate();
          case 12 -> "mov.u32 " + result + ", %laneid";
          case 0 -> "shl.b32 " + result + ", " + a + ", " + small;
          case 1 -> "add.s32 " + result + ", " + a + ", " + small;
          case 2 -> "mad.lo.s32 " + result + ", " + a + ", 2, 1";
          case 3 -> "shr.u32 " + result + ", " + a + ", " + small;
          case 4 -> "and.b32 " + result + ", " + a + ", " + ((1 << small) - 1);
          case 5 -> "sub.s32 " + result + ", 1000, " + a;
          case 6 -> "mad.lo.s32 " + result + ", " + a + ", %r5, " + index();
          case 7 -> "add.s32 " + result + ", " + a + ", %r7";
          case 8 -> "mov.u32 " + result + ", %r1";
          case 9 -> "mul.lo.s32 " + result + ", " + a + ", " + (2 + random.nextInt(3));
          default -> "rem.u32 " + result + ", " + a + ", " + (2 + random.nextInt(7));
        });
    indices.add(result);
  }

  /** Keeps an index in the thread's own memory, and loads one that is kept there. */
  private void keep() {
    String guard = random.nextInt(3) == 0 ? "@" + predicate() + " " : "";
    emit(guard + "st.local.u32 [kept+" + 4 * random.nextInt(3) + "], " + index());
    String value = fresh();
    emit("ld.local.u32 " + value + ", [kept+" + 4 * random.nextInt(3) + "]");
    indices.add(value);
  }

  private String predicate() {
    String result = "%p" + predicates++;
    String lane = fresh();
    emit(
        switch (random.nextInt(7)) {
          case 0, 1 -> "setp.lt.s32 " + result + ", " + index() + ", %r5";
          case 2 -> "setp.eq.s32 " + result + ", " + index() + ", 0";
          case 3 -> "setp.lt.s32 " + result + ", %r0, " + (1 << random.nextInt(5));
          case 4 -> "setp.gt.s32 " + result + ", %r5, 20";
          case 5 -> "and.b32 " + lane + ", %r0, 7;\nsetp.eq.s32 " + result + ", " + lane + ", 0";
          default -> "setp.ge.u32 " + result + ", " + index() + ", %r6";
        });
    return result;
  }

  private String scaled(String index) {
    String offset = "%rd" + wides++;
    emit("mul.wide.s32 " + offset + ", " + index + ", 4");
    return offset;
  }

  /** The register with the address of an element of the array that a parameter has. */
  private String address(int parameter) {
    String base = "%rd" + wides++;
    emit("ld.param.u64 " + base + ", [p" + parameter + "]");
    String offset = scaled(index());
    String address = "%rd" + wides++;
    emit("add.s64 " + address + ", " + base + ", " + offset);
    return address;
  }

  private void access() {
    touch(
        "global",
        address(random.nextInt(2)),
        random.nextInt(5) == 0 ? 4 * (1 + random.nextInt(3)) : 0);
  }

  private void tile() {
    String base = fresh();
    emit("mov.u32 " + base + ", tile");
    String offset = fresh();
    emit("mad.lo.s32 " + offset + ", " + index() + ", 4, " + base);
    touch("shared", offset, random.nextInt(3) == 0 ? 4 * (1 + random.nextInt(3)) : 0);
  }

  private void touch(String space, String address, int further) {
    String place = "[" + address + (further > 0 ? "+" + further : "") + "]";
    switch (random.nextInt(7)) {
      case 0 -> emit("atom." + space + ".add.u32 " + fresh() + ", " + place + ", 1");
      case 1, 2 -> emit("ld." + space + ".u32 " + fresh() + ", " + place);
      default -> emit("st." + space + ".u32 " + place + ", " + index());
    }
  }

  private void guarded(int depth) {
    String end = "L" + labels++;
    emit("@!" + predicate() + " bra " + end);
    block(1 + random.nextInt(3), depth + 1);
    code.append(end).append(":\n");
  }

  /** A loop in which each thread takes every element that is a grid further. */
  private void strided(int depth) {
    String end = "L" + labels++;
    String begin = "L" + labels++;
    String at = fresh();
    String goesOn = "%p" + predicates++;
    emit("mov.u32 " + at + ", %r4");
    emit("setp.ge.s32 " + goesOn + ", " + at + ", %r5");
    emit("@" + goesOn + " bra " + end);
    code.append(begin).append(":\n");
    indices.addAll(List.of(at, at));
    block(1 + random.nextInt(3), depth + 1);
    indices.subList(indices.size() - 2, indices.size()).clear();
    emit("add.s32 " + at + ", " + at + ", " + (random.nextInt(4) == 0 ? "%r2" : "%r7"));
    emit("setp.lt.s32 " + goesOn + ", " + at + ", %r5");
    emit("@" + goesOn + " bra " + begin);
    code.append(end).append(":\n");
  }

  /** A loop that all threads run through equally often, or as often as a thread's number says. */
  private void counted(int depth) {
    String begin = "L" + labels++;
    String count = fresh();
    String goesOn = "%p" + predicates++;
    emit("mov.u32 " + count + ", 0");
    code.append(begin).append(":\n");
    indices.add(count);
    block(1 + random.nextInt(4), depth + 1);
    indices.remove(indices.size() - 1);
    emit("add.s32 " + count + ", " + count + ", 1");
    String bound = random.nextInt(4) == 0 ? "%r0" : String.valueOf(2 + random.nextInt(3));
    emit("setp.lt.s32 " + goesOn + ", " + count + ", " + bound);
    emit("@" + goesOn + " bra " + begin);
  }
}
