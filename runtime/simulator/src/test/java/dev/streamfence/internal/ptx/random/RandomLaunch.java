package dev.streamfence.internal.ptx.random;

import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/**
 * One launch of a {@link RandomKernel}.
 *
 * @param n a number of the launch, often that of the elements
 * @param m one that is not below 1
 * @param any one that the kernel only compares, and cuts off
 * @param wide one of 64 bits
 * @param data chooses what the arrays contain
 */
public record RandomLaunch(PtxGrid grid, int n, int m, int any, long wide, long data) {
  /**
   * The most of any number but {@link #any}: beyond it, a kernel's arithmetic might wrap around.
   */
  static final int MOST = 70_000;

  /** The least of a number that may be negative. */
  static final int LEAST = -300;

  /** The most that a launch loads from an array. */
  static final int MOST_DATA = 63;

  /** The last of the distinct numbers that a launch loads. */
  static final int MOST_DISTINCT = 1 << 20;

  /** The most threads of a block in each dimension, and the most blocks. */
  static final int[] THREADS = {256, 32, 8};

  static final int BLOCKS = 8;

  private static final int MOST_THREADS = 256;

  /** One of several distinct numbers. */
  public static long distinct(long index) {
    return 1000 + 7 * index;
  }

  /** The blocks of a grid and the threads of a block, each in three dimensions. */
  public static int[] shape(Random random, int[] most) {
    int[] shape = new int[6];
    int[] usual = {1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 48, 64, 96, 100, 128};
    int left = MOST_THREADS;
    for (int i = 0; i < 3; i++) {
      shape[i] = Math.min(most[i], 1 + random.nextInt(i == 0 ? 6 : 3));
      int threads = i == 0 ? usual[random.nextInt(usual.length)] : 1 + random.nextInt(THREADS[i]);
      threads = i > 0 && random.nextBoolean() ? 1 + random.nextInt(3) : threads;
      shape[3 + i] = Math.max(1, Math.min(Math.min(threads, left), most[3 + i]));
      left /= shape[3 + i];
    }
    return shape;
  }

  /** A launch with any numbers. */
  public static RandomLaunch of(Random random, boolean isNatural, int[] shape) {
    return new RandomLaunch(
        grid(shape),
        number(random, isNatural ? 0 : LEAST),
        Math.max(1, number(random, 1)),
        random.nextBoolean() ? random.nextInt() : number(random, LEAST),
        number(random, LEAST),
        random.nextInt(4) == 0 ? 0 : random.nextLong());
  }

  /** A launch of a shape with some numbers. */
  public static RandomLaunch of(int[] shape, int[] numbers, long data) {
    return new RandomLaunch(grid(shape), numbers[0], numbers[1], numbers[2], numbers[3], data);
  }

  private static PtxGrid grid(int[] shape) {
    return new PtxGrid(
        shape[0], shape[1], shape[2], shape[3], shape[4], shape[5], RandomAccesses.DYNAMIC);
  }

  private static int number(Random random, int least) {
    return switch (random.nextInt(12)) {
      case 0 -> 0;
      case 1, 2 -> Math.max(least, -random.nextInt(-LEAST));
      case 3 -> MOST - random.nextInt(300);
      case 4 -> 1 << random.nextInt(16);
      case 5, 6 -> random.nextInt(2000);
      case 7, 8 -> random.nextInt(20);
      default -> random.nextInt(300);
    };
  }

  /** What the kernel receives. */
  public byte[] parameters(PtxInstance instance, long first, long second, long distinct) {
    ByteBuffer buffer =
        ByteBuffer.allocate(instance.parameterSpaceSize("k")).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putLong(instance.parameterOffset("k", 0), first);
    buffer.putLong(instance.parameterOffset("k", 1), second);
    buffer.putInt(instance.parameterOffset("k", 2), n);
    buffer.putInt(instance.parameterOffset("k", 3), m);
    buffer.putLong(instance.parameterOffset("k", 4), distinct);
    buffer.putInt(instance.parameterOffset("k", 5), any);
    buffer.putLong(instance.parameterOffset("k", 6), wide);
    return buffer.array();
  }
}
