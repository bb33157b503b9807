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
  /** Copies rows of a vector, which may have a dictionary. */
  static HostText of(ColumnVector vector, int from, int count) {
    int[] offsets = new int[count + 1];
    for (int i = 0; i < count; i++) {
      int length = vector.isNullAt(from + i) ? 0 : vector.getUTF8String(from + i).numBytes();
      offsets[i + 1] = Math.addExact(offsets[i], length);
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
