package demo;

import dev.streamfence.DeviceStream;
import dev.streamfence.arrow.ArrowTables;
import dev.streamfence.column.DeviceTable;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

final class Nines {
  private Nines() {}

  /** The table as it comes back from the device, which has set each value to 9. */
  static VectorSchemaRoot of(
      DeviceStream stream, VectorSchemaRoot root, BufferAllocator allocator) {
    try (DeviceTable table = ArrowTables.upload(stream, root)) {
      table.column("x", int[].class).values().fill(stream, 9);
      return ArrowTables.download(stream, allocator, table);
    }
  }
}
