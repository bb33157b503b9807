package dev.streamfence.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExecutorDeviceTest {
  private static final DeviceAddress FIRST = new DeviceAddress("simulated-0");
  private static final DeviceAddress SECOND = new DeviceAddress("simulated-1");

  @Test
  void tasksGetTheRuntimeThatTheFirstOneOpened() {
    try (ExecutorDevice device = new ExecutorDevice(DeviceAddress::open)) {
      assertThat(device.runtime(FIRST)).isSameAs(device.runtime(FIRST));
    }
  }

  @Test
  void aSecondDeviceIsRefused() {
    try (ExecutorDevice device = new ExecutorDevice(DeviceAddress::open)) {
      device.runtime(FIRST);
      assertThatThrownBy(() -> device.runtime(SECOND))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "the executor has device 'simulated-0', and a task was assigned 'simulated-1'; give"
                  + " each executor one GPU");
    }
  }

  @Test
  void theRuntimeIsClosedOnceAndNoneIsOpenedAfterwards() {
    ExecutorDevice device = new ExecutorDevice(DeviceAddress::open);
    DeviceRuntime runtime = device.runtime(FIRST);
    device.close();
    device.close();
    assertThat(runtime.isOpen()).isFalse();
    assertThatThrownBy(() -> device.runtime(FIRST))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the executor ends and has closed its device");
  }

  @Test
  void aDeviceIsLostAfterAFault() {
    try (ExecutorDevice device = new ExecutorDevice(DeviceAddress::open)) {
      assertThat(device.isLost()).isFalse();
      DeviceStream stream = device.runtime(FIRST).streams().acquire();
      assertThat(device.isLost()).isFalse();
      DeviceArray<int[]> values = stream.runtime().memory().allocateZeroed(stream, int[].class, 1);
      BrokenKernelsLauncher.on(stream).broken(values, 1);
      assertThatThrownBy(stream::synchronize).isInstanceOf(DeviceException.class);
      assertThat(device.isLost()).isTrue();
      values.close();
      stream.close();
    }
  }

  @Test
  void theNumberOfAGpuOpensTheSimulatedDeviceWhereThereIsNone() {
    assumeFalse(DeviceRuntime.isGpuAvailable(), "there is a GPU here");
    try (DeviceRuntime runtime = new DeviceAddress("3").open()) {
      assertThat(runtime.isSimulated()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "gpu0", "-1", "12345"})
  void anAddressThatNoScriptPrintsIsRefused(String text) {
    assertThatThrownBy(() -> new DeviceAddress(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'%s' is neither the number of a GPU nor the simulated device; see the discovery script",
            text);
  }
}
