package demo;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;

public final class Numbers {
  private Numbers() {}

  /** Takes numbers to a device and back. */
  public static int[] thereAndBack(DeviceRuntime gpu, int... numbers) {
    try (DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> array = gpu.memory().upload(stream, numbers)) {
      return array.download(stream);
    }
  }
}
