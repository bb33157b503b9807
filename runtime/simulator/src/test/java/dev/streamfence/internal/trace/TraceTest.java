package dev.streamfence.internal.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.graph.GraphEdge;
import dev.streamfence.graph.GraphNode;
import dev.streamfence.graph.GraphStructure;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.Access;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.trace.Trace;
import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedDependency.Satisfied;
import dev.streamfence.trace.TracedMemory;
import dev.streamfence.trace.TracedUse;
import dev.streamfence.trace.TracedWork;
import dev.streamfence.trace.WorkKind;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a runtime did, as its trace tells it. */
final class TraceTest {
  private static final int INVALID_VALUE = 1;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final Trace trace = Trace.inMemory(1000);
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(device, RuntimeOptions.defaults().withTrace(trace));
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final VectorKernels onA = VectorKernels.on(a);
  private final VectorKernels onB = VectorKernels.on(b);

  @AfterEach
  void nothingIsLeft() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private DeviceArray<int[]> array(String tag) {
    return gpu.memory().upload(a, new int[] {1, 2, 3, 4}, tag);
  }

  private TracedWork last() {
    List<TracedWork> works = trace.works();
    return works.get(works.size() - 1);
  }

  @Test
  void aLaunchIsTracedWithItsKernelShapeStreamThreadAndUses() {
    DeviceArray<int[]> x = array("x");
    DeviceArray<int[]> y = array("y");
    DeviceArray<int[]> sum = gpu.memory().allocate(a, int[].class, 4, "sum");
    onA.add(x, y, sum, 4);

    TracedWork launch = last();
    assertThat(launch.kind()).isEqualTo(WorkKind.LAUNCH);
    assertThat(launch.name()).isEqualTo("add");
    assertThat(launch.detail()).isEqualTo("grid 1 x 1 x 1 of 256 x 1 x 1");
    assertThat(launch.stream()).isEqualTo(a.id());
    assertThat(launch.streamName()).isEqualTo("stream " + a.id());
    assertThat(launch.thread()).isEqualTo(Thread.currentThread().getName());
    assertThat(launch.isQueued()).isTrue();
    assertThat(launch.device()).isEqualTo(gpu.toString());
    assertThat(launch.uses())
        .extracting(TracedUse::parameter, TracedUse::tag, TracedUse::access)
        .containsExactly(
            tuple("a", "x", Access.READ),
            tuple("b", "y", Access.READ),
            tuple("sum", "sum", Access.WRITE));
  }

  @Test
  void aWaitNamesTheArrayAndBothAccesses() {
    DeviceArray<int[]> x = array("x");
    onA.increment(x, 4);
    onB.increment(x, 4);

    TracedDependency wait = last().dependencies().get(0);
    assertThat(wait.satisfied()).isEqualTo(Satisfied.BY_WAIT);
    assertThat(wait.stream()).isEqualTo(a.id());
    assertThat(wait.because(last())).isEqualTo("x: written by increment, written by increment");
    assertThat(last().hasWaited()).isTrue();
  }

  @Test
  void anArrayWithoutATagIsNamedAfterTheParameter() {
    DeviceArray<int[]> x = gpu.memory().upload(a, new int[4]);
    onA.increment(x, 4);
    assertThat(last().uses()).extracting(TracedUse::name).containsExactly("values");
    assertThat(last().dependencies().get(0).because(last()))
        .isEqualTo("values: written by upload, written by increment");
  }

  @Test
  void aReaderComesAfterTheWriteAlone() {
    DeviceArray<int[]> x = array("x");
    DeviceArray<int[]> sum = array("sum");
    onA.add(x, x, sum, 4);
    onB.add(x, x, sum, 4);

    assertThat(last().dependencies())
        .extracting(each -> each.because(last()))
        .containsExactly(
            "x: written by upload, read by add", "sum: written by add, written by add");
  }

  @Test
  void aWriterComesAfterEachRead() {
    DeviceArray<int[]> x = array("x");
    DeviceArray<int[]> one = array("one");
    DeviceArray<int[]> two = array("two");
    onA.add(x, x, one, 4);
    onB.add(x, x, two, 4);
    onA.increment(x, 4);

    assertThat(last().dependencies())
        .extracting(each -> each.because(last()), TracedDependency::satisfied)
        .containsExactly(
            tuple("x: written by upload, written by increment", Satisfied.BY_STREAM_ORDER),
            tuple("x: read by add, written by increment", Satisfied.BY_STREAM_ORDER),
            tuple("x: read by add, written by increment", Satisfied.BY_WAIT));
  }

