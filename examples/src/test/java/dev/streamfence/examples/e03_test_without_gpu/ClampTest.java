package dev.streamfence.examples.e03_test_without_gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests an operator in plain JUnit: the simulated device runs the shipped PTX. */
class ClampTest {
  @Test
  void valuesOutsideTheRangeBecomeItsEnds() {
    assertThat(clamp(-3, 7, Integer.MIN_VALUE, -4, -3, 0, 7, 8, Integer.MAX_VALUE))
        .containsExactly(-3, -3, -3, 0, 7, 7, 7);
  }

  @Test
  void lastBlockMayBePartlyFilled() {
    int[] values = IntStream.range(0, 257).toArray();
    int[] expected = Arrays.stream(values).map(value -> Math.min(value, 255)).toArray();
    assertThat(clamp(0, 255, values)).containsExactly(expected);
  }

  @Test
  void emptyRangeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> clamp(1, 0, 5))
        .withMessageContaining("1 to 0");
  }

  private static int[] clamp(int low, int high, int... values) {
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceArray<int[]> array = device.memory().upload(stream, values)) {
      new Clamp(stream, low, high).apply(array);
      return array.download(stream);
    }
  }
}
