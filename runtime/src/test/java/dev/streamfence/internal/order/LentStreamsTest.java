package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lending and returning streams. */
final class LentStreamsTest extends ThreeStreams {
  @Test
  void streamsAreLentAgain() {
    try (DeviceRuntime small =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(), RuntimeOptions.defaults().withStreams(2))) {
      DeviceStream first = small.streams().acquire();
      DeviceStream second = small.streams().acquire();
      assertThat(List.of(first.id(), second.id())).containsExactly(1, 2);
      assertThatThrownBy(() -> small.streams().acquire())
          .isInstanceOf(StreamMisuseException.class)
          .hasMessageContaining("all 2 streams");
      first.close();
      first.close();
      assertThat(small.streams().acquire().id()).isEqualTo(1);
      assertThat(small.streams().lent()).isEqualTo(2);
      second.close();
    }
  }

  @Test
  void streamsAreLentAgainForTheSamePriorityOnly() {
    try (DeviceRuntime small =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(), RuntimeOptions.defaults().withStreams(2))) {
      small.streams().acquire(-1).close();
      small.streams().acquire(0).close();
      assertThat(small.streams().acquire(-1).id()).isEqualTo(1);
      assertThatThrownBy(() -> small.streams().acquire(-2))
          .isInstanceOf(StreamMisuseException.class)
          .hasMessageContaining("another priority than -2");
    }
  }

  @Test
  void theDefaultStreamIsNumberZeroAndIsNeverReturned() {
    DeviceStream shared = gpu.streams().defaultStream();
    assertThat(shared.id()).isZero();
    shared.close();
    try (DeviceArray<int[]> values = zeros(shared)) {
      assertThat(values.download(shared)).containsOnly(0);
    }
  }

  @Test
  void aStreamThatCannotBeCreatedDoesNotReduceTheStreamsToLend() {
    int lent = gpu.streams().lent();
    device.failCall(DriverCall.CREATE_STREAM, 1, 2);
    assertThatThrownBy(() -> gpu.streams().acquire())
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.call()).isEqualTo("cuStreamCreateWithPriority"));
    assertThat(gpu.streams().lent()).isEqualTo(lent);
    for (int i = lent; i < gpu.streams().capacity(); i++) {
      assertThat(gpu.streams().acquire().id()).isEqualTo(i + 1);
    }
  }
}