  @Test
  void workThatAnEarlierWaitCoversIsNotWaitedForAgain() {
    DeviceArray<int[]> x = array("x");
    DeviceArray<int[]> y = array("y");
    onB.increment(y, 4);
    onB.increment(x, 4);

    TracedDependency second = last().dependencies().get(0);
    assertThat(second.satisfied()).isEqualTo(Satisfied.BY_EARLIER_WAIT);
  }

  @Test
  void workThatTheHostHasSeenFinishIsAlreadyDone() {
    DeviceArray<int[]> x = array("x");
    a.synchronize();
    onB.increment(x, 4);
    assertThat(last().dependencies())
        .extracting(TracedDependency::satisfied)
        .containsExactly(Satisfied.ALREADY_DONE);
  }

  @Test
  void transfersFillsAndFreesAreTracedWithTheirBytes() {
    DeviceArray<int[]> x = array("x");
    x.fill(a, 7);
    x.download(a);
    x.close();

    assertThat(trace.works())
        .extracting(TracedWork::kind, TracedWork::bytes)
        .containsExactly(
            tuple(WorkKind.ALLOCATION, 16L),
            tuple(WorkKind.UPLOAD, 16L),
            tuple(WorkKind.FILL, 16L),
            tuple(WorkKind.DOWNLOAD, 16L),
            tuple(WorkKind.FREE, 16L));
    assertThat(trace.works().get(1).detail()).isEqualTo("pageable memory");
    assertThat(last().dependencies())
        .extracting(each -> each.because(last()))
        .containsExactly("x: written by fill, freed", "x: read by download, freed");
  }

  @Test
  void aGraphIsOnePieceOfWorkThatUsesWhatItsNodesUse() {
    DeviceArray<int[]> x = array("x");
    DeviceArray<int[]> y = array("y");
    KernelGraph graph = step(x, y);
    assertThat(trace.works()).extracting(TracedWork::kind).doesNotContain(WorkKind.LAUNCH);
    onB.increment(x, 4);

    graph.launch(a);

    assertThat(last().kind()).isEqualTo(WorkKind.GRAPH);
    assertThat(last().name()).isEqualTo("step");
    assertThat(last().detail()).isEqualTo("2 nodes");
    assertThat(last().uses()).extracting(TracedUse::name).containsExactly("x", "y");
    assertThat(last().dependencies())
        .extracting(each -> each.because(last()))
        .contains("x: written by increment, written by step");
    graph.close();
  }

  /** A graph that increments x on one stream, and doubles it into y on the other. */
  private KernelGraph step(DeviceArray<int[]> x, DeviceArray<int[]> y) {
    return gpu.graph(
        "step",
        body -> {
          onA.increment(x, 4);
          onB.add(x, x, y, 4);
        });
  }

  @Test
  void everyLaunchOfAGraphRefersToTheSameNodesAndEdges() {
    DeviceArray<int[]> x = array("x");
    DeviceArray<int[]> y = array("y");
    KernelGraph step =
        gpu.graph(
            "step",
            body -> {
              onA.increment(x, 4);
              y.fill(a, 1);
              onB.add(x, x, y, 4);
            });
    KernelGraph other = gpu.graph("step", body -> onA.increment(x, 4));
    onA.increment(x, 4);
    step.launch(a);
    step.launch(b);
    other.launch(a);

    GraphStructure structure = graphOf(last(2));
    assertThat(structure.name()).isEqualTo("step");
    assertThat(structure.nodes()).isEqualTo(step.nodes());
    assertThat(structure.nodes())
        .extracting(GraphNode::kind, GraphNode::name, GraphNode::detail, GraphNode::bytes)
        .containsExactly(
            tuple(WorkKind.LAUNCH, "increment", "grid 1 x 1 x 1 of 256 x 1 x 1", 0L),
            tuple(WorkKind.FILL, "fill", "", 16L),
            tuple(WorkKind.LAUNCH, "add", "grid 1 x 1 x 1 of 256 x 1 x 1", 0L));
    assertThat(structure.edges())
        .contains(new GraphEdge(0, 2, List.of("increment writes values, add reads it")));
    assertThat(last(1).graph()).isSameAs(structure);
    assertThat(graphOf(last(0)).number()).isNotEqualTo(structure.number());
    assertThat(last(3).graph()).isNull();
    step.close();
    other.close();
  }

