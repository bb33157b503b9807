package dev.streamfence.internal.ptx.random;

import dev.streamfence.internal.ptx.random.RandomLoops.Loop;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Writes random kernels of the kinds of code that compilers make, and of some that they do not:
 * indices, guards, loops, barriers, arrays and tiles. In each launch that {@link RandomLaunch}
 * makes, they keep to what proofs assume. They terminate, although a loop may take long.
 */
public final class RandomKernel {
  private static final String PARAMETERS =
      ".param .u64 p0, .param .u64 p1, .param .u32 p2, .param .u32 p3,\n"
          + ".param .u64 p4, .param .u32 p5, .param .u64 p6";

  private static final String VARIABLES =
      ".shared .align 16 .b8 tile0[T];\n.shared .align 16 .b8 tile1[T];\n"
              .replace("T", "" + RandomAccesses.TILE)
          + ".local .align 4 .b8 kept[12];\n";

  private static final String DYNAMIC = ".extern .shared .align 16 .b8 dynamic[];\n";

  /** What the thread keeps in its own memory is less. */
  private static final int KEPT = 1 << 12;

  private final Random random;
  private final Theme theme;
  private final KernelCode code = new KernelCode();
  private final RandomNumbers numbers;
  private final RandomAccesses accesses;

  /** Whether the kernel may take a launch's numbers for ones without a sign. */
  private final boolean isNatural;

  private final int dimensions;

  /** Whether it has local memory. */
  private final boolean keeps;

  private final RandomLoops loops;

  /** Where the innermost loop ends, and its next iteration; empty outside of loops. */
  private String loopEnd = "";

  private String loopLatch = "";

  /** Random numbers whose first ones differ between neighbouring seeds, unlike Java's own. */
  public static Random random(long seed) {
    return new Random(seed * 0x9E37_79B9_7F4A_7C15L);
  }

  public RandomKernel(Random random) {
    this.random = random;
    this.theme = Theme.any(random);
    this.numbers = new RandomNumbers(random, code, theme);
    this.accesses = new RandomAccesses(random, code, numbers, theme);
    this.isNatural = random.nextInt(3) > 0;
    this.keeps = theme == Theme.MIXED && random.nextInt(4) == 0;
    this.dimensions = theme != Theme.MIXED || random.nextInt(2) > 0 ? 1 : 2 + random.nextInt(2);
    this.loops = begin();
  }

  /** Whether no number of a launch is to be negative. */
  public boolean isNatural() {
    return isNatural;
  }

  /** How many dimensions of the launch it reads. */
  public int dimensions() {
    return dimensions;
  }

  /**
   * Returns a module with one kernel, {@code k}, that takes two arrays, two numbers, an array of
   * distinct numbers, and two more numbers.
   */
  public String write(int statements) {
    if (theme == Theme.MIXED && random.nextInt(3) > 0) {
      Value own = accesses.ownOfGrid.get(0);
      String outside = numbers.compared("ge", own, loops.elements()).register();
      code.emit("@%s %s", outside, numbers.any("ret", "ret", "exit"));
    }
    if (theme == Theme.MIXED && random.nextInt(3) == 0) {
      accesses.mistake();
    }
    if (theme == Theme.GUARDS) {
      numbers.compute();
      code.emit("@%s bra END", numbers.predicate());
    }
    if (theme == Theme.BARRIERS) {
      loop(0, true);
    }
    block(statements, 0, true);
    if (!accesses.hasStored() || random.nextInt(3) == 0) {
      accesses.store();
    }
    code.at("END");
    return code.module(DYNAMIC, PARAMETERS, VARIABLES);
  }

