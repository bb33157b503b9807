package demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.lang.reflect.Modifier;
import org.junit.jupiter.api.Test;

class CountingKernelsTest {
  @Test
  void launcherWorks() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> target = gpu.memory().upload(stream, new int[3])) {
      CountingKernelsLauncher.on(stream).countUp(target, 7, 3);
      assertArrayEquals(new int[] {7, 8, 9}, target.download(stream));
    }
  }

  @Test
  void launcherIsNoMorePublicThanItsInterface() {
    assertFalse(Modifier.isPublic(CountingKernelsLauncher.class.getModifiers()));
  }
}
