package dev.streamfence.arrow;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.DecimalVector;

/**
 * Narrows the decimals of a vector from 128 bits to 64 while it uploads them, some at a time. A
 * null, whatever its bits are, becomes 0.
 */
record DecimalUpload(ColumnField field, DecimalVector vector) {
  /** So many that staging memory is used well, and few enough for the processor's caches. */
  private static final int PIECE = 1 << 16;

  void upload(DeviceStream stream, DeviceArray<long[]> target) {
    int rows = vector.getValueCount();
    long[] piece = new long[Math.min(rows, PIECE)];
    for (int from = 0; from < rows; from += PIECE) {
      int count = Math.min(PIECE, rows - from);
      for (int i = 0; i < count; i++) {
        piece[i] = narrow(from + i);
      }
      target.upload(stream, from, piece, 0, count);
    }
  }

  private long narrow(int row) {
    if (vector.isNull(row)) {
      return 0;
    }
    ArrowBuf data = vector.getDataBuffer();
    long low = data.getLong((long) row * DecimalVector.TYPE_WIDTH);
    long high = data.getLong((long) row * DecimalVector.TYPE_WIDTH + Long.BYTES);
    if (high != low >> 63) {
      throw new IllegalArgumentException(
          "row "
              + row
              + " of field '"
              + field.name()
              + "' is "
              + vector.getObject(row)
              + ", which does not fit "
              + field.type());
    }
    return low;
  }
}