  /** Computes the thread's indices, and loads the launch's numbers. */
  private RandomLoops begin() {
    Value n =
        numbers.put(
            isNatural ? 0 : RandomLaunch.LEAST, RandomLaunch.MOST, true, "ld.param.u32", "[p2]");
    Value m = numbers.put(1, RandomLaunch.MOST, true, "ld.param.u32", "[p3]");
    Value any = numbers.put(Integer.MIN_VALUE, Integer.MAX_VALUE, true, "ld.param.u32", "[p5]");
    Value limited = numbers.put(-20, Integer.MAX_VALUE, true, "max.s32", any, "-20");
    if (theme == Theme.MIXED) {
      numbers.words.addAll(
          List.of(
              n,
              n,
              m,
              numbers.put(0, 1023, true, "and.b32", any, "1023"),
              numbers.put(-20, 40, true, "min.s32", limited, "40")));
    }
    if (theme == Theme.BARRIERS) {
      numbers.words.add(n);
    }
    numbers.compared.addAll(List.of(any, limited, n, m));
    Value ofGrid = Value.constant(0);
    Value ofBlock = Value.constant(0);
    Value block = n;
    Value grid = n;
    for (int i = dimensions - 1; i >= 0; i--) {
      char axis = "xyz".charAt(i);
      Value thread = numbers.special("%tid." + axis, RandomLaunch.THREADS[i] - 1);
      Value blockIndex = numbers.special("%ctaid." + axis, RandomLaunch.BLOCKS - 1);
      Value blocks = numbers.special("%nctaid." + axis, RandomLaunch.BLOCKS);
      // Some kernels are written for blocks of one size.
      boolean isFixed = random.nextInt(8) == 0;
      Value size =
          isFixed
              ? numbers.put(1 << 5 - i, 1 << 5 - i, true, "mov.u32", "" + (1 << 5 - i))
              : numbers.special("%ntid." + axis, RandomLaunch.THREADS[i]);
      Value place = numbers.product(blockIndex, size, thread);
      Value width = numbers.product(size, blocks, Value.constant(0));
      if (i == dimensions - 1) {
        ofGrid = place;
        ofBlock = thread;
      } else {
        Value pitch = dimensions == 2 && random.nextInt(3) == 0 ? n : width;
        if (pitch.equals(n)) {
          code.emit("@%s bra END", numbers.compared("ge", place, n));
          place = new Value(place.register(), 0, RandomLaunch.MOST, false);
        }
        ofGrid = numbers.product(ofGrid, pitch, place);
        Value row = random.nextInt(4) == 0 ? Value.constant(32 + random.nextInt(2)) : size;
        ofBlock = numbers.product(ofBlock, row, thread);
        // No block has more threads than that, whatever its shape.
        long most = row.equals(size) ? 255 : Math.min(ofBlock.most(), 2000);
        ofBlock = new Value(ofBlock.register(), 0, most, false);
      }
      block = size;
      grid = width;
      if (theme == Theme.MIXED) {
        numbers.words.addAll(List.of(thread, blockIndex, size, blocks, place));
      }
    }
    numbers.words.add(theme == Theme.BARRIERS ? ofBlock : ofGrid);
    if (theme == Theme.MIXED) {
      numbers.words.addAll(List.of(ofGrid, ofBlock));
    }
    accesses.ownOfGrid.add(ofGrid);
    accesses.ownOfBlock.add(ofBlock);
    for (int i = 0; keeps && i < 12; i += 4) {
      code.emit("st.local.u32 [kept+%d], %s", i, block);
    }
    return new RandomLoops(random, numbers, accesses, theme, n, block, grid);
  }

  /**
   * Some statements, after which the thread has what it had before.
   *
   * @param together whether all threads of a block come here
   */
  private void block(int statements, int depth, boolean together) {
    List<List<?>> all =
        List.of(
            numbers.words,
            numbers.predicates,
            accesses.ownOfGrid,
            accesses.ownOfBlock,
            accesses.pointers);
    List<Integer> sizes = all.stream().map(List::size).toList();
    for (int i = 0; i < statements; i++) {
      statement(depth, together);
    }
    for (int i = 0; i < all.size(); i++) {
      all.get(i).subList(sizes.get(i), all.get(i).size()).clear();
    }
  }

  private void statement(int depth, boolean together) {
    switch (theme.kind(random, depth > (theme == Theme.BARRIERS ? 1 : 2) ? 8 : 10)) {
      case 0 -> numbers.compute();
      case 1 -> accesses.access();
      case 2 -> exchange(together);
      case 3 -> accesses.onBothWays(numbers.predicate());
      case 4 -> keep();
      case 5 -> accesses.distinct();
      case 6 -> barrier(together);
      case 7 -> leave(together);
      case 8 -> guarded(depth, together);
      default -> loop(depth, together);
    }
  }

