package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Graphs that are recorded again: what runs, what is released, and what fails. */
final class GraphRecordAgainTest extends GraphsOnTwoStreams {
  @Test
  void aGraphThatIsRecordedAgainRunsWithOtherLengthsAndTheDriverChangesItsGraph() {
    DeviceArray<int[]> longer = gpu.memory().allocateZeroed(b, int[].class, 3 * N, "longer");
    KernelGraph graph =
        gpu.graph(
            "again",
            body -> {
              onA.increment(body.input("input", x), N);
              y.copyFrom(b, x);
            });
    graph.launch(a);
    graph.recordAgain(
        body -> {
          onA.increment(body.input("other", longer), 3 * N);
          y.view(0, 2).copyFrom(b, longer.view(0, 2));
        });
    assertThat(graph.inputs()).containsExactly("other");
    graph.launch(b);
    graph.launch(a);

    assertThat(x.download(a)).containsOnly(1);
    assertThat(longer.download(a)).containsOnly(2);
    assertThat(y.download(b)).startsWith(2, 2, 1);
    assertThat(device.calls(DriverCall.INSTANTIATE_GRAPH)).isEqualTo(1);
    assertThat(device.calls(DriverCall.UPDATE_GRAPH)).isEqualTo(1);
    assertThat(graph.statistics().updates()).isEqualTo(1);
    assertThat(graph.statistics().launches()).isEqualTo(3);
  }

  @Test
  void aGraphThatIsRecordedAgainWithOtherNodesIsMadeAnew() {
    KernelGraph graph = gpu.graph("again", body -> onA.increment(x, N));
    graph.launch(a);
    graph.recordAgain(
        body -> {
          onA.increment(x, N);
          body.whileNonZero(y, pass -> y.fill(b, 0));
          sum.fill(b, 5);
        });
    graph.launch(b);
    graph.recordAgain(body -> onA.add(x, sum, y, N));
    graph.launch(b);

    assertThat(x.download(a)).containsOnly(2);
    assertThat(y.download(a)).containsOnly(7);
    assertThat(device.calls(DriverCall.INSTANTIATE_GRAPH)).isEqualTo(3);
    assertThat(graph.statistics().updates()).isZero();
    assertThat(graph.nodes()).hasSize(1);
  }

  @Test
  void codeThatThrowsWhenAGraphIsRecordedAgainChangesNothing() {
    KernelGraph graph = gpu.graph("again", body -> onA.increment(x, N));
    DeviceArray<int[]> closed = zeros("closed");
    assertThatThrownBy(
            () ->
                graph.recordAgain(
                    body -> {
                      onA.increment(closed, N);
                      body.scratch(a, int[].class, N);
                      throw new IllegalStateException("no");
                    }))
        .hasMessage("no");
    closed.close();
    graph.launch(b);

    assertThat(x.download(a)).containsOnly(1);
    assertThat(graph.statistics().updates()).isZero();
  }

