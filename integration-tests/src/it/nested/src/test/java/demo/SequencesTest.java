package demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import org.junit.jupiter.api.Test;

class SequencesTest {
  @Test
  void launcherNameJoinsTheEncloserAndTheInterface() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> target = gpu.memory().upload(stream, new int[3])) {
      Sequences_KernelsLauncher.on(stream).countUp(target, 7, 3);
      assertArrayEquals(new int[] {7, 8, 9}, target.download(stream));
    }
  }
}
