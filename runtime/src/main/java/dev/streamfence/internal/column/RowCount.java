package dev.streamfence.internal.column;

import dev.streamfence.DeviceMemory;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.TrackedArray;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The number of logical rows: four bytes on the device, and what the host knows of them. The host's
 * number holds as long as no write of the array is registered, by whatever operation. Tables over
 * the same rows share one. Thread-safe.
 */
final class RowCount {
  /** A number of rows, and how often the array had been written when that was the number. */
  private record Known(long rows, long writes) {}

  private final TrackedArray<int[]> array;

  /** Racy, benign: every value is true for as long as its count of writes is. */
  private volatile @Nullable Known known;

  RowCount(TrackedArray<int[]> array) {
    this.array = array;
  }

  /** Allocates a number of rows and sets it. */
  static RowCount allocate(DeviceStream stream, DeviceMemory memory, long rows) {
    return allocate(stream, memory, count -> count.set(stream, rows));
  }

  /**
   * Allocates the number of the rows from row {@code from} on, at most {@code room}, without
   * waiting for it.
   */
  RowCount slice(DeviceStream stream, DeviceMemory memory, long from, long room) {
    OptionalLong now = known();
    return allocate(
        stream,
        memory,
        count -> {
          if (now.isPresent()) {
            count.set(stream, Math.min(Math.max(now.getAsLong() - from, 0), room));
          } else {
            ColumnKernels.countSlice(stream, array, from, room, count.array);
          }
        });
  }

  private static RowCount allocate(
      DeviceStream stream, DeviceMemory memory, Consumer<RowCount> setting) {
    TrackedArray<int[]> array =
        TrackedArray.of(memory.allocate(stream, int[].class, 1, "number of rows"));
    try {
      RowCount count = new RowCount(array);
      setting.accept(count);
      return count;
    } catch (RuntimeException | Error e) {
      Owned.by(array::close).closeAfter(e);
      throw e;
    }
  }

  TrackedArray<int[]> array() {
    return array;
  }

  OptionalLong known() {
    Known now = known;
    return now != null && now.writes() == array.registeredWrites()
        ? OptionalLong.of(now.rows())
        : OptionalLong.empty();
  }

  /** The number that the host knows, or else the one that it reads from the device. */
  long read(DeviceStream stream) {
    OptionalLong now = known();
    if (now.isPresent()) {
      return now.getAsLong();
    }
    // Before the copy: if a write is registered meanwhile, the number may be older than it.
    long writes = array.registeredWrites();
    long rows = Integer.toUnsignedLong(array.download(stream, 0, 1)[0]);
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
