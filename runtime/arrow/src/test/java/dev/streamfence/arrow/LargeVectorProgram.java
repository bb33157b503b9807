package dev.streamfence.arrow;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;

/** Uploads a vector of more than 2 GiB and downloads its end. Ends with 0 if all went well. */
final class LargeVectorProgram {
  private static final int ROWS = (1 << 28) + 1000;

  /** Rows beside the ends of pieces and of what an {@code int} counts in bytes. */
  private static final int[] SOME = {0, (1 << 27) - 1, 1 << 27, (1 << 28) - 1, 1 << 28, ROWS - 1};

  private LargeVectorProgram() {}

  public static void main(String[] arguments) {
    SimulatedDevice device = SimulatedDevice.builder().memoryInBytes(1L << 40).build();
    try (BufferAllocator allocator = new RootAllocator();
        BigIntVector vector = new BigIntVector("x", allocator);
        DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire()) {
      // Not written but for a few rows, so that it takes few pages of the host.
      try (ArrowBuf data = allocator.buffer(ROWS * 8L);
          ArrowBuf none = allocator.buffer(0)) {
        for (int row : SOME) {
          data.setLong(row * 8L, row + 1L);
        }
        vector.loadFieldBuffers(new ArrowFieldNode(ROWS, 0), List.of(none, data));
      }
      VectorSchemaRoot root =
          new VectorSchemaRoot(List.of(vector.getField()), List.of(vector), ROWS);
      try (DeviceTable table = ArrowTables.upload(stream, root);
          DeviceTable end = table.slice(stream, 1 << 28, 1000);
          VectorSchemaRoot back = ArrowTables.download(stream, allocator, end)) {
        for (int row : SOME) {
          long value = table.column("x", long[].class).values().download(stream, row, 1)[0];
          require(value == row + 1L, "row " + row + " is " + value);
        }
        Object last = back.getVector("x").getObject(999);
        require(last.equals((long) ROWS), "the last row is " + last);
      }
    }
    require(device.liveObjects() == 0, device.liveObjects() + " objects");
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(what);
    }
  }
}
