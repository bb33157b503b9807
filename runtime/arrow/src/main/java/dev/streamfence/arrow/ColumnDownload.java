package dev.streamfence.arrow;

import dev.streamfence.DeviceStream;
import dev.streamfence.ReadableArray;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DecimalType;
import dev.streamfence.column.ReadableColumn;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;

/** Makes vectors of columns. Confined to one thread. */
final class ColumnDownload {
  /** Values that are widened at a time. */
  private static final int PIECE = 1 << 16;

  private final DeviceStream stream;
  private final BufferAllocator allocator;
  private final HostTransfer transfer;

  ColumnDownload(DeviceStream stream, BufferAllocator allocator, HostTransfer transfer) {
    this.stream = stream;
    this.allocator = allocator;
    this.transfer = transfer;
  }

  /** Downloads the dictionary of a column. */
  Dictionary dictionary(ReadableColumn<?> column, DictionaryEncoding encoding) {
    ReadableColumn<byte[]> words = column.dictionary();
    if (words.length() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "the dictionary of " + column + " has more rows than a vector");
    }
    FieldType type =
        words.field().isNullable()
            ? FieldType.nullable(ArrowTypes.field(words.field(), 0).getType())
            : FieldType.notNullable(ArrowTypes.field(words.field(), 0).getType());
    Field field = new Field("DICT" + encoding.getId(), type, null);
    return new Dictionary(vector(words, field, (int) words.length()), encoding);
  }

  /** Downloads the first rows of a column. */
  FieldVector vector(ReadableColumn<?> column, Field field, int rows) {
    FieldVector vector = field.createVector(allocator);
    List<ArrowBuf> buffers = new ArrayList<>();
    try {
      int nulls = validity(column, rows, buffers);
      values(column, rows, buffers);
      vector.loadFieldBuffers(new ArrowFieldNode(rows, nulls), buffers);
    } catch (RuntimeException | Error e) {
      Closing.closeAfter(e, List.of(vector));
      Closing.closeAfter(e, buffers);
      throw e;
    }
    // The vector has taken references of its own.
    buffers.forEach(ArrowBuf::close);
    return vector;
  }

  /** Adds the bitmap; returns how many rows are null. */
  private int validity(ReadableColumn<?> column, int rows, List<ArrowBuf> buffers) {
    ArrowBuf bitmap = allocate(bytes(rows), buffers);
    if (column.validity().length() == 0) {
      bitmap.setOne(0, bitmap.capacity());
      return 0;
    }
    bits(column.validity(), column.validityOffset(), rows, bitmap);
    return BitVectorHelper.getNullCount(bitmap, rows);
  }

  private void values(ReadableColumn<?> column, int rows, List<ArrowBuf> buffers) {
    ColumnType type = column.type();
    if (type == ColumnType.BOOL) {
      ReadableArray<?> packed = column.values();
      bits(packed, column.bitOffset(), rows, allocate(bytes(rows), buffers));
    } else if (type == ColumnType.UTF8) {
      text(column, rows, buffers);
    } else if (type instanceof DecimalType) {
      widen(column.values().view(0, rows), allocate(16L * rows, buffers));
    } else {
      ReadableArray<?> elements = column.values().view(0, rows);
      transfer.download(stream, elements, allocate(elements.sizeInBytes(), buffers));
    }
  }

  private void bits(ReadableArray<?> source, int offset, int rows, ArrowBuf target) {
    ReadableArray<?> used = source.view(0, bytes((long) offset + rows));
    if (offset == 0) {
      transfer.download(stream, used, target);
    } else if (rows > 0) {
      try (ArrowBuf shifted = allocator.buffer(used.sizeInBytes())) {
        transfer.download(stream, used, shifted);
        Bits.shift(shifted, offset, rows, target);
      }
    }
    Bits.clearBehind(target, rows);
  }

  private void text(ReadableColumn<?> column, int rows, List<ArrowBuf> buffers) {
    ArrowBuf offsets = allocate(4L * (rows + 1L), buffers);
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
    transfer.download(stream, used, allocate(used.sizeInBytes(), buffers));
  }

  private void widen(ReadableArray<?> source, ArrowBuf target) {
    int rows = (int) source.length();
    for (int from = 0; from < rows; from += PIECE) {
      long[] narrow = (long[]) source.download(stream, from, Math.min(PIECE, rows - from));
      for (int i = 0; i < narrow.length; i++) {
        long at = (long) (from + i) * DecimalVector.TYPE_WIDTH;
        target.setLong(at, narrow[i]);
        target.setLong(at + Long.BYTES, narrow[i] >> 63);
      }
    }
  }

  private ArrowBuf allocate(long bytes, List<ArrowBuf> buffers) {
    ArrowBuf buffer = allocator.buffer(bytes);
    buffers.add(buffer);
    return buffer;
  }

  private static long bytes(long bits) {
    return (bits + 7) / 8;
  }
}
