package dev.streamfence.examples.operators;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.examples.cookbook.PrefixSums;

/**
 * Sorts rows by keys of 64 bits, in the order of unsigned numbers. Rows with equal keys keep their
 * order, so sorting by one key after the other sorts by all of them, the last one first. Confined
 * to one thread.
 */
final class RadixSort {
  private static final int BITS = 8;
  private static final int DIGITS = 1 << BITS;

  /** Up to them, one launch that compares each row with each other one is the fastest sort. */
  private static final int FEW_ROWS = 1024;

  private final DeviceStream stream;
  private final SortKernels kernels;
  private final int count;
  private final int fewRows;
  private DeviceArray<int[]> rows;
  private DeviceArray<int[]> movedRows;
  private DeviceArray<long[]> keys;
  private DeviceArray<long[]> movedKeys;

  /**
   * A sort of some rows, which stay as they are.
   *
   * @param temporaries own the arrays of the sort
   */
  RadixSort(DeviceStream stream, Rows rows, Temporaries temporaries) {
    this(stream, rows, temporaries, FEW_ROWS);
  }

  /**
   * As above.
   *
   * @param fewRows up to how many rows are compared with each other
   */
  RadixSort(DeviceStream stream, Rows rows, Temporaries temporaries, int fewRows) {
    this.fewRows = fewRows;
    this.stream = stream;
    this.kernels = SortKernelsLauncher.on(stream);
    this.count = rows.count();
    this.rows = temporaries.array(int[].class, count);
    this.movedRows = temporaries.array(int[].class, count);
    this.keys = temporaries.array(long[].class, count);
    this.movedKeys = temporaries.array(long[].class, count);
    this.rows.copyFrom(stream, 0, rows.numbers(), 0, count);
  }

  /** The rows in their present order. */
  Rows rows() {
    return new Rows(rows, count);
  }

  /** The keys of the rows in their present order, which the caller writes before each sort. */
  DeviceArray<long[]> keys() {
    return keys;
  }

  /**
   * Sorts the rows by their keys. If they are many, it waits for the device, to pass over bytes
   * that all keys share.
   */
  void byKeys() {
    if (count <= fewRows) {
      kernels.moveByRank(keys, rows, movedRows, count);
      swap();
      return;
    }
    long differing = differingBits();
    for (int shift = 0; shift < Long.SIZE; shift += BITS) {
      if ((differing >>> shift & (DIGITS - 1)) != 0) {
        byDigit(shift);
      }
    }
  }

  private long differingBits() {
    try (Temporaries own = new Temporaries(stream)) {
      DeviceArray<long[]> bits = own.zeros(long[].class, 2);
      bits.fill(stream, 1, 1, -1L);
      kernels.differingBits(keys, bits, count);
      long[] ofAnyAndAll = bits.download(stream);
      return ofAnyAndAll[0] & ~ofAnyAndAll[1];
    }
  }

  private void byDigit(int shift) {
    int blocks = (count - 1) / SortKernels.BLOCK + 1;
    try (Temporaries own = new Temporaries(stream)) {
      DeviceArray<int[]> counts = own.array(int[].class, Math.multiplyExact(DIGITS, blocks));
      kernels.countDigits(keys, shift, counts, blocks, count);
      DeviceArray<int[]> places = own.add(PrefixSums.of(stream, counts));
      kernels.moveByDigit(keys, rows, shift, places, blocks, movedKeys, movedRows, count);
    }
    swap();
  }

  private void swap() {
    DeviceArray<long[]> sortedKeys = movedKeys;
    DeviceArray<int[]> sortedRows = movedRows;
    movedKeys = keys;
    movedRows = rows;
    keys = sortedKeys;
    rows = sortedRows;
  }
}
