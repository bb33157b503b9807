package dev.streamfence.internal.ptx.random;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Makes random accesses to the arrays and tiles of a kernel. Each stays in its memory, since its
 * index is known to, or is compared before it, or masked.
 */
final class RandomAccesses {
  /** The bytes of a tile. */
  static final int TILE = 8192;

  /** What the launches have in the tile whose size they choose. */
  static final int DYNAMIC = 4096;

  /** No array has more bytes, and no two arrays are nearer. */
  private static final long ARRAY = 1L << 32;

  /**
   * Memory that several threads reach.
   *
   * @param unit the size of its elements, of which a thread usually touches one
   * @param isInput whether no thread stores there
   */
  private record Memory(String name, boolean isGlobal, long bytes, int unit, boolean isInput) {}

  /**
   * An address that a loop moves on.
   *
   * @param most the most that it is beyond the begin of its memory
   */
  record Pointer(String register, int memory, long most) {}

  private final Random random;
  private final KernelCode code;
  private final RandomNumbers numbers;
  private final Theme theme;
  private final List<Memory> memories = new ArrayList<>();

  /** The indices by which threads usually tell their elements apart, the nearest loop's last. */
  final List<Value> ownOfGrid = new ArrayList<>();

  final List<Value> ownOfBlock = new ArrayList<>();
  final List<Pointer> pointers = new ArrayList<>();
  private boolean hasStored;

  /** How many accesses to a tile there are still to be: proofs about few succeed more often. */
  private int left;

  RandomAccesses(Random random, KernelCode code, RandomNumbers numbers, Theme theme) {
    this.random = random;
    this.theme = theme;
    this.code = code;
    this.numbers = numbers;
    this.left = 1 + random.nextInt(3);
    int[] units = {4, 4, 4, 4, 8, 12, 16, 1, 2};
    for (int i = 0; i < 5; i++) {
      boolean isGlobal = i < 2;
      long bytes = isGlobal ? ARRAY : i < 4 ? TILE : DYNAMIC;
      String name = isGlobal ? "p" + i : i < 4 ? "tile" + (i - 2) : "dynamic";
      boolean isInput = i == 1 && random.nextInt(3) > 0;
      int unit = theme == Theme.BARRIERS ? 4 : units[random.nextInt(units.length)];
      memories.add(new Memory(name, isGlobal, bytes, unit, isInput));
    }
  }

  /** An access to an array or, more rarely, to a tile. */
  void access() {
    if (theme == Theme.BARRIERS) {
      near(hasStored && random.nextInt(3) > 0);
      return;
    }
    if (theme == Theme.GUARDS) {
      Value index = random.nextInt(3) > 0 ? Value.constant(random.nextInt(2)) : numbers.word();
      access(memories.get(0), index, random.nextInt(4) == 0);
      return;
    }
    int memory = random.nextInt(3) == 0 ? 2 + random.nextInt(numbers.isOdd() ? 3 : 1) : array();
    access(memory, memories.get(memory).isInput() || random.nextInt(3) == 0);
  }

  /** Touches the thread's element of a tile, one near it, or one that a single thread stores. */
  private void near(boolean loads) {
    if (left-- <= 0) {
      return;
    }
    Value own = ownOfBlock.get(ownOfBlock.size() - 1);
    int last = numbers.words.size() - 1;
    Value recent = numbers.words.get(last - random.nextInt(Math.min(3, last + 1)));
    int kind = random.nextInt(8);
    if (kind > 4) {
      String single = code.predicate();
      code.emit("setp.eq.s32 %s, %s, %d", single, own, random.nextInt(3));
      String place = memories.get(2).name();
      touch(memories.get(2), loads ? "" : "@" + single + " ", place, 0, loads);
      return;
    }
    boolean isNear = recent.isNatural() && recent.most() < 500;
    Value further = kind > 3 || !isNear ? Value.constant(random.nextInt(2)) : recent;
    access(memories.get(2), kind < 1 ? own : sum(own, further), loads);
  }

  private Value sum(Value a, Value b) {
    return numbers.put(a.least() + b.least(), a.most() + b.most(), false, "add.s32", a, b);
  }

  private int array() {
    return random.nextInt(3) == 0 ? 1 : 0;
  }

  boolean hasStored() {
    return hasStored;
  }

  /** A store that most kernels end with. */
  void store() {
    switch (theme) {
      case MIXED -> access(0, false);
      case BARRIERS -> near(false);
      case GUARDS -> access(memories.get(0), Value.constant(0), false);
    }
  }

  /** Takes an index that may be the same in several threads for one that tells them apart. */
  void mistake() {
    List<Value> own = random.nextInt(3) > 0 ? ownOfGrid : ownOfBlock;
    Value loaded = random.nextInt(3) == 0 ? distinct() : null;
    if (loaded == null && random.nextInt(3) == 0) {
      access(1, true);
    }
    own.set(0, loaded == null ? numbers.compute() : loaded);
  }

  /** A store to a tile, or a load from one. */
  void tile(boolean stores) {
    access(2, !stores);
  }

