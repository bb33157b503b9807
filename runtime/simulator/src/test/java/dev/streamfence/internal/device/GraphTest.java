package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.graph.GraphEdge;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Graphs: what is recorded, in which order it runs, and what is refused. */
final class GraphTest {
  private static final int N = 64;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final VectorKernels onA = VectorKernels.on(a);
  private final VectorKernels onB = VectorKernels.on(b);
  private final DeviceArray<int[]> x = gpu.memory().allocateZeroed(a, int[].class, N);
  private final DeviceArray<int[]> y = gpu.memory().allocateZeroed(a, int[].class, N);
  private final DeviceArray<int[]> sum = gpu.memory().allocateZeroed(a, int[].class, N);

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void whatItsCodeLaunchesRunsWithEachLaunchOfTheGraphOnly() {
    KernelGraph graph =
        gpu.graph(
            "step",
            body -> {
              onA.increment(x, N);
              onB.increment(y, N);
              onA.add(x, y, sum, N);
            });
    assertThat(x.download(a)[0]).isZero();

    graph.launch(a);
    graph.launch(b);

    assertThat(sum.download(a)[5]).isEqualTo(4);
    assertThat(graph.edges())
        .extracting(GraphEdge::from, GraphEdge::to)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(0, 2), org.assertj.core.groups.Tuple.tuple(1, 2));
    System.out.println(graph.edges());
    System.out.println(graph.toDot());
  }
}
