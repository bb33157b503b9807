package dev.streamfence.examples.cookbook;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;

/**
 * An inner join with a hash table over one side, which any number of threads may probe at once,
 * each on a stream of its own. {@link #close} frees the table after the last probe.
 */
public final class HashJoin implements AutoCloseable {
  private final DeviceArray<int[]> keys;
  private final DeviceArray<int[]> heads;
  private final DeviceArray<int[]> next;
  private final int mask;

  /**
   * Builds the table. Does not wait for the device.
   *
   * @param stream the stream that builds it; others may probe it
   * @param keys the keys of the build side, which stay open and unchanged as long as this join
   */
  public HashJoin(DeviceStream stream, DeviceArray<int[]> keys) {
    DeviceMemory memory = stream.runtime().memory();
    int rows = Math.toIntExact(keys.length());
    int slots = slots(rows);
    this.keys = keys;
    this.mask = slots - 1;
    this.heads = memory.allocateZeroed(stream, int[].class, slots);
    try {
      this.next = memory.allocate(stream, int[].class, rows);
    } catch (RuntimeException | Error e) {
      heads.close();
      throw e;
    }
    try {
      JoinKernelsLauncher.on(stream).build(keys, heads, mask, next, rows);
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  /** The power of two that is at least twice the rows, so that chains stay short. */
  static int slots(int rows) {
    if (rows >= 1 << 29) {
      throw new IllegalArgumentException("a hash table of " + rows + " rows has no power of two");
    }
    return Integer.highestOneBit(Math.max(rows, 1)) * 4;
  }

  /**
   * Returns the pairs of rows with equal keys: in the order of the rows of the probe side, and for
   * one of them in any order. Waits for the device once, for the number of pairs, which must be
   * below 2³¹: the caller probes in parts if there may be more.
   *
   * @throws ArithmeticException if there are from 2³¹ to 2³² - 1 pairs; more are not noticed
   */
  public Pairs probe(DeviceStream stream, DeviceArray<int[]> probeKeys) {
    DeviceMemory memory = stream.runtime().memory();
    JoinKernels kernels = JoinKernelsLauncher.on(stream);
    int n = Math.toIntExact(probeKeys.length());
    try (DeviceArray<int[]> counts = memory.allocate(stream, int[].class, n)) {
      kernels.count(probeKeys, keys, heads, mask, next, counts, n);
      try (DeviceArray<int[]> places = PrefixSums.of(stream, counts)) {
        Pairs pairs = Pairs.of(stream, DeviceArrays.getInt(places, stream, n));
        try {
          kernels.write(
              probeKeys, keys, heads, mask, next, places, pairs.probeRows, pairs.buildRows, n);
          return pairs;
        } catch (RuntimeException | Error e) {
          pairs.close();
          throw e;
        }
      }
    }
  }

  @Override
  public void close() {
    heads.close();
    next.close();
  }

  /**
   * Pairs of rows, side by side.
   *
   * @param probeRows the rows of the probe side
   * @param buildRows the rows of the build side
   */
  public record Pairs(DeviceArray<int[]> probeRows, DeviceArray<int[]> buildRows)
      implements AutoCloseable {
    private static Pairs of(DeviceStream stream, int count) {
      DeviceMemory memory = stream.runtime().memory();
      if (count < 0) {
        throw new ArithmeticException("the join has more than 2³¹ pairs");
      }
      DeviceArray<int[]> probeRows = memory.allocate(stream, int[].class, count);
      try {
        return new Pairs(probeRows, memory.allocate(stream, int[].class, count));
      } catch (RuntimeException | Error e) {
        probeRows.close();
        throw e;
      }
    }

    @Override
    public void close() {
      probeRows.close();
      buildRows.close();
    }
  }
}
