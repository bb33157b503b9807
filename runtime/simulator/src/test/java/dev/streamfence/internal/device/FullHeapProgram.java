package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of its own with a small heap: closes arrays while the heap has almost no room, and then
 * what is left when it has. Ends with 0 if every stream and runtime was usable or lost, and if some
 * closes had no room.
 */
final class FullHeapProgram {
  private static final int RUNTIMES = 60;

  /** A close needs some hundred bytes: with more and more of them, it fails at each allocation. */
  private static final int ROOM_STEP_IN_BYTES = 40;

  private static final int LEAST_CHUNK_IN_BYTES = 16;

  private FullHeapProgram() {}

  public static void main(String[] arguments) {
    int failed = 0;
    for (int i = 0; i < RUNTIMES; i++) {
      failed += closesWith(i * ROOM_STEP_IN_BYTES) ? 0 : 1;
    }
    System.exit(failed > 0 ? 0 : 1);
  }

  /** Whether the array was closed although the heap had only so much room. */
  private static boolean closesWith(int room) {
    boolean isClosed = false;
    try (DeviceRuntime gpu =
        DeviceRuntime.simulated(SimulatedDevice.builder().checkRaces(false).build())) {
      DeviceStream stream = gpu.streams().acquire();
      gpu.memory().allocate(stream, float[].class, 10).close();
      DeviceArray<float[]> array = gpu.memory().allocate(stream, float[].class, 10);
      isClosed = closes(array, room);
      array.close();
      gpu.memory().allocate(stream, float[].class, 10).close();
    } catch (CudaDriverException lost) {
      // The lack of room has come within the simulated device.
    }
    return isClosed;
  }

  private static boolean closes(DeviceArray<float[]> array, int room) {
    List<Object> full = new ArrayList<>(100_000);
    try {
      byte[][] taken = {new byte[room]};
      fill(full);
      taken[0] = null;
      array.close();
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    } finally {
      full.clear();
    }
  }

  private static void fill(List<Object> full) {
    for (int chunk = 1 << 20; chunk >= LEAST_CHUNK_IN_BYTES; ) {
      try {
        full.add(new byte[chunk]);
      } catch (OutOfMemoryError e) {
        chunk /= 4;
      }
    }
  }
}