  @Test
  void aRunThatComesAfterThatOfTheSameGraphSaysWhy() {
    DeviceArray<int[]> x = array("x");
    KernelGraph graph = gpu.graph("step", body -> onA.increment(x, 4));
    graph.launch(a);
    graph.launch(b);
    assertThat(last().dependencies())
        .extracting(each -> each.because(last()))
        .containsExactly("step runs once at a time", "x: written by step, written by step");
    graph.close();
  }

  /** The last piece of work but some. */
  private TracedWork last(int after) {
    List<TracedWork> works = trace.works();
    return works.get(works.size() - 1 - after);
  }

  private static GraphStructure graphOf(TracedWork work) {
    return Objects.requireNonNull(work.graph());
  }

  @Test
  void theTraceExplainsAGraphOnceHoweverOftenItRan() {
    DeviceArray<int[]> x = array("x");
    DeviceArray<int[]> y = array("y");
    KernelGraph graph = step(x, y);
    graph.launch(a);
    graph.launch(a);
    assertThat(trace.explain())
        .containsOnlyOnce(
            """
            graph step:
              0 increment (grid 1 x 1 x 1 of 256 x 1 x 1)
              1 add (grid 1 x 1 x 1 of 256 x 1 x 1)
                comes after 0: increment writes values, add reads it
            """);
    graph.close();
  }

  @Test
  void aLaunchOfAGraphThatDidNotReachTheDeviceRefersToItAsWell() {
    DeviceArray<int[]> x = array("x");
    try (KernelGraph graph = step(x, array("y"))) {
      onB.increment(x, 4);
      device.failCall(DriverCall.WAIT_FOR_EVENT, 1, INVALID_VALUE);
      assertThatThrownBy(() -> graph.launch(a)).isInstanceOf(CudaDriverException.class);
      assertThat(last().isQueued()).isFalse();
      assertThat(graphOf(last()).nodes()).isEqualTo(graph.nodes());
    }
  }

  @Test
  void theTraceExplainsAnEdgeWithAllItsReasons() {
    DeviceArray<int[]> x = array("x");
    DeviceArray<int[]> y = array("y");
    try (KernelGraph graph =
        gpu.graph(
            "swap",
            body -> {
              onA.add(x, x, y, 4);
              onB.add(y, y, x, 4);
            })) {
      graph.launch(a);
      List<String> reasons = graph.edges().get(0).reasons();
      assertThat(reasons).hasSizeGreaterThan(1);
      assertThat(trace.explain()).contains("comes after 0: " + String.join("; ", reasons) + "\n");
    }
  }

  @Test
  void aCallOfOtherCodeIsTracedByItsName() {
    DeviceArray<int[]> x = array("x");
    b.submit("sort", uses -> uses.readWrites(x), call -> {});
    assertThat(last().kind()).isEqualTo(WorkKind.CALL);
    assertThat(last().name()).isEqualTo("sort");
    assertThat(last().uses()).extracting(TracedUse::name).containsExactly("x");
  }

  @Test
  void theTraceExplainsWhatALaunchWaitsForAndWhy() {
    DeviceArray<int[]> x = array("x");
    onA.increment(x, 4);
    trace.clear();
    onB.increment(x, 4);
    onB.increment(x, 4);
    assertThat(
            trace.explain().replaceAll("allocation \\d+", "allocation").replaceAll("0x\\w+", "0x"))
        .isEqualTo(
            """
            3 earlier entries are forgotten.
            stream 2 #1: increment (grid 1 x 1 x 1 of 256 x 1 x 1), by thread %1$s
              reads and writes x (allocation 'x' of 16 bytes at 0x)
              waits for stream 1 #3: x: written by stream 1 #3, written by increment
            stream 2 #2: increment (grid 1 x 1 x 1 of 256 x 1 x 1), by thread %1$s
              reads and writes x (allocation 'x' of 16 bytes at 0x)
              comes after #1 of its own stream: x: written by increment, written by increment
            """
                .formatted(Thread.currentThread().getName()));
  }

