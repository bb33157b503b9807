package dev.streamfence.internal.device;

import static dev.streamfence.internal.device.TwoDevices.N;
import static dev.streamfence.internal.device.TwoDevices.value;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random programs over two devices give what the same steps give on plain numbers. */
final class PeerProgramsTest {
  private static final int SEEDS = Effort.of(8, 600);
  private static final int STEPS = 50;
  private static final int ARRAYS = 3;
  private static final int STREAMS = 3;

  @ParameterizedTest
  @EnumSource
  void randomProgramsGiveTheAnswersOfPlainNumbers(Schedule schedule) {
    for (long seed = 0; seed < SEEDS; seed++) {
      new Program(schedule, seed).run();
    }
  }

  /** One program; each array holds one number. */
  private static final class Program {
    private final Random random;
    private final String name;
    private final TwoDevices two;
    private final List<List<DeviceStream>> streams = new ArrayList<>();
    private final List<List<DeviceArray<int[]>>> arrays = new ArrayList<>();
    private final int[][] expected = new int[2][ARRAYS];

    Program(Schedule schedule, long seed) {
      random = new Random(seed);
      name = schedule + ", seed " + seed;
      two = TwoDevices.open(schedule, seed);
      for (int device = 0; device < 2; device++) {
        List<DeviceStream> lanes = new ArrayList<>();
        List<DeviceArray<int[]>> values = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
          lanes.add(two.gpus.get(device).streams().acquire());
        }
        for (int i = 0; i < ARRAYS; i++) {
          values.add(two.filled(device, 0));
        }
        streams.add(lanes);
        arrays.add(values);
      }
    }

    void run() {
      for (int step = 0; step < STEPS; step++) {
        step(random.nextInt(2), random.nextInt(ARRAYS), random.nextInt(ARRAYS));
      }
      for (int device = 0; device < 2; device++) {
        for (int i = 0; i < ARRAYS; i++) {
          assertThat(value(arrays.get(device).get(i))).as(name).isEqualTo(expected[device][i]);
        }
      }
      two.closeClean();
    }

    private void step(int device, int at, int other) {
      DeviceStream stream = streams.get(device).get(random.nextInt(STREAMS));
      DeviceArray<int[]> array = arrays.get(device).get(at);
      switch (random.nextInt(8)) {
        case 0 -> {
          VectorKernels.on(stream).increment(array, N);
          expected[device][at]++;
        }
        case 1 -> {
          int value = random.nextInt(100);
          array.fill(stream, value);
          expected[device][at] = value;
        }
        case 6, 7 -> {
          DeviceArray<int[]> away = arrays.get(1 - device).get(other);
          VectorKernels kernels = VectorKernels.forPeersOn(stream);
          if (random.nextBoolean()) {
            kernels.add(away, array, array, N);
            expected[device][at] += expected[1 - device][other];
          } else {
            kernels.add(away, array, away, N);
            expected[1 - device][other] += expected[device][at];
          }
        }
        case 2 -> {
          array.close();
          arrays.get(device).set(at, arrays.get(1 - device).get(other).copyTo(stream));
          expected[device][at] = expected[1 - device][other];
        }
        default -> {
          array.copyFrom(stream, arrays.get(1 - device).get(other));
          expected[device][at] = expected[1 - device][other];
        }
      }
    }
  }
}
