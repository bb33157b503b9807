package dev.streamfence.internal.column;

import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.WritableArray;
import dev.streamfence.memory.ArrayAllocator;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The number of logical rows: four bytes on the device, and what the host knows of them. The host's
 * number holds as long as no write of the array is registered, by whatever operation. Tables over
 * the same rows share one. Thread-safe.
 */
final class RowCount {
  /** A number of rows, and how often the array had been written when that was the number. */
  private record Known(long rows, long writes) {}

  private final WritableArray<int[]> array;

  /** Racy, benign: every value is true for as long as its count of writes is. */
  private volatile @Nullable Known known;

  RowCount(WritableArray<int[]> array) {
    this.array = array;
  }

  /**
   * Allocates a number of rows and sets it.
   *
   * @param tag the purpose of its table; empty for none
   */
  static RowCount allocate(DeviceStream stream, ArrayAllocator memory, long rows, String tag) {
    return allocate(stream, memory, tag, count -> count.set(stream, rows));
  }

  /**
   * Allocates the number of the rows from row {@code from} on, at most {@code room}, without
   * waiting for it. A number beyond the capacity stays what it is, so that it is refused.
   */
  RowCount slice(DeviceStream stream, ArrayAllocator memory, long capacity, long from, long room) {
    OptionalLong now = known();
    return allocate(
        stream,
        memory,
        "",
        count -> {
          if (now.isPresent()) {
            count.set(stream, Math.min(Math.max(now.getAsLong() - from, 0), room));
          } else {
            ColumnKernels.countSlice(stream, array, capacity, from, room, count.array);
          }
        });
  }

  private static RowCount allocate(
      DeviceStream stream, ArrayAllocator memory, String tag, Consumer<RowCount> setting) {
    WritableArray<int[]> array =
        WritableArray.of(
            memory.allocate(stream, int[].class, 1, TrackedColumns.of("number of rows", tag)));
    try {
      RowCount count = new RowCount(array);
      setting.accept(count);
      return count;
    } catch (Throwable e) {
      Owned.by(array::close).closeAfter(e);
      throw e;
    }
  }

  WritableArray<int[]> array() {
    return array;
  }

  OptionalLong known() {
    Known now = known;
    return now != null && array.isUnchangedSince(now.writes())
        ? OptionalLong.of(now.rows())
        : OptionalLong.empty();
  }

  /**
   * The number that the host knows, or else the one that it reads from the device.
   *
   * @param check refuses a number that is read, which the host then does not know
   */
  long read(DeviceStream stream, LongConsumer check) {
    OptionalLong now = known();
    if (now.isPresent()) {
      return now.getAsLong();
    }
    // Before the copy: if a write is registered meanwhile, the number may be older than it.
    long writes = array.registeredWrites();
    long rows = Integer.toUnsignedLong(array.readMetadata(stream, 0, 1)[0]);
    check.accept(rows);
    known = new Known(rows, writes);
    return rows;
  }

  void set(DeviceStream stream, long rows) {
    long writes = array.registeredWrites();
    int unsigned = (int) rows;
    array.fill(stream, unsigned);
    // If another write was registered meanwhile, the order of the two is not known here.
    known = new Known(rows, writes + 1);
  }

  void close() {
    array.close();
  }
}