  private void access(int memory, boolean loads) {
    Memory of = memories.get(memory);
    List<Pointer> moved = pointers.stream().filter(each -> each.memory == memory).toList();
    if (!moved.isEmpty() && random.nextInt(3) > 0) {
      Pointer pointer = moved.get(random.nextInt(moved.size()));
      touch(of, "", pointer.register, further(of, pointer.most), loads);
      return;
    }
    List<Value> own = of.isGlobal() ? ownOfGrid : ownOfBlock;
    boolean isOther = loads && (of.isInput() || random.nextBoolean()) || numbers.isOdd();
    Value index = isOther ? numbers.word() : own.get(own.size() - 1);
    access(of, index, loads);
  }

  /** Both ways of a branch touch the same memory, often the same element. */
  void onBothWays(Value decision) {
    Memory of = memories.get(random.nextInt(3));
    Value index = random.nextBoolean() ? numbers.word() : ownOfGrid.get(ownOfGrid.size() - 1);
    String other = code.label();
    String end = code.label();
    code.emit("@%s bra %s", decision, other);
    access(of, index, of.isInput());
    code.emit("bra %s", end);
    code.at(other);
    access(of, random.nextInt(3) == 0 ? numbers.word() : index, of.isInput());
    code.at(end);
  }

  private void access(Memory of, Value index, boolean loads) {
    long end = Math.min(of.bytes() / of.unit() - 4, Integer.MAX_VALUE);
    Value inside = index;
    String guard = "";
    if (!index.isNatural() || index.most() > end) {
      if (!of.isGlobal() && random.nextBoolean()) {
        inside = numbers.put(0, 255, index.isUniform(), "and.b32", index, "255");
      } else {
        guard = "@" + inside(index, end) + " ";
        inside = new Value(index.register(), 0, end, index.isUniform());
      }
    }
    if (guard.isEmpty() && random.nextInt(8) == 0) {
      guard = (random.nextBoolean() ? "@" : "@!") + numbers.predicate() + " ";
    }
    boolean isOne = inside.least() == inside.most() && !of.isGlobal() && guard.isEmpty();
    String address = isOne ? of.name() : of.isGlobal() ? inArray(of, inside) : inTile(of, inside);
    long most = inside.most() * of.unit();
    touch(of, guard, address, isOne ? most : further(of, most), loads);
  }

  /** Whether an index is in its memory: usual code compares it twice, or once without a sign. */
  private String inside(Value index, long end) {
    String result = code.predicate();
    if (index.mayBeUnsigned() && random.nextBoolean()) {
      code.emit("setp.lt.u32 %s, %s, %d", result, index, end);
    } else {
      String natural = code.predicate();
      code.emit("setp.ge.s32 %s, %s, 0", natural, index);
      code.emit("setp.lt.and.s32 %s, %s, %d, %s", result, index, end, natural);
    }
    return result;
  }

  /** The address of an element of an array, in one of the forms of compilers. */
  private String inArray(Memory of, Value index) {
    String base = code.wide();
    String address = code.wide();
    String offset = code.wide();
    code.emit("ld.param.u64 %s, [%s]", base, of.name());
    if (random.nextInt(4) == 0) {
      code.emit("cvta.to.global.u64 %s, %s", base, base);
    }
    int form = random.nextInt(6);
    Value at = index;
    if (form == 0) {
      // The index first, as unoptimised code has it.
      int further = random.nextInt(3);
      at = numbers.put(0, index.most() + further, false, "add.s32", index, "" + further);
    }
    boolean isPower = Integer.bitCount(of.unit()) == 1;
    if (form == 1) {
      code.emit("mad.wide.s32 %s, %s, %d, %s", address, at, of.unit(), base);
    } else if (form == 2 && isPower) {
      String sign = random.nextBoolean() ? "s64.s32" : "u64.u32";
      code.emit("cvt.%s %s, %s", sign, offset, at);
      code.emit("shl.b64 %s, %s, %d", offset, offset, Integer.numberOfTrailingZeros(of.unit()));
      code.emit("add.s64 %s, %s, %s", address, base, offset);
    } else {
      String sign = random.nextInt(4) == 0 ? "u32" : "s32";
      code.emit("mul.wide.%s %s, %s, %d", sign, offset, at, of.unit());
      code.emit("add.s64 %s, %s, %s", address, base, offset);
    }
    return address;
  }

  private String inTile(Memory of, Value index) {
    if (random.nextInt(3) == 0) {
      String base = code.wide();
      String address = code.wide();
      code.emit("mov.u64 %s, %s", base, of.name());
      code.emit("mad.wide.u32 %s, %s, %d, %s", address, index, of.unit(), base);
      return address;
    }
    String base = code.word();
    String address = code.word();
    code.emit("mov.u32 %s, %s", base, of.name());
    if (Integer.bitCount(of.unit()) == 1 && random.nextBoolean()) {
      code.emit("shl.b32 %s, %s, %d", address, index, Integer.numberOfTrailingZeros(of.unit()));
      code.emit("add.s32 %s, %s, %s", address, base, address);
    } else {
      code.emit("mad.lo.s32 %s, %s, %d, %s", address, index, of.unit(), base);
    }
    return address;
  }