  @Test
  void memoryOfWhatWasRecordedBeforeIsFreedWhenItsRunsAreDone() {
    long before = live(gpu);
    DeviceArray<int[]> once = zeros("once");
    KernelGraph graph =
        gpu.graph(
            "again",
            body -> {
              DeviceArray<int[]> scratch = body.scratch(a, int[].class, N);
              scratch.fill(a, 3);
              onB.add(scratch, once, x, N);
            });
    once.close();
    graph.launch(a);
    graph.recordAgain(body -> onA.increment(x, N));
    assertThat(live(gpu)).isEqualTo(before);
    graph.launch(b);
    assertThat(x.download(b)).containsOnly(4);
    graph.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> graph.recordAgain(body -> onA.increment(x, N)))
        .withMessageContaining("is closed");
  }

  @Test
  void inputsAndNumbersOfWhatIsRecordedAgainChange() {
    DeviceArray<int[]> other = zeros("other");
    KernelGraph graph = gpu.graph("again", body -> onA.increment(body.input("input", x), N));
    graph.recordAgain(body -> onA.increment(body.input("input", y), N));
    assertThat(graph.statistics().updates()).isEqualTo(1);
    graph.launch(b);
    graph.bind("input", other).launch(a);
    graph.set(0, "n", N / 2).launch(b);
    graph.recordAgain(body -> onA.increment(body.input("input", x), N));
    graph.bind("input", other).launch(b);
    assertThat(first(y, a)).isEqualTo(1);
    assertThat(first(other, a)).isEqualTo(3);
    assertThat(other.download(a)[N - 1]).isEqualTo(2);
  }

  @Test
  void threadsThatRecordAgainReleaseEachRecordingOnce() {
    KernelGraph graph = gpu.graph("again", body -> onA.increment(x, N));
    CompletableFuture<?>[] threads =
        Stream.of(a, b, a, b)
            .map(
                stream ->
                    CompletableFuture.runAsync(
                        () -> {
                          for (int i = 0; i < 30; i++) {
                            graph.recordAgain(body -> onA.increment(x, N));
                            graph.launch(stream);
                          }
                        }))
            .toArray(CompletableFuture<?>[]::new);
    CompletableFuture.allOf(threads).join();
    assertThat(first(x, a)).isEqualTo(120);
    graph.close();
    assertThat(device.calls(DriverCall.DESTROY_GRAPH))
        .isEqualTo(device.calls(DriverCall.CREATE_GRAPH));
  }

  @Test
  void aGraphThatCannotBeMadeIsDestroyedAtTheLatestWithTheRuntime() {
    SimulatedDevice failing = SimulatedDevice.builder().build();
    long destroyed;
    try (DeviceRuntime own = DeviceRuntime.simulated(failing);
        DeviceStream stream = own.streams().acquire()) {
      DeviceArray<int[]> array = own.memory().allocateZeroed(stream, int[].class, N);
      failing.failCall(DriverCall.INSTANTIATE_GRAPH, 1, 2);
      failing.failCall(DriverCall.DESTROY_GRAPH, 1, 2);
      CudaDriverException e =
          catchThrowableOfType(
              CudaDriverException.class, () -> own.graph("refused", body -> array.fill(stream, 1)));
      assertThat(e.call()).isEqualTo("cuGraphInstantiate");
      assertThat(e.getSuppressed()).hasSize(1);
      destroyed = failing.calls(DriverCall.DESTROY_GRAPH);
    }
    assertThat(failing.calls(DriverCall.DESTROY_GRAPH)).isEqualTo(destroyed + 1);
    assertThat(failing.liveObjects()).isZero();
  }

  @Test
  void aRecordingThatCannotBeReleasedLeavesItsThreadOutsideOfTheRuntime() {
    SimulatedDevice failing = SimulatedDevice.builder().build();
    try (DeviceRuntime own = DeviceRuntime.simulated(failing);
        DeviceStream stream = own.streams().acquire()) {
      DeviceArray<int[]> array = own.memory().allocateZeroed(stream, int[].class, N);
      KernelGraph graph = own.graph("again", body -> array.fill(stream, 1));
      failing.failCall(DriverCall.DESTROY_GRAPH, 1, 2);
      assertThatThrownBy(() -> graph.recordAgain(body -> array.fill(stream, 2)))
          .isInstanceOf(CudaDriverException.class);
      assertThat(Inside.of(own).life().isEntered()).isFalse();
      graph.launch(stream);
      assertThat(array.download(stream)).containsOnly(2);
    }
    assertThat(failing.liveObjects()).isZero();
  }

  @Test
  void aClosedGraphRunsNoCodeAgain() {
    KernelGraph graph = gpu.graph("again", body -> onA.increment(x, N));
    graph.close();
    boolean[] hasRun = new boolean[1];
    assertThatIllegalStateException()
        .isThrownBy(() -> graph.recordAgain(body -> hasRun[0] = true))
        .withMessageContaining("is closed");
    assertThat(hasRun[0]).isFalse();
  }
}