  private void barrier(boolean together) {
    if (together || numbers.isOdd()) {
      boolean isOther = numbers.isOdd() && numbers.isOdd();
      code.emit(isOther ? numbers.any("bar.sync 1", "bar.warp.sync -1") : "bar.sync 0");
    }
  }

  /** Stores to a tile, waits, and loads what others have stored. */
  private void exchange(boolean together) {
    accesses.tile(true);
    barrier(together);
    accesses.tile(false);
    if (random.nextInt(3) > 0) {
      barrier(together);
    }
  }

  /** Keeps a number in the thread's own memory, and loads one that is kept there. */
  private void keep() {
    if (!keeps) {
      return;
    }
    Value kept = numbers.word();
    if (kept.isNatural() && kept.most() < KEPT) {
      String guard = random.nextInt(3) == 0 ? "@" + numbers.predicate() + " " : "";
      code.emit("%sst.local.u32 [kept+%d], %s", guard, 4 * random.nextInt(3), kept);
    }
    String place = "[kept+" + 4 * random.nextInt(3) + "]";
    numbers.words.add(numbers.put(0, KEPT, false, "ld.local.u32", place));
  }

  /** Ends the thread, its loop, or its iteration, if something holds. */
  private void leave(boolean together) {
    Value decision = numbers.predicate();
    if (loopEnd.isEmpty() && theme == Theme.BARRIERS) {
      return;
    }
    if (loopEnd.isEmpty()) {
      code.emit("@%s %s", decision, numbers.any("ret", "exit", "bra END"));
    } else if (!together || decision.isUniform() || numbers.isOdd()) {
      code.emit("@%s bra %s", decision, numbers.any(loopEnd, loopEnd, loopLatch));
    }
  }

  private void guarded(int depth, boolean together) {
    Value decision = numbers.predicate();
    boolean stay = together && decision.isUniform();
    String other = code.label();
    code.emit("@%s%s bra %s", numbers.any("", "!"), decision, other);
    block(1 + random.nextInt(2), depth + 1, stay);
    if (random.nextInt(4) == 0) {
      String end = code.label();
      code.emit("bra %s", end);
      code.at(other);
      block(1 + random.nextInt(2), depth + 1, stay);
      code.at(end);
    } else {
      code.at(other);
    }
  }

  private void loop(int depth, boolean together) {
    Loop loop = loops.next();
    if (loop.isOwn() && loop.operation().startsWith("add") && random.nextInt(3) == 0) {
      stridedInWideNumbers(loop, depth);
    } else {
      repeat(loop, depth, together && loop.counter().isUniform() && loop.bound().isUniform());
    }
  }

  private void repeat(Loop loop, int depth, boolean together) {
    boolean isTestedFirst = random.nextBoolean();
    List<Value> variables = new ArrayList<>();
    List<RandomAccesses.Pointer> pointers = new ArrayList<>();
    begin(loop, variables, pointers);
    String begin = code.label();
    String latch = code.label();
    String end = code.label();
    // A loop that is tested at its end is tested before it as well, as compilers do it.
    test(loop, "@!%s bra " + end);
    code.at(begin);
    if (isTestedFirst) {
      test(loop, "@!%s bra " + end);
    }
    String outerEnd = loopEnd;
    String outerLatch = loopLatch;
    loopEnd = end;
    loopLatch = latch;
    int words = numbers.words.size();
    int predicates = numbers.predicates.size();
    numbers.words.add(loop.counter());
    numbers.words.addAll(variables);
    accesses.pointers.addAll(pointers);
    if (loop.isOwn()) {
      accesses.ownOfGrid.add(loop.counter());
    }
    body(depth + 1, together);
    accesses.pointers.removeAll(pointers);
    if (loop.isOwn()) {
      accesses.ownOfGrid.remove(accesses.ownOfGrid.size() - 1);
    }
    code.at(latch);
    code.emit("%s %s, %s, %s", loop.operation(), loop.counter(), loop.counter(), loop.step());
    for (RandomAccesses.Pointer pointer : pointers) {
      accesses.move(pointer, loop.step());
    }
    if (isTestedFirst && !variables.isEmpty() && random.nextInt(3) == 0) {
      // Threads choose between two latches.
      code.emit("@%s bra %s", numbers.predicate(), begin);
    }
    change(variables, loop);
    if (isTestedFirst) {
      code.emit("bra %s", begin);
    } else {
      test(loop, "@%s bra " + begin);
    }
    code.at(end);
    // What the loop has changed is known behind it.
    numbers.words.subList(words + 1 + variables.size(), numbers.words.size()).clear();
    numbers.predicates.subList(predicates, numbers.predicates.size()).clear();
    loopEnd = outerEnd;
    loopLatch = outerLatch;
  }

