package demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import org.junit.jupiter.api.Test;

class CountingKernelsTest {
  @Test
  void processorOfTheBomMadeALauncher() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> target = gpu.memory().upload(stream, new int[3])) {
      CountingKernelsLauncher.on(stream).countUp(target, 7, 3);
      assertArrayEquals(new int[] {7, 8, 9}, target.download(stream));
    }
  }

  @Test
  void aProgramOfArraysHasNoColumns() {
    assertThrows(
        ClassNotFoundException.class, () -> Class.forName("dev.streamfence.column.DeviceTable"));
  }
}