  /** How many bytes beyond an address to go: usually to a place in the same element. */
  private long further(Memory of, long most) {
    long bytes = numbers.isOdd() ? (long) random.nextInt(3) * of.unit() : 0;
    bytes += of.unit() > 4 && random.nextBoolean() ? of.unit() - 4L : 0;
    return most + bytes + of.unit() > of.bytes() ? 0 : bytes;
  }

  /** Loads or stores as many bytes as the place is aligned to, or fewer. */
  private void touch(Memory of, String guard, String address, long further, boolean loads) {
    String space = of.isGlobal() ? "global" : "shared";
    String place = "[" + address + (further > 0 ? "+" + further : "") + "]";
    int width = (int) Long.lowestOneBit(of.unit() | further | 16);
    if (theme == Theme.MIXED && random.nextInt(6) == 0) {
      width = 1 << random.nextInt(Integer.numberOfTrailingZeros(width) + 1);
    }
    if (width == 4 && !of.isInput() && theme == Theme.MIXED && random.nextInt(8) == 0) {
      String scope = numbers.isOdd() ? numbers.any(".relaxed.cta", ".relaxed.gpu") : "";
      code.emit("%satom%s.%s.add.u32 %s, %s, 1", guard, scope, space, code.word(), place);
      return;
    }
    boolean isStrong = numbers.isOdd() && numbers.isOdd() && width <= 4;
    String strength = isStrong ? numbers.any(".volatile", ".relaxed.gpu") : "";
    if (loads) {
      load(guard, "ld" + strength + "." + space, width, place);
    } else {
      store(guard, "st" + strength + "." + space, width, place);
    }
  }

  private void load(String guard, String operation, int width, String place) {
    String type = numbers.any("u", "s");
    switch (width) {
      case 8 -> code.emit("%s%s.%s64 %s, %s", guard, operation, type, code.wide(), place);
      case 16 ->
          code.emit("%s%s.v2.u64 {%s, %s}, %s", guard, operation, code.wide(), code.wide(), place);
      default -> {
        // Where the guard does not hold, the register keeps this.
        Value value = numbers.put(0, RandomLaunch.MOST_DATA, false, "mov.u32", "0");
        code.emit("%s%s.%s%d %s, %s", guard, operation, type, 8 * width, value, place);
        // Threads store larger numbers to tiles than arrays have.
        boolean isOfTile = operation.endsWith("shared");
        numbers.words.add(isOfTile ? numbers.put(0, 63, false, "and.b32", value, "63") : value);
      }
    }
  }

  private void store(String guard, String operation, int width, String place) {
    hasStored = true;
    Value value = numbers.isOdd() ? Value.constant(random.nextInt(3)) : numbers.word();
    if (width >= 8) {
      String wide = code.wide();
      code.emit("mov.b64 %s, {%s, %s}", wide, numbers.word(), numbers.word());
      String both = "{" + wide + ", " + wide + "}";
      boolean isVector = width == 16;
      code.emit(
          "%s%s%s.u64 %s, %s",
          guard, operation, isVector ? ".v2" : "", place, isVector ? both : wide);
    } else {
      code.emit("%s%s.u%d %s, %s", guard, operation, 8 * width, place, value);
    }
  }

  /** Loads one of the distinct numbers, an index that tells threads apart. */
  @Nullable Value distinct() {
    Value from = random.nextInt(3) > 0 ? ownOfGrid.get(ownOfGrid.size() - 1) : numbers.word();
    if (!from.isNatural() || from.most() > RandomLaunch.MOST_DISTINCT) {
      return null;
    }
    String base = code.wide();
    code.emit("ld.param.u64 %s, [p4]", base);
    code.emit("mad.wide.s32 %s, %s, 4, %s", base, from, base);
    Value loaded =
        numbers.put(
            0, RandomLaunch.distinct(from.most()), false, "ld.global.u32", "[" + base + "]");
    numbers.words.add(loaded);
    return loaded;
  }

  /** An address that a loop moves on by a number of elements; null if it may get out of sight. */
  @Nullable Pointer pointer(Value first, long most) {
    int memory = random.nextInt(3);
    Memory of = memories.get(memory);
    if (!first.isNatural() || (most + 4) * of.unit() > of.bytes()) {
      return null;
    }
    String base = code.wide();
    if (of.isGlobal()) {
      code.emit("ld.param.u64 %s, [%s]", base, of.name());
    } else {
      code.emit("mov.u64 %s, %s", base, of.name());
    }
    String register = code.wide();
    code.emit("mad.wide.s32 %s, %s, %d, %s", register, first, of.unit(), base);
    return new Pointer(register, memory, most * of.unit());
  }

  void move(Pointer pointer, Value step) {
    String bytes = code.wide();
    code.emit("mul.wide.s32 %s, %s, %d", bytes, step, memories.get(pointer.memory).unit());
    code.emit("add.s64 %s, %s, %s", pointer.register, pointer.register, bytes);
  }
}
