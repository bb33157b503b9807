package dev.streamfence.internal.ptx.random;

import java.util.Random;

/** Chooses what random loops count. */
final class RandomLoops {
  /**
   * A loop.
   *
   * @param counter its counter, which has its first number
   * @param goesOn the comparison of the counter with which it goes on
   * @param operation how the counter changes
   * @param trips how often it goes on at most; negative if that is not known to be little
   * @param isOwn whether the counter is different in all threads of the grid
   */
  record Loop(
      Value counter,
      String goesOn,
      Value bound,
      String operation,
      Value step,
      int trips,
      boolean isOwn) {}

  private final Random random;
  private final RandomNumbers numbers;
  private final RandomAccesses accesses;
  private final Theme theme;

  /** The number of elements, and the threads of a block and of the grid in x. */
  private final Value n;

  private final Value block;
  private final Value grid;

  RandomLoops(
      Random random,
      RandomNumbers numbers,
      RandomAccesses accesses,
      Theme theme,
      Value n,
      Value block,
      Value grid) {
    this.random = random;
    this.numbers = numbers;
    this.accesses = accesses;
    this.theme = theme;
    this.n = n;
    this.block = block;
    this.grid = grid;
  }

  /** How many elements the kernel goes through. */
  Value elements() {
    return n;
  }

  /** The next loop, whose counter has its first number here. */
  Loop next() {
    return switch (theme == Theme.BARRIERS ? 4 + 4 * random.nextInt(2) : random.nextInt(10)) {
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
      String goesOn = n.isNatural() && random.nextBoolean() ? "lt.u32" : "lt.s32";
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
}
