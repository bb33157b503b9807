package dev.streamfence.arrow;

import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import dev.streamfence.column.ReadableColumn;
import java.util.function.LongFunction;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;

/**
 * Downloads the first rows of a column into a vector.
 *
 * @param vector of the type of the column
 */
record ColumnDownload(ReadableColumn<?> column, FieldVector vector, int rows) {

  /** Waits for the device. If something fails, the vector is empty. */
  void run(DeviceStream stream, HostTransfer transfer) {
    try (VectorBuffers buffers = new VectorBuffers(vector)) {
      validity(stream, transfer, buffers);
      values(stream, transfer, buffers);
      buffers.load(rows);
    }
  }

  private void validity(DeviceStream stream, HostTransfer transfer, VectorBuffers buffers) {
    if (column.validity().length() == 0) {
      ArrowBuf bitmap = buffers.validity(bytes(rows));
      bitmap.setOne(0, bytes(rows));
      Bits.clearBehind(bitmap, rows);
    } else {
      bits(stream, transfer, column.validity(), column.validityOffset(), buffers::validity);
    }
  }

  private void values(DeviceStream stream, HostTransfer transfer, VectorBuffers buffers) {
    ColumnType type = column.type();
    if (type == ColumnType.BOOL) {
      bits(stream, transfer, column.values(), column.bitOffset(), buffers::values);
    } else if (type == ColumnType.UTF8) {
      text(stream, transfer, buffers);
    } else {
      ReadableArray<?> elements = column.values().view(0, rows);
      boolean isNarrow = type instanceof DecimalType;
      ArrowBuf values =
          buffers.values(
              isNarrow ? (long) rows * DecimalVector.TYPE_WIDTH : elements.sizeInBytes());
      transfer.download(stream, elements, values);
      if (isNarrow) {
        widen(values);
      }
    }
  }

  /** Downloads the bytes that have the bits of the rows. */
  private void bits(
      DeviceStream stream,
      HostTransfer transfer,
      ReadableArray<?> array,
      int offset,
      LongFunction<ArrowBuf> place) {
    ReadableArray<?> used = array.view(0, rows == 0 ? 0 : bytes((long) offset + rows));
    ArrowBuf target = place.apply(used.sizeInBytes());
    transfer.download(stream, used, target);
    Bits.align(target, offset, rows);
  }

  private void text(DeviceStream stream, HostTransfer transfer, VectorBuffers buffers) {
    ArrowBuf offsets = buffers.offsets(4L * (rows + 1L));
    offsets.setInt(0, 0);
    if (rows > 0) {
      transfer.download(stream, column.offsets().view(0, rows + 1L), offsets);
    }
    int first = offsets.getInt(0);
    int end = first;
    for (int row = 0; row <= rows; row++) {
      int offset = offsets.getInt(4L * row);
      if (offset < end || offset < 0 || offset > column.values().length()) {
        throw new IllegalStateException(
            "offset "
                + row
                + " of "
                + column
                + " is "
                + offset
                + " after "
                + end
                + ", and the text has "
                + column.values().length()
                + " bytes");
      }
      end = offset;
      offsets.setInt(4L * row, offset - first);
    }
    ReadableArray<?> used = column.values().view(first, end - first);
    transfer.download(stream, used, buffers.values(used.sizeInBytes()));
  }

  /** Begins at the end, so that no value is overwritten before it is read. */
  private void widen(ArrowBuf values) {
    for (long row = rows - 1L; row >= 0; row--) {
      long narrow = values.getLong(row * Long.BYTES);
      values.setLong(row * DecimalVector.TYPE_WIDTH, narrow);
      values.setLong(row * DecimalVector.TYPE_WIDTH + Long.BYTES, narrow >> 63);
    }
  }

  private static long bytes(long bits) {
    return (bits + 7) / 8;
  }
}
