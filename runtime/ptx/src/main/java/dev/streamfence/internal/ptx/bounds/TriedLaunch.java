package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A launch of an ordinary shape with ordinary numbers, to try whether any launch checks an array.
 * Immutable.
 */
final class TriedLaunch implements LaunchNumbers {
  // The most frequent ones first: most arrays are checked in the first launch.
  private static final int[][] BLOCKS = {
    {256, 1, 1}, {16, 16, 1}, {32, 1, 1}, {8, 8, 8}, {1024, 1, 1}, {32, 32, 1}, {1, 1, 1}
  };
  private static final int[][] GRIDS = {{4, 1, 1}, {3, 2, 1}, {2, 2, 2}, {1, 1, 1}};

  /** How many ways there are to choose the numbers. */
  private static final int CHOICES = 20;

  /** The ways in which all numbers are of one kind. */
  private static final int ALIKE = 8;

  /** The length of arrays, none of which is close to what wraps around. */
  private static final int ORDINARY_LENGTH = 10_000;

  /** The length of arrays that the numbers of a byte go beyond. */
  private static final int SHORT_LENGTH = 10;

  /** An index of 32 bits still goes beyond it. */
  private static final int GREAT_LENGTH = 1 << 30;

  /** How many launches there are. */
  static final int COUNT = BLOCKS.length * GRIDS.length * CHOICES;

  private final List<NumberPlace> arguments;
  private final int[] block;
  private final int[] grid;
  private final int choice;

  /** The array that is longer than all others; negative for none. */
  private final int longArray;

  /** The length of the others. */
  private final int length;

  private TriedLaunch(List<NumberPlace> arguments, int number, int longArray) {
    this(arguments, number, longArray, ORDINARY_LENGTH);
  }

  private TriedLaunch(List<NumberPlace> arguments, int number, int longArray, int length) {
    this.length = length;
    this.arguments = arguments;
    this.longArray = longArray;
    this.choice = number % CHOICES;
    this.block = BLOCKS[number / CHOICES % BLOCKS.length];
    this.grid = GRIDS[number / CHOICES / BLOCKS.length];
  }

  /** Whether any of these launches checks an array. */
  static boolean checks(LaunchBounds bounds, int array) {
    if (bounds.arrays().get(array).followed().isEmpty()) {
      return false;
    }
    BoundsEvaluator evaluator = bounds.evaluator();
    for (int number = 0; number < COUNT; number++) {
      if (evaluator.reach(array, new TriedLaunch(bounds.arguments(), number, -1))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Launches whose numbers are all of one kind, with long and with short arrays.
   *
   * @param arguments the numbers that launches pass
   */
  static List<LaunchNumbers> alike(List<NumberPlace> arguments) {
    return IntStream.of(ORDINARY_LENGTH, SHORT_LENGTH)
        .boxed()
        .flatMap(
            length ->
                IntStream.range(0, ALIKE)
                    .<LaunchNumbers>mapToObj(
                        number -> new TriedLaunch(arguments, number, -1, length)))
        .toList();
  }

  /**
   * A launch with an array that is longer than what other numbers lead to.
   *
   * @param number below {@link #COUNT}
   */
  static LaunchNumbers ofLongArray(int array, List<NumberPlace> arguments, int number) {
    return new TriedLaunch(arguments, number, array);
  }

  @Override
  public long argument(int argument) {
    long threads = (long) grid[0] * block[0];
    // A hash, so that the arguments of one launch differ.
    long mixed = ((argument + 1) * 31L + choice) * 0x9E37_79B9_7F4A_7C15L;
    int kind = choice < ALIKE ? choice : (int) (mixed >>> 32) & 7;
    long value =
        switch (kind) {
          case 0 -> threads;
          case 1 -> 1000;
          case 2 -> 1 + (mixed >>> 61);
          case 3 -> 1L << (mixed >>> 60);
          case 4 -> mixed >>> 57;
          case 5 -> mixed >>> 52;
          case 6 -> 4 * threads + 7;
          default -> (mixed >>> 62) - 1;
        };
    return switch (arguments.get(argument).bytes()) {
      case 1 -> (byte) value;
      case 2 -> (short) value;
      case 4 -> (int) value;
      default -> value;
    };
  }

  @Override
  public long length(int array) {
    return array == longArray ? GREAT_LENGTH : length;
  }

  @Override
  public int block(int dimension) {
    return block[dimension];
  }

  @Override
  public int grid(int dimension) {
    return grid[dimension];
  }
}
