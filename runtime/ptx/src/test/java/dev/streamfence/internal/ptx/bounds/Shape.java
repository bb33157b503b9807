package dev.streamfence.internal.ptx.bounds;

import java.util.List;

/** A launch with blocks in x, and the numbers that it passes. */
record Shape(int blocks, List<Integer> threads, long... numbers) implements LaunchNumbers {
  /** A launch whose blocks have threads in x alone. */
  Shape(int blocks, int threads, long... numbers) {
    this(blocks, List.of(threads, 1, 1), numbers);
  }

  @Override
  public long argument(int argument) {
    return numbers[argument];
  }

  @Override
  public int block(int dimension) {
    return threads.get(dimension);
  }

  @Override
  public int grid(int dimension) {
    return dimension == 0 ? blocks : 1;
  }
}
