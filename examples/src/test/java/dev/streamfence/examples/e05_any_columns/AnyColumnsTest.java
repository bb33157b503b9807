package dev.streamfence.examples.e05_any_columns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AnyColumnsTest {
  /** A table whose column {@code c} holds {@code 1000 * c} more than the first. */
  private static int[][] table(int columns, int rows) {
    int[] keys = new Random(5).ints(rows, 0, 100).toArray();
    int[][] table = new int[columns][];
    for (int c = 0; c < columns; c++) {
      int more = 1000 * c;
      table[c] = Arrays.stream(keys).map(key -> key + more).toArray();
    }
    return table;
  }

  private static void verify(List<int[]> result, int[][] table, int least) {
    int[] expected = Arrays.stream(table[0]).filter(key -> key >= least).toArray();
    assertThat(result.get(0)).containsExactlyInAnyOrder(expected);
    for (int c = 0; c < table.length; c++) {
      for (int row = 0; row < expected.length; row++) {
        assertThat(result.get(c)[row]).isEqualTo(result.get(0)[row] + 1000 * c);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void rowsStayTogetherOnEverySchedule(Schedule schedule) {
    SimulatedDevice simulated =
        SimulatedDevice.builder().schedule(schedule).checkUninitializedReads(true).build();
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated);
        DeviceStream stream = device.streams().acquire()) {
      int[][] table = table(7, 1001);
      verify(AnyColumns.atLeast(stream, table, 70).toCompletableFuture().join(), table, 70);
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
    assertThat(simulated.findings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"1, 1, 0", "1, 3, 101", "64, 100, 50", "300, 2, 0"})
  void anyNumberOfColumnsAndRowsMayPass(int columns, int rows, int least) {
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire()) {
      int[][] table = table(columns, rows);
      verify(AnyColumns.atLeast(stream, table, least).toCompletableFuture().join(), table, least);
    }
  }

  @Test
  void theCallerDoesNotWait() {
    SimulatedDevice simulated = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated);
        DeviceStream stream = device.streams().acquire()) {
      int[][] table = table(3, 500);
      List<CompletableFuture<List<int[]>>> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        all.add(AnyColumns.atLeast(stream, table, 20 * i).toCompletableFuture());
      }
      for (int i = 0; i < 5; i++) {
        verify(all.get(i).join(), table, 20 * i);
      }
    }
  }
}
