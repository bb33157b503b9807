package dev.streamfence.internal.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.TrackedRuntime;
import dev.streamfence.internal.order.Teardown;
import dev.streamfence.internal.recording.RecordedGraph;
import org.junit.jupiter.api.Test;

/** What a graph knows of its nodes. */
final class GraphContentTest {
  private static final int NODES = 100;

  /** A number that has changed is not marked again when it is set once more. */
  @Test
  void aNodeIsMarkedAsOutdatedWithoutMemory() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
      TrackedRuntime runtime = Inside.of(gpu);
      DeviceStream stream = gpu.streams().acquire();
      DeviceArray<int[]> array = gpu.memory().allocate(stream, int[].class, 1);
      RecordedGraph recording = new RecordedGraph("a graph", runtime.hostMemory());
      GraphInputs inputs = new GraphInputs(runtime, recording);
      runtime.life().enter();
      runtime.life().record(recording);
      for (int i = 0; i < NODES; i++) {
        array.fill(stream, i);
      }
      runtime.life().record(null);
      runtime.life().leave();
      recording.seal();
      inputs.end();

      GraphContent content = new GraphContent(runtime.driver(), "a graph", recording, inputs);

      assertThat(content.outdated().size()).isGreaterThanOrEqualTo(NODES);
      content.destroy();
      Teardown teardown = new Teardown();
      content.release(teardown);
      teardown.finish();
      array.close();
    }
  }
}
