package dev.streamfence.examples.spark;

import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.unsafe.Platform;

/**
 * Rows of text as the device has them. Null rows are empty.
 *
 * @param offsets where each row begins in the bytes, and where the last one ends
 * @param bytes those of all rows, in UTF-8
 */
@SuppressWarnings("ArrayRecordComponent") // Both are uploaded, and never compared.
record HostText(int[] offsets, byte[] bytes) {
  private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

  /**
   * Copies rows of a vector, which may have a dictionary.
   *
   * @throws IllegalArgumentException if they have 2 GiB of text
   */
  static HostText of(ColumnVector vector, int from, int count) {
    int[] offsets = new int[count + 1];
    for (int i = 0; i < count; i++) {
      int length = vector.isNullAt(from + i) ? 0 : vector.getUTF8String(from + i).numBytes();
      long end = (long) offsets[i] + length;
      if (end > LONGEST_ARRAY) {
        throw new IllegalArgumentException(
            "the text of a batch reaches 2 GiB at row %d; set %s to fewer rows"
                .formatted(from + i, "spark.sql.parquet.columnarReaderBatchSize"));
      }
      offsets[i + 1] = (int) end;
    }
    byte[] bytes = new byte[offsets[count]];
    for (int i = 0; i < count; i++) {
      if (!vector.isNullAt(from + i)) {
        vector
            .getUTF8String(from + i)
            .writeToMemory(bytes, (long) Platform.BYTE_ARRAY_OFFSET + offsets[i]);
      }
    }
    return new HostText(offsets, bytes);
  }
}