  /**
   * What a loop repeats. That threads leave between an access and a barrier matters for the order
   * of accesses.
   */
  private void body(int depth, boolean together) {
    if (theme != Theme.BARRIERS) {
      block(1 + random.nextInt(3), depth, together);
      return;
    }
    List<Runnable> parts =
        new ArrayList<>(List.of(accesses::access, () -> barrier(together), () -> leave(together)));
    parts.add(depth < 2 ? () -> loop(depth, together) : () -> barrier(together));
    Collections.shuffle(parts, random);
    parts.subList(0, 2 + random.nextInt(3)).forEach(Runnable::run);
  }

  private void test(Loop loop, String branch) {
    String goesOn = code.predicate();
    code.emit("setp.%s %s, %s, %s", loop.goesOn(), goesOn, loop.counter(), loop.bound());
    code.emit(branch, goesOn);
  }

  /** Chooses what the loop changes beside its counter. */
  private void begin(Loop loop, List<Value> variables, List<RandomAccesses.Pointer> pointers) {
    if (random.nextInt(3) == 0) {
      Value first = random.nextBoolean() ? Value.constant(random.nextInt(3)) : numbers.word();
      if (first.least() > -10_000 && first.most() < 10_000_000) {
        variables.add(
            numbers.put(
                Math.min(first.least(), 0), first.most() + 1 + 8L * 4, false, "mov.u32", first));
      }
    }
    boolean isAscending = loop.operation().startsWith("add") && loop.step().isNatural();
    if (isAscending && random.nextInt(3) == 0) {
      RandomAccesses.Pointer pointer = accesses.pointer(loop.counter(), loop.counter().most());
      if (pointer != null) {
        pointers.add(pointer);
      }
    }
  }

  /** Changes the variables of a loop: adds to them, turns their last bit, or makes them 1. */
  private void change(List<Value> variables, Loop loop) {
    for (Value each : variables) {
      int way = random.nextInt(3);
      if (way == 0 && loop.trips() >= 0) {
        code.emit("add.s32 %s, %s, %d", each, each, 1 + random.nextInt(4));
      } else if (way == 1 && each.isNatural()) {
        code.emit("xor.b32 %s, %s, 1", each, each);
      } else {
        code.emit("mov.u32 %s, %s", each, each.isNatural() ? "1" : "0");
      }
    }
  }

  /** A loop over the grid with a counter of 64 bits. */
  private void stridedInWideNumbers(Loop loop, int depth) {
    String counter = code.wide();
    String bound = code.wide();
    String step = code.wide();
    String goesOn = code.predicate();
    String begin = code.label();
    String end = code.label();
    code.emit("cvt.%s %s, %s", numbers.any("u64.u32", "s64.s32"), counter, loop.counter());
    code.emit("cvt.s64.s32 %s, %s", bound, loop.bound());
    code.emit("cvt.%s %s, %s", numbers.any("u64.u32", "s64.s32"), step, loop.step());
    String test = isNatural && random.nextBoolean() ? "ge.u64" : "ge.s64";
    code.at(begin);
    code.emit("setp.%s %s, %s, %s", test, goesOn, counter, bound);
    code.emit("@%s bra %s", goesOn, end);
    String outerEnd = loopEnd;
    loopEnd = end;
    String outerLatch = loopLatch;
    loopLatch = end;
    Value low = numbers.put(0, loop.counter().most(), false, "cvt.u32.u64", counter);
    numbers.words.add(low);
    accesses.ownOfGrid.add(low);
    block(1 + random.nextInt(3), depth + 1, false);
    accesses.ownOfGrid.remove(accesses.ownOfGrid.size() - 1);
    numbers.words.remove(numbers.words.size() - 1);
    code.emit("add.s64 %s, %s, %s", counter, counter, step);
    code.emit("bra %s", begin);
    code.at(end);
    loopEnd = outerEnd;
    loopLatch = outerLatch;
  }
}
