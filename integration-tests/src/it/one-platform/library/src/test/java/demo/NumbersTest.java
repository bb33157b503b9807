package demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.streamfence.DeviceRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class NumbersTest {
  @Test
  void runsWithWhatIsOnTheClassPath() throws IOException {
    Files.writeString(Path.of("target", "class-path.txt"), System.getProperty("java.class.path"));

    try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
      assertArrayEquals(new int[] {1, 2}, Numbers.thereAndBack(gpu, 1, 2));
    }
  }
}
