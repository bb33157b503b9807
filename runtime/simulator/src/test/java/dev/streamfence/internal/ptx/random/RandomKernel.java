package dev.streamfence.internal.ptx.random;

import java.util.ArrayList;
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
  private final KernelCode code = new KernelCode();
  private final RandomNumbers numbers;
  private final RandomAccesses accesses;

  /** Whether the kernel may take a launch's numbers for ones without a sign. */
  private final boolean isNatural;

  private final int dimensions;

  /** Whether it has local memory. */
  private final boolean keeps;

  /** The number of elements, and the threads of a block and of the grid in x. */
  private Value n = Value.constant(0);

  private Value block = n;
  private Value grid = n;

  /** Where the innermost loop ends, and its next iteration; empty outside of loops. */
  private String loopEnd = "";

  private String loopLatch = "";

  public RandomKernel(Random random) {
    this.random = random;
    this.numbers = new RandomNumbers(random, code);
    this.accesses = new RandomAccesses(random, code, numbers);
    this.isNatural = random.nextInt(3) > 0;
    this.keeps = random.nextInt(4) == 0;
    this.dimensions = random.nextInt(3) > 0 ? 1 : 2 + random.nextInt(2);
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
    begin();
    if (random.nextInt(3) > 0) {
      Value own = accesses.ownOfGrid.get(0);
      String outside = numbers.compared("ge", own, n).register();
      code.emit("@%s %s", outside, numbers.any("ret", "ret", "exit"));
    }
    if (random.nextInt(3) == 0) {
      accesses.mistake();
    }
    block(statements, 0, true);
    accesses.store();
    code.at("END");
    return code.module(DYNAMIC, PARAMETERS, VARIABLES);
  }

  /** Computes the thread's indices, and loads the launch's numbers. */
  private void begin() {
    n =
        numbers.put(
            isNatural ? 0 : RandomLaunch.LEAST, RandomLaunch.MOST, true, "ld.param.u32", "[p2]");
    Value m = numbers.put(1, RandomLaunch.MOST, true, "ld.param.u32", "[p3]");
    Value any = numbers.put(Integer.MIN_VALUE, Integer.MAX_VALUE, true, "ld.param.u32", "[p5]");
    Value limited = numbers.put(-20, Integer.MAX_VALUE, true, "max.s32", any, "-20");
    numbers.words.addAll(
        List.of(
            n,
            n,
            m,
            numbers.put(0, 1023, true, "and.b32", any, "1023"),
            numbers.put(-20, 40, true, "min.s32", limited, "40")));
    numbers.compared.addAll(List.of(any, limited, n, m));
    Value ofGrid = Value.constant(0);
    Value ofBlock = Value.constant(0);
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
        if (pitch == n) {
          code.emit("@%s bra END", numbers.compared("ge", place, n));
          place = new Value(place.register(), 0, RandomLaunch.MOST, false);
        }
        ofGrid = numbers.product(ofGrid, pitch, place);
        Value row = random.nextInt(4) == 0 ? Value.constant(32 + random.nextInt(2)) : size;
        ofBlock = numbers.product(ofBlock, row, thread);
        // No block has more threads than that, whatever its shape.
        long most = row == size ? 255 : Math.min(ofBlock.most(), 2000);
        ofBlock = new Value(ofBlock.register(), 0, most, false);
      }
      block = size;
      grid = width;
      numbers.words.addAll(List.of(thread, blockIndex, size, blocks, place));
    }
    numbers.words.addAll(List.of(ofGrid, ofGrid, ofGrid, ofBlock));
    accesses.ownOfGrid.add(ofGrid);
    accesses.ownOfBlock.add(ofBlock);
    for (int i = 0; keeps && i < 12; i += 4) {
      code.emit("st.local.u32 [kept+%d], %s", i, block);
    }
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
    switch (random.nextInt(depth > 2 ? 11 : 17)) {
      case 0, 1 -> numbers.compute();
      case 2, 3, 4 -> accesses.access();
      case 5 -> exchange(together);
      case 6 -> accesses.onBothWays(numbers.predicate());
      case 7 -> keep();
      case 8 -> accesses.distinct();
      case 9 -> barrier(together);
      case 10 -> leave(together);
      case 11, 12, 13 -> guarded(depth, together);
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

  /**
   * A loop.
   *
   * @param counter its counter, which has its first number
   * @param goesOn the comparison of the counter with which it goes on
   * @param operation how the counter changes
   * @param trips how often it goes on at most; negative if that is not known to be little
   * @param isOwn whether the counter is different in all threads of the grid
   */
  private record Loop(
      Value counter,
      String goesOn,
      Value bound,
      String operation,
      Value step,
      int trips,
      boolean isOwn) {}

  private void loop(int depth, boolean together) {
    Loop loop =
        switch (random.nextInt(10)) {
          case 0, 1, 2 -> strided();
          case 3, 4 -> {
            int trips = 1 + random.nextInt(5);
            Value counter = counter(Value.constant(0), 0, trips);
            String goesOn = numbers.any("lt.s32", "lt.u32", "ne.s32");
            yield counted(counter, goesOn, Value.constant(trips), "add.s32", 1, trips);
          }
          case 5 -> {
            Value half = numbers.put(0, block.most() / 2, true, "shr.u32", block, "1");
            Value counter = counter(half, 0, half.most());
            String goesOn = numbers.any("gt.s32", "ne.s32", "gt.u32");
            yield counted(counter, goesOn, Value.constant(0), "shr.u32", 1, 8);
          }
          case 6 -> {
            Value counter = counter(Value.constant(1), 1, 2 * block.most());
            yield counted(counter, numbers.any("lt.s32", "lt.u32"), block, "shl.b32", 1, 8);
          }
          case 7 -> {
            // In steps of four, to the last multiple of four.
            Value whole =
                numbers.put(RandomLaunch.LEAST - 3, RandomLaunch.MOST, true, "and.b32", n, "-4");
            Value end = numbers.put(0, RandomLaunch.MOST, true, "max.s32", whole, "0");
            Value counter = counter(Value.constant(0), 0, RandomLaunch.MOST);
            yield counted(counter, numbers.any("ne.s32", "lt.s32"), end, "add.s32", 4, -1);
          }
          case 8 -> {
            // From one number to another, which differ between threads.
            Value first = numbers.word();
            Value last = numbers.word();
            long most = Math.max(first.most(), last.most()) + 8;
            Value counter = counter(first, first.least(), most);
            String goesOn = numbers.any("lt.s32", "le.s32");
            yield counted(counter, goesOn, last, "add.s32", 1 + random.nextInt(4), -1);
          }
          default -> {
            Value word = numbers.word();
            Value few = numbers.put(0, 7, word.isUniform(), "and.b32", word, "7");
            Value counter = counter(few, -1, 7);
            String goesOn = numbers.any("gt.s32", "ge.s32", "ne.s32");
            yield counted(counter, goesOn, Value.constant(0), "add.s32", -1, 8);
          }
        };
    if (loop.isOwn && loop.operation.startsWith("add") && random.nextInt(3) == 0) {
      stridedInWideNumbers(loop, depth);
    } else {
      repeat(loop, depth, together && loop.counter.isUniform() && loop.bound.isUniform());
    }
  }

  private static Loop counted(
      Value counter, String goesOn, Value bound, String operation, int step, int trips) {
    return new Loop(counter, goesOn, bound, operation, Value.constant(step), trips, false);
  }

  /** Each thread takes the elements that are a grid apart, from the first one or the last one. */
  private Loop strided() {
    Value own = accesses.ownOfGrid.get(accesses.ownOfGrid.size() - 1);
    Value step = numbers.isOdd() ? block : grid;
    if (random.nextInt(4) > 0) {
      Value counter = counter(own, own.least(), own.most() + RandomLaunch.MOST + step.most());
      String goesOn = isNatural && random.nextBoolean() ? "lt.u32" : "lt.s32";
      return new Loop(counter, goesOn, n, "add.s32", step, -1, true);
    }
    long least = RandomLaunch.LEAST - own.most();
    Value last = numbers.put(least, RandomLaunch.MOST, false, "sub.s32", n, own);
    Value counter = counter(last, least - step.most(), RandomLaunch.MOST);
    return new Loop(counter, "gt.s32", Value.constant(0), "sub.s32", step, -1, true);
  }

  /** A register that has the number of another one at first, and others later. */
  private Value counter(Value first, long least, long most) {
    return numbers.put(least, most, first.isUniform(), "mov.u32", first);
  }

  private void repeat(Loop loop, int depth, boolean together) {
    boolean isTestedFirst = random.nextBoolean();
    List<Value> variables = new ArrayList<>();
    List<RandomAccesses.Pointer> pointers = new ArrayList<>();
    variables(loop, variables, pointers);
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
    numbers.words.add(loop.counter);
    numbers.words.addAll(variables);
    accesses.pointers.addAll(pointers);
    if (loop.isOwn) {
      accesses.ownOfGrid.add(loop.counter);
    }
    block(1 + random.nextInt(3), depth + 1, together);
    accesses.pointers.removeAll(pointers);
    if (loop.isOwn) {
      accesses.ownOfGrid.remove(accesses.ownOfGrid.size() - 1);
    }
    code.at(latch);
    code.emit("%s %s, %s, %s", loop.operation, loop.counter, loop.counter, loop.step);
    for (RandomAccesses.Pointer pointer : pointers) {
      accesses.move(pointer, loop.step);
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
    numbers.words.subList(words, numbers.words.size()).clear();
    numbers.predicates.subList(predicates, numbers.predicates.size()).clear();
    loopEnd = outerEnd;
    loopLatch = outerLatch;
  }

  private void test(Loop loop, String branch) {
    String goesOn = code.predicate();
    code.emit("setp.%s %s, %s, %s", loop.goesOn, goesOn, loop.counter, loop.bound);
    code.emit(branch, goesOn);
  }

  /** What the loop changes beside its counter. */
  private void variables(Loop loop, List<Value> variables, List<RandomAccesses.Pointer> pointers) {
    if (random.nextInt(3) == 0) {
      Value first = random.nextBoolean() ? Value.constant(random.nextInt(3)) : numbers.word();
      if (first.least() > -10_000 && first.most() < 10_000_000) {
        variables.add(
            numbers.put(
                Math.min(first.least(), 0), first.most() + 1 + 8L * 4, false, "mov.u32", first));
      }
    }
    boolean isAscending = loop.operation.startsWith("add") && loop.step.isNatural();
    if (isAscending && random.nextInt(3) == 0) {
      RandomAccesses.Pointer pointer = accesses.pointer(loop.counter, loop.counter.most());
      if (pointer != null) {
        pointers.add(pointer);
      }
    }
  }

  /** Changes the variables of a loop: adds to them, turns their last bit, or makes them 1. */
  private void change(List<Value> variables, Loop loop) {
    for (Value each : variables) {
      int way = random.nextInt(3);
      if (way == 0 && loop.trips >= 0) {
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
    code.emit("cvt.%s %s, %s", numbers.any("u64.u32", "s64.s32"), counter, loop.counter);
    code.emit("cvt.s64.s32 %s, %s", bound, n);
    code.emit("cvt.%s %s, %s", numbers.any("u64.u32", "s64.s32"), step, loop.step);
    String test = isNatural && random.nextBoolean() ? "ge.u64" : "ge.s64";
    code.at(begin);
    code.emit("setp.%s %s, %s, %s", test, goesOn, counter, bound);
    code.emit("@%s bra %s", goesOn, end);
    String outerEnd = loopEnd;
    loopEnd = end;
    String outerLatch = loopLatch;
    loopLatch = end;
    Value low = numbers.put(0, loop.counter.most(), false, "cvt.u32.u64", counter);
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
