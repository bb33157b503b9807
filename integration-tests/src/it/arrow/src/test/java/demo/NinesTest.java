package demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.arrow.ArrowTables;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.junit.jupiter.api.Test;

class NinesTest {
  @Test
  void aTableOfArrowGoesToTheDeviceAndComesBack() {
    try (BufferAllocator allocator = new RootAllocator();
        IntVector vector = new IntVector("x", allocator);
        DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire()) {
      vector.allocateNew(3);
      vector.set(0, 1);
      vector.setNull(1);
      vector.set(2, 3);
      vector.setValueCount(3);
      VectorSchemaRoot root = VectorSchemaRoot.of(vector);
      root.setRowCount(3);
      try (VectorSchemaRoot back = Nines.of(stream, root, allocator)) {
        assertEquals(9, back.getVector("x").getObject(2));
        assertTrue(back.getVector("x").isNull(1));
      }
    }
  }

  @Test
  void everythingOfOursAndOfArrowIsInANamedModule() {
    assertEquals("demo", Nines.class.getModule().getName());
    assertEquals("dev.streamfence.arrow", ArrowTables.class.getModule().getName());
    assertEquals("dev.streamfence.runtime", DeviceRuntime.class.getModule().getName());
    assertEquals("org.apache.arrow.vector", IntVector.class.getModule().getName());
  }
}