  @Test
  void aTraceKeepsTheLatestWorkThatItHasRoomFor() {
    Trace small = Trace.inMemory(3);
    try (DeviceRuntime other =
            DeviceRuntime.simulated(
                SimulatedDevice.builder().build(), RuntimeOptions.defaults().withTrace(small));
        DeviceStream stream = other.streams().acquire();
        DeviceArray<int[]> x = other.memory().upload(stream, new int[4])) {
      for (int i = 0; i < 10; i++) {
        x.fill(stream, i);
      }
      assertThat(small.works()).extracting(TracedWork::ticket).containsExactly(10L, 11L, 12L);
      assertThat(small.forgotten()).isEqualTo(9);
    }
    assertThat(small.memory()).extracting(TracedMemory::liveBytes).containsExactly(16L, 0L);
  }

  @Test
  void aTraceWithoutRoomIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Trace.inMemory(0))
        .withMessageContaining("at least 1");
  }

  @Test
  void aRuntimeWithoutATraceSaysHowToGetOne() {
    try (DeviceRuntime other = DeviceRuntime.simulated()) {
      assertThatIllegalStateException()
          .isThrownBy(other::trace)
          .withMessageContaining("RuntimeOptions.withTrace");
    }
  }

  @Test
  void memoryIsTracedOverTime() {
    DeviceArray<int[]> x = array("x");
    DeviceArray<int[]> y = array("y");
    x.close();
    assertThat(trace.memory())
        .extracting(TracedMemory::tag, TracedMemory::change, TracedMemory::liveBytes)
        .containsExactly(tuple("x", 16L, 16L), tuple("y", 16L, 32L), tuple("x", -16L, 16L));
    y.close();
  }

  @Test
  void arraysThatAreOpenWhenTheTraceIsClearedCountInItsMemory() {
    DeviceArray<int[]> x = array("x");
    trace.clear();
    DeviceArray<int[]> y = array("y");
    x.close();
    assertThat(trace.memory())
        .extracting(TracedMemory::tag, TracedMemory::change, TracedMemory::liveBytes)
        .containsExactly(tuple("y", 16L, 32L), tuple("x", -16L, 16L));
    y.close();
  }

  @Test
  void workThatDidNotReachTheDeviceIsMarked() {
    DeviceArray<int[]> x = array("x");
    device.failCall(DriverCall.LAUNCH_KERNEL, 1, INVALID_VALUE);
    assertThatThrownBy(() -> onA.increment(x, 4)).isInstanceOf(CudaDriverException.class);
    assertThat(last().name()).isEqualTo("increment");
    assertThat(last().isQueued()).isFalse();
    assertThat(trace.explain()).contains("it did not reach the device");
  }

  @Test
  void workOfSeveralThreadsIsAllThere() throws Exception {
    List<DeviceArray<int[]>> arrays = IntStream.range(0, 4).mapToObj(i -> array("x" + i)).toList();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Void>> tasks =
          arrays.stream()
              .map(
                  x ->
                      (Callable<Void>)
                          () -> {
                            for (int i = 0; i < 50; i++) {
                              onB.increment(x, 4);
                            }
                            return null;
                          })
              .toList();
      for (var task : threads.invokeAll(tasks)) {
        task.get();
      }
    } finally {
      threads.shutdown();
    }
    List<TracedWork> launches =
        trace.works().stream().filter(work -> work.kind() == WorkKind.LAUNCH).toList();
    assertThat(launches).hasSize(200);
    assertThat(launches.stream().map(TracedWork::ticket).sorted())
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 200).mapToObj(i -> (long) i).toList());
    assertThat(launches.stream().map(TracedWork::thread).distinct()).hasSize(4);
  }

  @Test
  void theTraceCanBeReadAfterTheRuntimeIsClosed() {
    array("x");
    gpu.close();
    assertThat(trace.works()).hasSize(3);
    assertThat(trace.memory()).hasSize(2);
  }

  @Test
  void twoRuntimesShareOneTrace() {
    try (DeviceRuntime other =
            DeviceRuntime.simulated(
                SimulatedDevice.builder().build(), RuntimeOptions.defaults().withTrace(trace));
        DeviceStream stream = other.streams().acquire();
        DeviceArray<int[]> x = other.memory().upload(stream, new int[4]);
        DeviceArray<int[]> y = array("y")) {
      x.fill(stream, 1);
      y.fill(a, 1);
      assertThat(trace.works().stream().map(TracedWork::device).distinct())
          .containsExactlyInAnyOrder(gpu.toString(), other.toString());
      assertThat(last().dependencies())
          .extracting(TracedDependency::work)
          .containsExactly("upload");
    }
  }
}
