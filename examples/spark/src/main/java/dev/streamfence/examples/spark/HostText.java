package dev.streamfence.examples.spark;

import java.util.Arrays;
import org.apache.spark.sql.vectorized.ColumnVector;

/**
 * Rows of text as the device has them. Null rows are empty.
 *
 * @param offsets where each row begins in the bytes, and where the last one ends
 * @param bytes those of all rows, in UTF-8
 */
@SuppressWarnings("ArrayRecordComponent") // Both are uploaded, and never compared.
record HostText(int[] offsets, byte[] bytes) {
  /** A guess, which grows: codes and names are shorter than that. */
  private static final int BYTES_PER_ROW = 16;

  /** Copies rows of a vector, which may have a dictionary. */
  static HostText of(ColumnVector vector, int from, int count) {
    int[] offsets = new int[count + 1];
    byte[] bytes = new byte[Math.multiplyExact(count, BYTES_PER_ROW)];
    for (int i = 0; i < count; i++) {
      int start = offsets[i];
      byte[] row =
          vector.isNullAt(from + i) ? new byte[0] : vector.getUTF8String(from + i).getBytes();
      int end = Math.addExact(start, row.length);
      if (end > bytes.length) {
        bytes = Arrays.copyOf(bytes, Math.max(end, Math.multiplyExact(bytes.length, 2)));
      }
      System.arraycopy(row, 0, bytes, start, row.length);
      offsets[i + 1] = end;
    }
    return new HostText(offsets, Arrays.copyOf(bytes, offsets[count]));
  }
}
