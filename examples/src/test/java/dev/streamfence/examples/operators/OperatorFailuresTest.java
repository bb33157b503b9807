package dev.streamfence.examples.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An operator that fails half-way leaves nothing allocated, and can be called again. */
class OperatorFailuresTest {
  private static final int OUT_OF_MEMORY = 2;
  private static final int INVALID_VALUE = 1;

  static Stream<String> operators() {
    return OperatorCalls.ALL.keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("operators")
  void whicheverCallOfTheDriverFailsNothingStaysAllocated(String operator) {
    int failures =
        failuresOf(DriverCall.ALLOCATE_ASYNC, OUT_OF_MEMORY, 1, operator)
            + failuresOf(DriverCall.LAUNCH_KERNEL, INVALID_VALUE, 4, operator)
            + failuresOf(DriverCall.COPY_TO_HOST_ASYNC, INVALID_VALUE, 1, operator);
    assertThat(failures).isGreaterThan(25);
  }

  /** Lets the first call fail, then one after it, and so on; returns how many there are. */
  private static int failuresOf(DriverCall call, int code, int step, String operator) {
    SimulatedDevice simulated = SimulatedDevice.builder().build();
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated);
        DeviceStream stream = device.streams().acquire();
        DeviceTable all = HostRows.upload(stream, HostRows.EVERY_TYPE, HostRows.random(12, 1))) {
      DeviceTable table = all.select(OperatorCalls.COLUMNS);
      OperatorCalls.ALL.get(operator).apply(stream, table).close(); // Loads the modules.
      long before = device.memory().statistics().liveBytes();
      for (int nth = 1; ; nth += step) {
        simulated.failCall(call, nth, code);
        try {
          OperatorCalls.ALL.get(operator).apply(stream, table).close();
        } catch (DeviceException e) {
          assertThat(simulated.pendingFailures()).as("a failure by itself").isEmpty();
        }
        assertThat(device.memory().statistics().liveBytes())
            .as("after failure of %s %s", call, nth)
            .isEqualTo(before);
        if (!simulated.pendingFailures().isEmpty()) {
          return nth - 1;
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("operators")
  void aBudgetThatIsTooSmallIsReported(String operator) {
    List<List<@Nullable Object>> rows = HostRows.random(300, 1);
    long live;
    long peak;
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire();
        DeviceTable table = HostRows.upload(stream, HostRows.EVERY_TYPE, rows)) {
      live = device.memory().statistics().liveBytes();
      OperatorCalls.ALL.get(operator).apply(stream, table).close();
      peak = device.memory().statistics().peakBytes();
    }
    for (int share = 0; share <= 8; share += share < 4 ? 1 : 4) {
      long bytes = live + (peak - live) * share / 4;
      RuntimeOptions options =
          RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(bytes));
      try (DeviceRuntime device =
              DeviceRuntime.simulated(SimulatedDevice.builder().build(), options);
          DeviceStream stream = device.streams().acquire();
          DeviceTable table = HostRows.upload(stream, HostRows.EVERY_TYPE, rows)) {
        boolean isEnough = share == 8;
        try {
          OperatorCalls.ALL.get(operator).apply(stream, table).close();
          assertThat(share).as("quarters of the peak").isPositive();
        } catch (OutOfMemoryBudgetException e) {
          assertThat(isEnough).as(e.getMessage()).isFalse();
        }
        assertThat(device.memory().statistics().liveBytes()).isEqualTo(live);
      }
    }
  }
}
