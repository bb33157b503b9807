package dev.streamfence.internal.simulator;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of its own, whose Java heap is smaller than the device's memory: fills the device until
 * it refuses, uses what it got, gives it back, and does so again. Ends with 0 if all went well.
 */
final class DeviceBeyondTheHeap {
  private static final int INTS = 1 << 18;

  private DeviceBeyondTheHeap() {}

  public static void main(String[] arguments) {
    SimulatedDevice device =
        SimulatedDevice.builder()
            .schedule(Schedule.valueOf(arguments[0]))
            .memoryInBytes(1L << 40)
            .build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      for (int round = 0; round < 3; round++) {
        fill(gpu, stream);
      }
    }
    require(device.liveObjects() == 0, device.liveObjects() + " objects are left");
  }

  private static void fill(DeviceRuntime gpu, DeviceStream stream) {
    List<DeviceArray<int[]>> arrays = new ArrayList<>();
    String refusal = "";
    while (refusal.isEmpty()) {
      try {
        arrays.add(gpu.memory().allocate(stream, int[].class, INTS));
        require(arrays.size() < 1000, "the heap does not end");
      } catch (OutOfMemoryBudgetException e) {
        refusal = String.valueOf(e.getCause());
      }
    }
    require(arrays.size() > 20, "no more than " + arrays.size() + " arrays fit");
    require(refusal.contains("CUDA_ERROR_OUT_OF_MEMORY"), refusal);
    require(refusal.contains("-Xmx"), refusal);
    for (DeviceArray<int[]> array : arrays) {
      array.fill(stream, 7);
    }
    for (int i = 0; i < 12; i++) {
      arrays.get(i).close();
    }
    stream.synchronize();
    require(arrays.get(arrays.size() - 1).download(stream)[INTS - 1] == 7, "bytes are wrong");
    arrays.forEach(DeviceArray::close);
    stream.synchronize();
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }
}
