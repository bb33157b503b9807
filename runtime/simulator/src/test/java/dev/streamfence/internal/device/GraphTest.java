package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.Completion;
import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceParts;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelArgumentException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.PinnedArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.UninitializedReadException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.graph.GraphBody;
import dev.streamfence.graph.GraphCode;
import dev.streamfence.graph.GraphEdge;
import dev.streamfence.graph.GraphNode;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.Undeclared;
import dev.streamfence.internal.launch.TableKernels;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.MemoryBudget;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Graphs: what is recorded, in which order it runs, what is bound, and what is refused. */
final class GraphTest extends GraphsOnTwoStreams {
  @Test
  void whatItsCodeLaunchesRunsWithEachLaunchOfTheGraphOnly() {
    KernelGraph graph = step();
    assertThat(x.download(a)).containsOnly(0);

    graph.launch(a);
    graph.launch(b);

    assertThat(sum.download(a)).containsOnly(4);
    assertThat(graph.statistics().launches()).isEqualTo(2);
  }

  /** Increments x and y, and adds them. */
  private KernelGraph step() {
    return gpu.graph(
        "step",
        body -> {
          onA.increment(x, N);
          onB.increment(y, N);
          onA.add(x, y, sum, N);
        });
  }

  @Test
  void edgesAreThoseOfTheMemoryAndNotOfTheStreams() {
    KernelGraph graph = step();

    assertThat(graph.edges())
        .containsExactly(
            new GraphEdge(0, 2, List.of("increment writes values, add reads it")),
            new GraphEdge(1, 2, List.of("increment writes values, add reads it")));
    assertThat(graph.nodes()).extracting("name").containsExactly("increment", "increment", "add");
    assertThat(graph.nodes()).extracting("stream").containsExactly(a.id(), b.id(), a.id());
  }

  @Test
  void writesComeAfterReadsAndWritesAndReadsAfterWrites() {
    KernelGraph graph =
        gpu.graph(
            "orders",
            body -> {
              onA.add(x, x, y, N);
              onA.add(x, y, sum, N);
              onA.increment(x, N);
              x.fill(b, 7);
            });

    assertThat(graph.edges())
        .extracting(GraphEdge::from, GraphEdge::to)
        .containsExactly(new Tuple(0, 1), new Tuple(1, 2), new Tuple(2, 3));
    assertThat(graph.edges().get(1).reasons()).contains("add reads a, increment writes it");
    assertThat(graph.edges().get(2).reasons()).contains("increment writes values, fill writes it");
    // The increment comes after both that read x, and one of them after the other.
    assertThat(graph.statistics().impliedEdges()).isEqualTo(1);
  }

  @Test
  void copiesFillsAndPinnedTransfersAreNodes() {
    PinnedArray<int[]> in = gpu.memory().pinned(int[].class, N);
    PinnedArray<int[]> out = gpu.memory().pinned(int[].class, N);
    DeviceArray<long[]> wide = gpu.memory().allocate(a, long[].class, N);
    KernelGraph graph =
        gpu.graph(
            "transfers",
            body -> {
              x.upload(a, in);
              onA.increment(x, N);
              y.copyFrom(b, x);
              y.download(a, out);
              wide.fill(b, 1L << 40 | 7);
            });
    in.put(0, new int[] {40, 41});

    graph.launch(b);

    assertThat(out.get(0, 2)).containsExactly(41, 42);
    assertThat(wide.download(a)).containsOnly(1L << 40 | 7);
    in.put(0, new int[] {50});
    graph.launch(a);
    assertThat(out.get(0, 1)).containsExactly(51);
    graph.close();
    in.close();
    out.close();
  }

  @Test
  void anEdgeNamesAPinnedArray() {
    PinnedArray<int[]> host = gpu.memory().pinned(int[].class, N);
    KernelGraph graph =
        gpu.graph(
            "transfers",
            body -> {
              x.download(a, host);
              y.upload(b, host);
            });

    assertThat(graph.edges())
        .containsExactly(
            new GraphEdge(0, 1, List.of("download writes pinned int[64], upload reads it")));
    graph.close();
    host.close();
  }

  /** Which has taken it along. */
  @Test
  void onALostDeviceTheMemoryOfAGraphIsNotFreed() {
    SimulatedDevice other = SimulatedDevice.builder().build();
    DeviceRuntime lost = DeviceRuntime.simulated(other);
    DeviceStream stream = lost.streams().acquire();
    TableKernels tables = TableKernels.on(stream);
    DeviceArray<int[]> values = lost.memory().allocateZeroed(stream, int[].class, N);
    KernelGraph graph = lost.graph("tables", body -> tables.bump(List.of(values), N));
    Inside.of(lost)
        .sticky()
        .declareLost(new CudaDriverException("cuX", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"), "a test");
    long frees = other.calls(DriverCall.FREE);
    graph.close();
    assertThat(other.calls(DriverCall.FREE)).isEqualTo(frees);
    lost.close();
  }

  /** However many tables the stream has written since. */
  @Test
  void tablesOfArraysStayAsLongAsTheGraph() {
    TableKernels tables = TableKernels.on(a);
    List<DeviceArray<int[]>> both = List.of(x, y);
    KernelGraph graph =
        gpu.graph(
            "tables",
            body -> {
              tables.bump(both, N);
              tables.bump(List.of(y, sum), N);
            });
    DeviceArray<int[]> other = zeros("other");
    DeviceArray<int[]> another = zeros("another");
    DeviceArray<long[]> sums = gpu.memory().allocateZeroed(a, long[].class, 300);
    for (int i = 1; i < 300; i++) {
      // Each is a table that the stream has not written before.
      DeviceArray<?>[] table = new DeviceArray<?>[i];
      Arrays.fill(table, other);
      table[0] = another;
      tables.firstBytes(table, sums);
    }
    DeviceArray<int[]> kept = zeros("kept");
    graph.launch(b);
    graph.launch(a);

    assertThat(x.download(a)).containsOnly(2);
    assertThat(y.download(a)).containsOnly(4);
    assertThat(sum.download(b)).containsOnly(2);
    assertThat(kept.download(b)).containsOnly(0);
    assertThat(graph.edges()).hasSize(1);
    assertMisuse(
        Misuse.INSIDE_GRAPH,
        () -> gpu.graph("table", body -> tables.bump(List.of(body.input("x", x), y), N)));
    graph.launch(a);
    long frees = device.calls(DriverCall.FREE);
    graph.close();
    assertThat(device.calls(DriverCall.FREE)).isEqualTo(frees + 2);
    assertThat(x.download(b)).containsOnly(3);
  }

  @Test
  void aLaunchIsOrderedWithAllOtherWork() {
    KernelGraph graph = step();
    for (int round = 0; round < 3; round++) {
      x.fill(b, 10);
      graph.launch(a);
      onB.increment(sum, N);
      graph.launch(round % 2 == 0 ? b : a);
      assertThat(sum.download(b)).containsOnly(12 + 2 * (round + 1));
    }
  }

  @Test
  void aLaunchIsOneDriverCallAndOneWaitForAnotherStream() {
    KernelGraph graph = step();
    graph.launch(a);
    long calls = device.calls();
    long graphs = device.calls(DriverCall.LAUNCH_GRAPH);
    long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
    long events = device.calls(DriverCall.RECORD_EVENT);

    graph.launch(a);
    graph.launch(a);

    assertThat(device.calls(DriverCall.LAUNCH_GRAPH) - graphs).isEqualTo(2);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
    assertThat(device.calls() - calls)
        .isEqualTo(2 + device.calls(DriverCall.RECORD_EVENT) - events);
    graph.launch(b);
    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 1);
  }

  @Test
  void aSecondRunOfAGraphComesAfterTheFirstWhateverItUses() {
    KernelGraph graph = gpu.graph("nothing", body -> {});
    graph.launch(a);
    long waits = device.calls(DriverCall.WAIT_FOR_EVENT);

    graph.launch(b);

    assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits + 1);
  }

  @Test
  void theCompletionIsThatOfTheRun() {
    Completion done = step().launchWithCompletion(a);

    assertThat(done.isDone()).isFalse();
    done.await();
    assertThat(done.isDone()).isTrue();
  }

  @Test
  void anInputCanBeBoundToOtherArrays() {
    DeviceArray<int[]> other = zeros("other");
    other.fill(b, 20);
    KernelGraph graph =
        gpu.graph(
            "bound",
            body -> {
              DeviceArray<int[]> input = body.input("x", x);
              onA.increment(input, N);
              onB.add(input, y, sum, N);
            });
    graph.launch(a);
    assertThat(sum.download(a)).containsOnly(1);

    graph.bind("x", other).launch(a);

    assertThat(sum.download(a)).containsOnly(21);
    assertThat(other.download(b)).containsOnly(21);
    assertThat(x.download(b)).containsOnly(1);
    assertThat(graph.statistics().updatedNodes()).isEqualTo(2);
    graph.launch(b);
    assertThat(graph.statistics().updatedNodes()).isEqualTo(2);
    assertThat(graph.inputs()).containsExactly("x");
    graph.bind("x", x).launch(b);
    assertThat(sum.download(a)).containsOnly(2);
  }

  @Test
  void aBoundViewOfALargerArrayIsUsedWhereItLies() {
    DeviceArray<int[]> large = gpu.memory().allocateZeroed(a, int[].class, 4 * N);
    KernelGraph graph =
        gpu.graph(
            "views",
            body -> {
              onA.increment(body.input("x", x), N);
              x.view(N / 2, N / 2).fill(b, 5);
            });

    graph.bind("x", large.view(N, N)).launch(a);

    int[] all = large.download(b);
    assertThat(all[N - 1]).isZero();
    assertThat(all[N]).isOne();
    assertThat(all[2 * N - 1]).isEqualTo(5);
    assertThat(all[2 * N]).isZero();
  }

  @Test
  void whatIsBoundIsChecked() {
    KernelGraph graph = gpu.graph("checked", body -> onA.add(body.input("in", x), y, sum, N));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> graph.bind("out", y))
        .withMessage("graph 'checked' has no input 'out'; it has [in]");
    KernelArgumentException length =
        catchThrowableOfType(KernelArgumentException.class, () -> graph.bind("in", zerosOf(N + 1)));
    assertThat(length.kind()).isEqualTo(KernelArgumentException.Mistake.LENGTH);
    assertThat(length.kernel()).isEqualTo("add");
    assertThat(length)
        .hasMessageStartingWith("input 'in' of graph 'checked': add: parameter 'a' is ")
        .hasMessageContaining("recorded with 64 elements");
    Map<String, ReadableArray<?>> unset = new HashMap<>();
    unset.put("in", null);
    for (KernelArgumentException none :
        List.of(
            catchThrowableOfType(KernelArgumentException.class, () -> graph.bind("in", null)),
            catchThrowableOfType(KernelArgumentException.class, () -> graph.bind(unset)))) {
      assertThat(none.kind()).isEqualTo(KernelArgumentException.Mistake.NULL);
      assertThat(none).hasMessage("input 'in' of graph 'checked': add: parameter 'a' is null");
    }
    DeviceArray<float[]> floats = gpu.memory().allocateZeroed(a, float[].class, N);
    assertThat(
            catchThrowableOfType(KernelArgumentException.class, () -> graph.bind("in", floats))
                .kind())
        .isEqualTo(KernelArgumentException.Mistake.ELEMENT_TYPE);
    assertMisuse(Misuse.ALIAS, () -> graph.bind("in", sum));
    graph.bind("in", y).launch(a);
    DeviceArray<int[]> closed = zerosOf(N);
    closed.close();
    assertThatThrownBy(() -> graph.bind("in", closed)).isInstanceOf(UseAfterFreeException.class);
    graph.launch(a);
    assertThat(sum.download(a)).containsOnly(0);
  }

  private DeviceArray<int[]> zerosOf(int length) {
    return gpu.memory().allocateZeroed(a, int[].class, length);
  }

  @Test
  void aNumberOfALaunchCanBeChanged() {
    DeviceArray<float[]> in = gpu.memory().upload(a, new float[] {1, 2, 3, 4});
    DeviceArray<float[]> out = gpu.memory().allocateZeroed(a, float[].class, 4);
    KernelGraph graph = gpu.graph("numbers", body -> onA.saxpy(2f, in, out, 4));
    graph.launch(a);
    assertThat(out.download(b)).containsExactly(2, 4, 6, 8);

    graph.set(0, "a", 10f).set(0, "n", 2).launch(b);

    assertThat(out.download(b)).containsExactly(12, 24, 6, 8);
    assertThat(graph.statistics().updatedNodes()).isOne();
    graph.set(0, "a", 10f).set(0, "n", 2).launch(a);
    assertThat(graph.statistics().updatedNodes()).isOne();
  }

  @Test
  void aNumberThatALaunchWouldRefuseIsRefused() {
    DeviceArray<float[]> in = gpu.memory().upload(a, new float[] {1, 2, 3, 4});
    DeviceArray<float[]> out = gpu.memory().allocateZeroed(a, float[].class, 4);
    KernelGraph graph =
        gpu.graph(
            "numbers",
            body -> {
              onA.saxpy(2f, in, out, 4);
              out.copyFrom(b, in);
            });

    assertThatThrownBy(() -> graph.set(0, "n", 5))
        .isInstanceOf(KernelArgumentException.class)
        .hasMessageStartingWith("saxpy: parameter 'x' has 4 elements; the kernel reads element 4");
    assertThatThrownBy(() -> graph.set(0, "n", 0))
        .isInstanceOf(KernelArgumentException.class)
        .hasMessage("saxpy: parameter 'n' is 0; a node of a graph has at least 1 thread");
    assertThatThrownBy(() -> graph.set(0, "a", 1))
        .isInstanceOf(KernelArgumentException.class)
        .hasMessage("saxpy: parameter 'a' is a float; Integer 1 was passed");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> graph.set(0, "b", 1f))
        .withMessage("saxpy has no number 'b'; it has [a, n]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> graph.set(1, "value", 1f))
        .withMessage("node 1 (copy) of graph 'numbers' has no numbers");
    assertThatThrownBy(() -> graph.set(2, "a", 1f))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .hasMessage("graph 'numbers' has no node 2; it has 2, from 0");
    graph.launch(a);
    assertThat(graph.statistics().updatedNodes()).isZero();
  }

  @Test
  void twoInputsCanBeSwappedAtOnce() {
    KernelGraph graph =
        gpu.graph("swaps", body -> onA.add(body.input("in", x), y, body.input("out", sum), N));
    x.fill(a, 5);
    y.fill(a, 1);
    graph.launch(a);
    assertThat(sum.download(b)).containsOnly(6);
    assertMisuse(Misuse.ALIAS, () -> graph.bind("in", sum));

    graph.bind(Map.of("in", sum, "out", x)).launch(b);

    assertThat(x.download(a)).containsOnly(7);
    assertThatThrownBy(() -> graph.bind(Map.of("in", x, "out", zerosOf(1))))
        .isInstanceOf(KernelArgumentException.class);
    graph.launch(a);
    assertThat(x.download(b)).containsOnly(7);
  }

  @Test
  void twoInputsShareMemoryOnlyIfNeitherIsWritten() {
    KernelGraph graph =
        gpu.graph(
            "shares",
            body -> onA.add(body.input("in", x), body.input("also", y), body.input("out", sum), N));
    x.fill(a, 5);

    graph.bind("also", x).launch(a);

    assertThat(sum.download(b)).containsOnly(10);
    assertMisuse(Misuse.ALIAS, () -> graph.bind("out", x));
    assertMisuse(Misuse.ALIAS, () -> graph.bind("in", sum));
  }

  /** Which is one hazard state for both. */
  @Test
  void viewsOfOneArrayCanBeBoundToTwoInputs() {
    DeviceArray<int[]> large = gpu.memory().allocateZeroed(a, int[].class, 2 * N);
    DeviceArray<int[]> other = zerosOf(N);
    KernelGraph graph =
        gpu.graph("views", body -> onA.add(body.input("in", x), y, body.input("out", sum), N));
    y.fill(a, 3);
    graph.bind("in", large.view(0, N)).bind("out", large.view(N, N));
    graph.launch(a);
    assertThat(large.download(b)[N]).isEqualTo(3);

    graph.bind("out", other).launch(a);

    assertThat(other.download(b)).containsOnly(3);
  }

  @Test
  void theHostsSideOfACopyCannotBeAnInput() {
    PinnedArray<int[]> host = gpu.memory().pinned(int[].class, N);

    assertMisuse(
        Misuse.INSIDE_GRAPH,
        () ->
            gpu.graph(
                "mapped",
                body -> {
                  onA.add(body.input("mapped", host.mapped()), y, sum, N);
                  x.download(a, host);
                }));
    host.close();
  }

  @Test
  void anInputThatNoNodeUsesIsHeldAsWell() {
    DeviceArray<int[]> unused = zerosOf(N);
    KernelGraph graph =
        gpu.graph(
            "unused",
            body -> {
              body.input("unused", unused);
              unused.close();
              onA.increment(x, N);
            });
    long before = live(gpu);

    graph.bind("unused", y).launch(a);

    assertThat(live(gpu)).isEqualTo(before - 4 * N);
    assertThat(x.download(a)).containsOnly(1);
    assertThat(y.download(a)).containsOnly(0);
  }

  @Test
  void aClosedArrayThatAnotherGraphHoldsCannotBeAnInput() {
    DeviceArray<int[]> closed = zerosOf(N);
    KernelGraph graph = gpu.graph("holds", body -> onA.increment(body.input("in", closed), N));
    closed.close();
    graph.bind("in", x);

    assertThatThrownBy(() -> graph.bind("in", closed)).isInstanceOf(UseAfterFreeException.class);
    assertThatThrownBy(() -> gpu.graph("again", body -> body.input("in", closed)))
        .isInstanceOf(UseAfterFreeException.class);
  }

  @Test
  void aPartKeepsItsWholeArray() {
    DeviceArray<int[]> whole = zerosOf(2 * N);
    DeviceParts<int[]> parts = whole.split(N);
    KernelGraph graph = gpu.graph("parts", body -> onA.increment(parts.get(0), N));
    KernelGraph bound = gpu.graph("bound", body -> onA.increment(body.input("in", x), N));
    bound.bind("in", parts.get(1));
    long before = live(gpu);

    whole.close();
    graph.launch(a);
    bound.launch(b);

    assertThat(live(gpu)).isEqualTo(before);
    graph.close();
    bound.close();
    assertThat(live(gpu)).isEqualTo(before - 8 * N);
  }

  @Test
  void aLaunchThatOutlivesTheCodeIsRefused() {
    LaunchRecorder recorder = VectorKernels.incrementOn(a);
    assertMisuse(
        Misuse.INSIDE_LAUNCH,
        () -> gpu.graph("open", body -> recorder.begin().array(x).threads(N)));

    assertMisuse(Misuse.OUT_OF_SCOPE, recorder::preflight);

    recorder.close();
    assertMisuse(
        Misuse.INSIDE_LAUNCH,
        () -> gpu.graph("open", body -> recorder.begin().array(x).threads(N).preflight()));
    assertMisuse(Misuse.OUT_OF_SCOPE, recorder::launch);
    recorder.close();
    onA.increment(x, N);
    assertThat(x.download(a)).containsOnly(1);
  }

  /** One thread launches the graph, and waits for a launch of another thread. */
  @Test
  void operationsInsideOfALaunchDoNotWaitForAThreadThatWaitsForThatLaunch() throws Exception {
    KernelGraph graph = gpu.graph("waits", body -> onB.increment(body.input("in", x), N));
    LaunchRecorder recorder = VectorKernels.incrementOn(a);
    Thread launched;
    try (LaunchRecorder open = recorder.begin()) {
      open.array(x).threads(N).preflight();
      Thread launching = new Thread(() -> graph.launch(b));
      launching.start();
      while (launching.getState() == Thread.State.NEW
          || launching.getState() == Thread.State.RUNNABLE) {
        Thread.onSpinWait();
      }

      assertMisuse(Misuse.INSIDE_LAUNCH, graph::close);
      assertMisuse(Misuse.INSIDE_LAUNCH, () -> graph.bind("in", y));
      assertMisuse(Misuse.INSIDE_LAUNCH, () -> graph.set(0, "n", 1));
      assertThat(graph.statistics().nodes()).isOne();

      open.launch().commit();
      launched = launching;
    }
    launched.join();
    // What was refused has left the runtime again.
    assertThat(Inside.of(gpu).life().isEntered()).isFalse();
    assertThat(x.download(b)).containsOnly(2);
  }

  @Test
  void anInputIsAWholeArrayWithElementsAndANameOfItsOwn() {
    gpu.graph(
        "inputs",
        body -> {
          assertMisuse(Misuse.NOT_WHOLE, () -> body.input("part", x.view(1, 2)));
          assertThatIllegalArgumentException().isThrownBy(() -> body.input("none", zerosOf(0)));
          body.input("x", x);
          assertThatIllegalArgumentException().isThrownBy(() -> body.input("x", y));
          assertThatIllegalArgumentException().isThrownBy(() -> body.input("twice", x));
          onA.increment(y, N);
          assertThatIllegalArgumentException()
              .isThrownBy(() -> body.input("late", y))
              .withMessageEndingWith(
                  ", which increment uses already; name an input before its first use");
        });
  }

  @Test
  void aSplitArrayIsNoInput() {
    try (DeviceParts<int[]> parts = x.split(N / 2)) {
      assertThat(parts.get(0).length()).isEqualTo(N / 2);
      gpu.graph(
          "split",
          body ->
              assertThatThrownBy(() -> body.input("x", x))
                  .hasMessageStartingWith("input 'x' of graph 'split' uses "));
    }
  }

  @Test
  void anArrayThatIsClosedLivesAsLongAsTheGraph() {
    DeviceArray<int[]> temporary = zerosOf(N);
    KernelGraph graph = gpu.graph("holds", body -> onA.add(x, temporary, sum, N));
    long before = live(gpu);

    temporary.close();

    assertThat(live(gpu)).isEqualTo(before);
    assertThatThrownBy(() -> temporary.download(a)).isInstanceOf(UseAfterFreeException.class);
    graph.launch(b);
    assertThat(sum.download(a)).containsOnly(0);
    graph.close();
    assertThat(live(gpu)).isEqualTo(before - 4 * N);
  }

  @Test
  void theHostMemoryForArgumentsIsUsedAgainByTheNextGraph() {
    step().close();
    gpu.synchronize();
    long before = device.calls(DriverCall.ALLOCATE_HOST);

    for (int i = 0; i < 20; i++) {
      step().close();
      gpu.synchronize();
    }

    assertThat(device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(before);
  }

  @Test
  void aFailureNamesTheGraphAndItsNodes() {
    KernelGraph graph = step();
    x.fill(b, 3);
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, 2);

    CudaDriverException e = catchThrowableOfType(CudaDriverException.class, () -> graph.launch(a));

    assertThat(e).hasMessageContaining("graph 'step'");
  }

  @Test
  void aPinnedArrayIsClosedAfterTheGraph() {
    PinnedArray<int[]> host = gpu.memory().pinned(int[].class, N);
    KernelGraph graph = gpu.graph("pinned", body -> x.download(a, host));

    assertMisuse(Misuse.HELD, host::close);

    graph.launch(a);
    assertThat(host.get(0, N)).containsOnly(0);
    graph.close();
    host.close();
    assertThat(host.isOpen()).isFalse();
  }

  /** The launch would wait for the end of the access. */
  @Test
  void anAccessToAPinnedArrayOfAGraphUsesNoStream() {
    PinnedArray<int[]> host = gpu.memory().pinned(int[].class, N);
    KernelGraph graph = gpu.graph("pinned", body -> x.upload(a, host));

    host.write(
        bytes -> {
          assertMisuse(Misuse.INSIDE_HOST_ACCESS, () -> y.fill(b, 1));
          assertMisuse(Misuse.INSIDE_HOST_ACCESS, () -> graph.launch(a));
          bytes.asIntBuffer().put(new int[N]).put(0, 7);
        });

    graph.launch(a);
    assertThat(first(x, b)).isEqualTo(7);
    graph.close();
    host.write(bytes -> y.fill(b, 1));
    assertThat(first(y, a)).isOne();
    host.close();
  }

  @Test
  void anArrayThatIsBoundIsHeldAndTheOneBeforeIsNot() {
    DeviceArray<int[]> first = zerosOf(N);
    DeviceArray<int[]> second = zerosOf(N);
    KernelGraph graph = gpu.graph("rebinds", body -> onA.increment(body.input("in", first), N));
    graph.launch(a);
    long before = live(gpu);
    graph.bind("in", second);
    first.close();
    assertThat(live(gpu)).isEqualTo(before - 4 * N);

    second.close();
    graph.launch(a);

    assertThat(live(gpu)).isEqualTo(before - 4 * N);
    graph.close();
    assertThat(live(gpu)).isEqualTo(before - 8 * N);
  }

  @Test
  void scratchMemoryBelongsToTheGraph() {
    long before = live(gpu);
    KernelGraph graph =
        gpu.graph(
            "scratch",
            body -> {
              DeviceArray<int[]> scratch = body.scratch(a, int[].class, N);
              onA.add(x, y, scratch, N);
              onB.increment(scratch, N);
              onA.add(scratch, x, sum, N);
            });
    assertThat(live(gpu)).isEqualTo(before + 4 * N);

    graph.launch(b);
    graph.launch(a);

    assertThat(sum.download(a)).containsOnly(1);
    graph.close();
    assertThat(live(gpu)).isEqualTo(before);
  }

  /** No node holds it, so that the close of the graph frees it at once. */
  @Test
  void scratchMemoryThatNoNodeUsesIsFreedAgainIfTheDriverRefuses() {
    long before = live(gpu);
    List<DeviceArray<int[]>> scratch = new ArrayList<>();
    KernelGraph graph =
        gpu.graph(
            "unused",
            body -> {
              scratch.add(body.scratch(a, int[].class, N));
              scratch.add(body.scratch(b, int[].class, N));
              onA.increment(x, N);
            });
    device.failCall(DriverCall.FREE_ASYNC, 1, 1);

    assertThatThrownBy(graph::close).isInstanceOf(CudaDriverException.class);
    assertThat(live(gpu)).isEqualTo(before + 4 * N);
    graph.close();

    assertThat(live(gpu)).isEqualTo(before);
    assertThat(scratch).noneMatch(DeviceArray::isOpen);
  }

  /** Other arrays would be used there after a bind. */
  @Test
  void anInputThatIsClosedSharesNoBytesWithOtherArrays() {
    DeviceArray<int[]> closed = zerosOf(N);
    KernelGraph graph =
        gpu.graph(
            "closed",
            body -> {
              body.input("in", closed).fill(a, 1);
              onA.add(closed, x, sum, N);
              closed.close();
              try (DeviceArray<int[]> twos = zerosOf(N)) {
                twos.fill(a, 2);
                onA.add(twos, sum, y, N);
              }
            });
    assertThat(graph.statistics().sharedBytes()).isZero();

    DeviceArray<int[]> bound = zerosOf(N);
    graph.bind("in", bound).launch(a);

    assertThat(bound.download(a)).containsOnly(1);
    assertThat(y.download(a)).containsOnly(3);
  }

  @Test
  void whatItsCodeAllocatesAndClosesBelongsToTheGraphAsWell() {
    long before = live(gpu);
    KernelGraph graph =
        gpu.graph(
            "temporary",
            body -> {
              try (DeviceArray<int[]> ones = zerosOf(N)) {
                ones.fill(a, 1);
                onA.add(x, ones, sum, N);
              }
            });

    graph.launch(a);

    assertThat(sum.download(a)).containsOnly(1);
    graph.close();
    assertThat(live(gpu)).isEqualTo(before);
  }

  @Test
  void memoryThatNothingHasWrittenIsRefusedWhenTheGraphRuns() {
    try (DeviceRuntime guarded =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(), RuntimeOptions.defaults().withGuardMemory(true))) {
      DeviceStream stream = guarded.streams().defaultStream();
      VectorKernels kernels = VectorKernels.on(stream);
      DeviceArray<int[]> unwritten = guarded.memory().allocate(stream, int[].class, N);
      DeviceArray<int[]> between = guarded.memory().allocate(stream, int[].class, N);
      KernelGraph graph =
          guarded.graph(
              "reads",
              body -> {
                kernels.add(unwritten, unwritten, between, N);
                kernels.increment(between, N);
              });

      UninitializedReadException refused =
          catchThrowableOfType(UninitializedReadException.class, () -> graph.launch(stream));

      assertThat(refused).hasMessageStartingWith("graph 'reads': add: parameter 'a' ");
      unwritten.fill(stream, 1);
      graph.launch(stream);
      assertThat(between.download(stream)).containsOnly(3);
      graph.close();
      unwritten.close();
      between.close();
    }
  }

  @Test
  void whatCannotBeANodeIsRefused() {
    PinnedArray<int[]> host = gpu.memory().pinned(int[].class, N);
    gpu.graph(
        "refuses",
        body -> {
          assertMisuse(Misuse.INSIDE_GRAPH, a::synchronize);
          assertMisuse(Misuse.INSIDE_GRAPH, () -> a.synchronize(Duration.ZERO));
          assertMisuse(Misuse.INSIDE_GRAPH, gpu::synchronize);
          assertMisuse(Misuse.INSIDE_GRAPH, () -> x.download(a));
          assertMisuse(Misuse.INSIDE_GRAPH, () -> x.downloadLater(a));
          assertMisuse(Misuse.INSIDE_GRAPH, () -> x.downloadLater(a, 0, host, 0, N));
          assertMisuse(Misuse.INSIDE_GRAPH, () -> x.upload(a, new int[N]));
          assertMisuse(Misuse.INSIDE_GRAPH, () -> x.split(N / 2));
          assertMisuse(
              Misuse.INSIDE_GRAPH, () -> a.submit("call", uses -> uses.reads(x), call -> {}));
          assertMisuse(Misuse.INSIDE_GRAPH, () -> gpu.graph("inner", inner -> {}));
          assertMisuse(
              Misuse.INSIDE_GRAPH,
              () -> ExportedArray.of(x, "an export", false, OptionalLong.empty()));
          assertMisuse(Misuse.INSIDE_GRAPH, () -> LoadedModule.of(a, image()).unload());
        });
    assertThat(device.calls(DriverCall.CREATE_GRAPH)).isOne();
    host.close();
  }

  @Test
  void aRefusalInItsCodeNamesTheGraphAndTheWayOut() {
    assertThatThrownBy(() -> gpu.graph("step", body -> x.download(a)))
        .hasMessageEndingWith(
            " in the body of graph 'step', which records launches, fills, copies and transfers"
                + " with pinned arrays; do it outside of the body");
    assertThatThrownBy(() -> gpu.graph("step", body -> gpu.synchronize()))
        .hasMessageStartingWith("synchronizing ");
  }

  @Test
  void aGraphIsNotLaunchedInTheCodeOfAnother() {
    KernelGraph graph = step();

    assertMisuse(Misuse.INSIDE_GRAPH, () -> gpu.graph("outer", body -> graph.launch(a)));
    graph.launch(a);
  }

  @Test
  void theCompletionOfANodePointsToThatOfTheGraph() {
    LaunchRecorder recorder = VectorKernels.incrementOn(a);
    AtomicReference<Completion> done = new AtomicReference<>();
    gpu.graph(
        "completions",
        body -> {
          try (LaunchRecorder launch = recorder.begin()) {
            launch.array(x).threads(N).preflight().launch().commit();
            done.set(launch.completion());
          }
        });

    assertMisuse(Misuse.INSIDE_GRAPH, done.get()::isDone);
    assertMisuse(Misuse.INSIDE_GRAPH, done.get()::await);
    assertMisuse(Misuse.INSIDE_GRAPH, () -> done.get().await(Duration.ZERO));
    assertMisuse(Misuse.INSIDE_GRAPH, done.get()::stage);
  }

  @Test
  void aLaunchThatIsLeftOpenInItsCodeIsRefused() {
    LaunchRecorder recorder = VectorKernels.incrementOn(a);

    assertMisuse(Misuse.INSIDE_LAUNCH, () -> gpu.graph("open", body -> recorder.begin().array(x)));
    recorder.close();
    onA.increment(x, N);
    assertThat(x.download(a)).containsOnly(1);
  }

  static List<Exception> exceptions() {
    return List.of(new IllegalStateException("planned"), new IOException("planned"));
  }

  @ParameterizedTest
  @MethodSource("exceptions")
  void aGraphWhoseCodeFailsLeavesNothing(Exception failure) {
    long before = live(gpu);

    assertThatThrownBy(
            () ->
                gpu.graph(
                    "fails",
                    body -> {
                      body.scratch(a, int[].class, N);
                      onA.increment(x, N);
                      throw Undeclared.thrown(failure);
                    }))
        .isSameAs(failure);

    assertThat(device.calls(DriverCall.CREATE_GRAPH)).isZero();
    assertThat(live(gpu)).isEqualTo(before);
    onA.increment(x, N);
    assertThat(x.download(b)).containsOnly(1);
  }

  @Test
  void aLaunchThatIsRefusedInItsCodeIsNoNode() {
    DeviceArray<int[]> closed = zerosOf(N);
    closed.close();
    KernelGraph graph =
        gpu.graph(
            "refused",
            body -> {
              assertThatThrownBy(() -> onA.add(x, closed, sum, N))
                  .isInstanceOf(UseAfterFreeException.class);
              onA.increment(x, N);
              onA.add(x, x, x, 0);
            });

    graph.launch(a);

    assertThat(graph.nodes()).hasSize(1);
    assertThat(x.download(a)).containsOnly(1);
  }

  @Test
  void anAbortedLaunchIsNoNode() {
    LaunchRecorder recorder = VectorKernels.incrementOn(a);
    KernelGraph graph =
        gpu.graph(
            "aborted",
            body -> {
              LaunchRecorder aborted = recorder.begin().array(x).threads(N).preflight();
              aborted.abort();
              onA.increment(x, N);
            });

    assertThat(graph.nodes()).hasSize(1);
    assertThat(graph.edges()).isEmpty();
  }

  @Test
  void otherThreadsGoOnWhileAGraphIsRecorded() {
    KernelGraph graph =
        gpu.graph(
            "alone",
            body -> {
              onA.increment(x, N);
              CompletableFuture.runAsync(() -> onB.increment(y, N)).join();
            });

    assertThat(y.download(b)).containsOnly(1);
    assertThat(x.download(b)).containsOnly(0);
    assertThat(graph.nodes()).hasSize(1);
  }

  @Test
  void threadsRecordGraphsOfTheirOwnAtTheSameTime() {
    CyclicBarrier both = new CyclicBarrier(2);
    GraphCode<Exception> waiting = body -> both.await();
    CompletableFuture<KernelGraph> other =
        CompletableFuture.supplyAsync(
            () ->
                recorded(
                    "other",
                    body -> {
                      waiting.record(body);
                      onA.increment(y, N);
                      waiting.record(body);
                    }));
    KernelGraph own =
        recorded(
            "own",
            body -> {
              waiting.record(body);
              onA.increment(x, N);
              waiting.record(body);
            });

    own.launch(a);
    own.launch(b);
    other.join().launch(a);

    assertThat(x.download(a)).containsOnly(2);
    assertThat(y.download(a)).containsOnly(1);
  }

  private KernelGraph recorded(String name, GraphCode<Exception> code) {
    try {
      return gpu.graph(name, code);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void workOfAnotherRuntimeInItsCodeIsDoneAtOnce() {
    try (DeviceRuntime other = DeviceRuntime.simulated()) {
      DeviceStream stream = other.streams().defaultStream();
      DeviceArray<int[]> array = other.memory().allocateZeroed(stream, int[].class, N);

      KernelGraph graph = gpu.graph("two", body -> array.fill(stream, 7));

      assertThat(array.download(stream)).containsOnly(7);
      assertThat(graph.nodes()).isEmpty();
      array.close();
    }
  }

  @Test
  void itsBodyIsValidOnlyInItsCodeAndItsThread() {
    AtomicReference<GraphBody> kept = new AtomicReference<>();
    gpu.graph(
        "scope",
        body -> {
          kept.set(body);
          CompletableFuture.runAsync(
                  () -> assertMisuse(Misuse.OUT_OF_SCOPE, () -> body.input("x", x)))
              .join();
        });

    assertMisuse(Misuse.OUT_OF_SCOPE, () -> kept.get().scratch(a, int[].class, 1));
  }

  @Test
  void aStreamOfAnotherRuntimeIsRefused() {
    KernelGraph graph = step();
    try (DeviceRuntime other = DeviceRuntime.simulated()) {
      assertMisuse(Misuse.OTHER_RUNTIME, () -> graph.launch(other.streams().defaultStream()));
    }
  }

  @Test
  void aModuleThatIsUnloadedEndsTheGraph() {
    LoadedModule module =
        LoadedModule.of(
            a,
            KernelImage.resource("kernels/vector.ptx", VectorKernels.class::getResourceAsStream));
    LaunchRecorder fresh =
        module.recorder(
            KernelSignature.entry("increment")
                .readWrites("values", int[].class)
                .threads("n", int.class, 256));
    KernelGraph graph =
        gpu.graph(
            "unloaded",
            body -> {
              try (LaunchRecorder launch = fresh.begin()) {
                launch.array(x).threads(N).preflight().launch().commit();
              }
            });
    graph.launch(a);
    module.unload();

    assertThatIllegalStateException()
        .isThrownBy(() -> graph.launch(a))
        .withMessage(
            "graph 'unloaded' launches increment of kernels/vector.ptx, which was unloaded; a new"
                + " launcher or LoadedModule.of loads it; record the graph again with that");
    assertThat(x.download(a)).containsOnly(1);
  }

  @Test
  void aClosedGraphIsRefusedAndItsRunsEnd() {
    KernelGraph graph = step();
    graph.launch(a);

    graph.close();
    graph.close();

    assertThat(graph.isOpen()).isFalse();
    assertThatIllegalStateException()
        .isThrownBy(() -> graph.launch(a))
        .withMessage("graph 'step' is closed");
    assertThatIllegalStateException().isThrownBy(() -> graph.bind("x", x));
    assertThat(sum.download(b)).containsOnly(2);
  }

  @Test
  void closingTheRuntimeClosesItsGraphsAndSaysSo() {
    try (RuntimeLog log = RuntimeLog.listen()) {
      SimulatedDevice other = SimulatedDevice.builder().build();
      DeviceRuntime runtime = DeviceRuntime.simulated(other);
      DeviceStream stream = runtime.streams().defaultStream();
      DeviceArray<int[]> array = runtime.memory().allocateZeroed(stream, int[].class, N);
      KernelGraph graph = runtime.graph("left", body -> array.fill(stream, 1));
      graph.launch(stream);
      array.close();

      runtime.close();

      assertThat(graph.isOpen()).isFalse();
      for (ThrowingCallable use :
          List.<ThrowingCallable>of(
              () -> graph.launch(stream),
              () -> graph.bind(Map.of()),
              () -> graph.set(0, "value", 2),
              () -> graph.recordAgain(body -> {}))) {
        assertThatThrownBy(use).isInstanceOf(RuntimeClosedException.class);
      }
      assertThat(other.liveObjects()).isZero();
      assertThat(log.messages()).anyMatch(each -> each.endsWith("1 open graphs: [graph 'left']"));
    }
  }

  @Test
  void aGraphThatIsClosedAfterTheCloseOfItsRuntimeBeganIsNotReported() throws Exception {
    try (RuntimeLog log = RuntimeLog.listen()) {
      SimulatedDevice other = SimulatedDevice.builder().build();
      DeviceRuntime runtime = DeviceRuntime.simulated(other);
      DeviceStream stream = runtime.streams().defaultStream();
      DeviceArray<int[]> array = runtime.memory().allocateZeroed(stream, int[].class, N);
      CompletableFuture<Boolean> first = new CompletableFuture<>();
      KernelGraph graph =
          runtime.graph(
              "recorded meanwhile",
              body -> {
                array.fill(stream, 1);
                new Thread(
                        () -> {
                          try {
                            first.complete(runtime.close(Duration.ofMillis(20)));
                          } catch (Exception e) {
                            first.completeExceptionally(e);
                          }
                        })
                    .start();
                first.join();
              });
      assertThat(first.get()).isFalse();
      assertThat(graph.isOpen()).isTrue();
      graph.close();
      assertThat(graph.isOpen()).isFalse();
      runtime.close();
      assertThat(other.liveObjects()).isZero();
      assertThat(log.recordsWith(runtime + " is closed with"))
          .noneMatch(each -> each.getMessage().contains("open graphs"));
    }
  }

  @Test
  void memoryForAGraphIsPartOfTheBudget() {
    try (DeviceRuntime small =
        DeviceRuntime.simulated(
            SimulatedDevice.builder().build(),
            RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(1024)))) {
      DeviceStream stream = small.streams().defaultStream();
      GraphCode<RuntimeException> tooMuch =
          body -> {
            body.scratch(stream, byte[].class, 1000);
            body.scratch(stream, byte[].class, 1000);
          };

      assertThatThrownBy(() -> small.graph("large", tooMuch))
          .isInstanceOf(OutOfMemoryBudgetException.class);

      assertThat(live(small)).isZero();
    }
  }

  @Test
  void threadsMayLaunchOneGraphAtTheSameTime() {
    KernelGraph graph = gpu.graph("shared", body -> onA.increment(x, N));
    CompletableFuture<?>[] threads = new CompletableFuture<?>[4];
    for (int i = 0; i < threads.length; i++) {
      DeviceStream stream = i % 2 == 0 ? a : b;
      threads[i] =
          CompletableFuture.runAsync(
              () -> {
                for (int round = 0; round < 50; round++) {
                  graph.launch(stream);
                }
              });
    }
    CompletableFuture.allOf(threads).join();

    assertThat(x.download(a)).containsOnly(4 * 50);
  }

  @Test
  void itsPictureHasItsNodesAndReasons(@TempDir Path folder) throws Exception {
    KernelGraph graph =
        gpu.graph(
            "a \"step\"\u001f<1>",
            body -> {
              onA.increment(x, N);
              onB.increment(y, N);
              onA.add(x, y, sum, N);
            });

    assertThat(graph.toDot())
        .startsWith("digraph \"a \\\"step\\\"\u001f<1>\" {\n")
        .contains("n0 [label=\"0 increment\\ngrid 1 x 1 x 1 of 256 x 1 x 1\"];\n")
        .contains("n1 -> n2 [label=\"increment writes values, add reads it\"];\n");

    Path file = folder.resolve("graph.svg");
    graph.writeSvg(file);
    Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
    assertThat(svg.getElementsByTagName("rect").getLength()).isEqualTo(3);
    assertThat(svg.getElementsByTagName("title").item(0).getTextContent())
        .isEqualTo("a \"step\" <1>");
    // Beside each other, and below both.
    assertThat(attributes(svg, "y"))
        .extracting(y -> y.equals(attributes(svg, "y").get(0)))
        .containsExactly(true, true, false);
    assertThat(attributes(svg, "x").get(0)).isNotEqualTo(attributes(svg, "x").get(1));
    assertThat(svg.getElementsByTagName("path").getLength()).isEqualTo(3);
  }

  private static List<String> attributes(Document svg, String name) {
    NodeList boxes = svg.getElementsByTagName("rect");
    return IntStream.range(0, boxes.getLength())
        .mapToObj(i -> ((Element) boxes.item(i)).getAttribute(name))
        .toList();
  }

  private static KernelImage image() {
    return KernelImage.resource("kernels/vector.ptx", VectorKernels.class::getResourceAsStream);
  }

  private static void assertMisuse(Misuse kind, ThrowingCallable use) {
    StreamMisuseException thrown = catchThrowableOfType(StreamMisuseException.class, use);
    assertThat(thrown).isNotNull();
    assertThat(thrown.kind()).as("%s", thrown).isEqualTo(kind);
  }

  @Test
  void numbersOfLaunchesAndFillsAreReadAndChanged() {
    DeviceArray<short[]> shorts = gpu.memory().allocateZeroed(a, short[].class, N, "shorts");
    DeviceArray<float[]> floats = gpu.memory().allocateZeroed(a, float[].class, N, "floats");
    DeviceArray<long[]> longs = gpu.memory().allocateZeroed(a, long[].class, N, "longs");
    DeviceArray<byte[]> bytes = gpu.memory().allocateZeroed(a, byte[].class, N, "bytes");
    KernelGraph graph =
        gpu.graph(
            "numbers",
            body -> {
              x.fill(a, 3);
              onA.increment(x, N);
              shorts.fill(b, -2);
              floats.fill(b, 1.5);
              bytes.fill(b, 7);
              longs.fill(b, 5L << 32 | 5);
              y.copyFrom(a, x);
            });
    assertThat(graph.numbersOf(0)).isEqualTo(Map.of("value", 3));
    assertThat(graph.numbersOf(1)).isEqualTo(Map.of("n", N));
    assertThat(graph.numbersOf(2)).isEqualTo(Map.of("value", (short) -2));
    assertThat(graph.numbersOf(4)).isEqualTo(Map.of("value", (byte) 7));
    graph.launch(a);
    Map<String, Object> before = graph.numbersOf(1);
    graph.set(0, "value", -8).set(1, "n", N / 2).set(2, "value", (short) 9).set(3, "value", 2.5f);
    graph.set(4, "value", (byte) -1);
    assertThat(before).isEqualTo(Map.of("n", N));
    assertThat(graph.numbersOf(1)).isEqualTo(Map.of("n", N / 2));
    assertThat(graph.numbersOf(3)).isEqualTo(Map.of("value", 2.5f));
    assertThat(x.download(b)).containsOnly(4);
    assertThat(floats.download(b)).containsOnly(1.5f);
    graph.launch(b);
    assertThat(y.download(a)[0]).isEqualTo(-7);
    assertThat(y.download(a)[N - 1]).isEqualTo(-8);
    assertThat(shorts.download(a)).containsOnly(9);
    assertThat(floats.download(a)).containsOnly(2.5f);
    assertThat(bytes.download(a)).containsOnly(-1);
    assertThat(longs.download(a)).containsOnly(5L << 32 | 5);
    assertThat(graph.statistics().updatedNodes()).isEqualTo(5);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> graph.set(5, "value", 1))
        .withMessageContaining("node 5 (fill) of graph 'numbers' has no numbers");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> graph.numbersOf(6))
        .withMessageContaining("node 6 (copy) of graph 'numbers' has no numbers");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> graph.set(0, "width", 1))
        .withMessageContaining("fill in graph 'numbers' has no number 'width'; it has [value]");
    assertThatThrownBy(() -> graph.set(0, "value", 1L))
        .isInstanceOf(KernelArgumentException.class)
        .hasMessage("the value of fill in graph 'numbers' is an int; Long 1 was passed");
    graph.close();
    assertThatIllegalStateException().isThrownBy(() -> graph.numbersOf(0));
  }

  @Test
  void aFillTakesAValueOfTheTypeOfItsElementsOnly() {
    List<Object> values = List.of(true, (byte) 1, 'c', (short) 1, 1, 1f, 1L, 1d);
    List<? extends DeviceArray<?>> arrays =
        Stream.of(boolean[].class, byte[].class, char[].class, short[].class, int[].class)
            .map(type -> gpu.memory().allocate(a, type, N))
            .toList();
    DeviceArray<float[]> floats = gpu.memory().allocate(a, float[].class, N);
    KernelGraph graph =
        gpu.graph(
            "types",
            body -> {
              arrays.get(0).fill(a, false);
              arrays.stream().skip(1).forEach(array -> array.fill(b, 9));
              floats.fill(b, 9);
            });

    for (int node = 0; node < graph.nodes().size(); node++) {
      Object before = graph.numbersOf(node).get("value");
      assertThat(before).hasSameClassAs(values.get(node));
      for (Object value : values) {
        if (value != values.get(node)) {
          int its = node;
          assertThatThrownBy(() -> graph.set(its, "value", value))
              .isInstanceOf(KernelArgumentException.class)
              .hasMessageEndingWith(
                  "; " + value.getClass().getSimpleName() + " " + value + " was passed");
        }
      }
      assertThat(graph.numbersOf(node)).isEqualTo(Map.of("value", before));
      graph.set(node, "value", before);
    }
    graph.launch(a);
    assertThat(graph.statistics().updatedNodes()).isZero();
    graph.set(0, "value", true).set(5, "value", 0.5f).launch(b);
    assertThat((boolean[]) arrays.get(0).download(a)).containsOnly(true);
    assertThat(floats.download(a)).containsOnly(0.5f);
  }

  /** No value has the type of a record. */
  @Test
  void aFillThatClearsRecordsHasNoNumbers() {
    List<DeviceArray<?>> cleared = new ArrayList<>();
    KernelGraph graph =
        gpu.graph("clears", body -> cleared.add(gpu.memory().allocateZeroed(a, Point[].class, N)));

    assertThat(graph.nodes()).extracting(GraphNode::name).containsExactly("fill");
    assertThatIllegalArgumentException().isThrownBy(() -> graph.numbersOf(0));
    cleared.forEach(DeviceArray::close);
  }

  private record Point(int x, int y) {}

  @Test
  void aCharacterThatIsSetAgainIsNoChange() {
    KernelImage image =
        KernelImage.of(
            "keep.ptx",
            """
            .version 7.0
            .target sm_75
            .address_size 64
            .visible .entry keep(.param .u64 out, .param .u16 c)
            {
              .reg .b64 %rd<2>;
              .reg .b16 %rs<2>;
              ld.param.u64 %rd1, [out];
              ld.param.u16 %rs1, [c];
              st.global.u16 [%rd1], %rs1;
              ret;
            }
            """
                .getBytes(StandardCharsets.UTF_8));
    LaunchRecorder keep =
        LoadedModule.of(a, image)
            .recorder(
                KernelSignature.entry("keep")
                    .writes("out", char[].class)
                    .value("c", char.class)
                    .shape("shape"));
    DeviceArray<char[]> kept = gpu.memory().allocate(a, char[].class, 1);
    DeviceArray<char[]> text = gpu.memory().allocate(a, char[].class, N);
    KernelGraph graph =
        gpu.graph(
            "text",
            body -> {
              try (LaunchRecorder open = keep.begin()) {
                open.array(kept).value('\uffff').shape(LaunchShape.of(1, 1));
                open.preflight().launch().commit();
              }
              text.fill(a, '\uffff');
            });

    graph.set(0, "c", '\uffff').set(1, "value", '\uffff');
    graph.set(1, "value", graph.numbersOf(1).get("value")).launch(a);
    assertThat(graph.statistics().updatedNodes()).isZero();

    graph.set(0, "c", '\u8000').set(1, "value", '\u8001').launch(a);
    assertThat(graph.statistics().updatedNodes()).isEqualTo(2);
    assertThat(graph.numbersOf(0)).isEqualTo(Map.of("c", '\u8000'));
    assertThat(kept.download(a)).containsOnly('\u8000');
    assertThat(text.download(a)).containsOnly('\u8001');
  }

  /** To an input, it is several nodes. */
  @Test
  void aFillOfWideElementsHasNoNumbers() {
    DeviceArray<long[]> wide = gpu.memory().allocateZeroed(a, long[].class, N);
    KernelGraph graph = gpu.graph("wide", body -> body.input("wide", wide).fill(a, 1L << 40 | 7));

    for (GraphNode node : graph.nodes()) {
      assertThatIllegalArgumentException().isThrownBy(() -> graph.numbersOf(node.index()));
    }
  }

  @Test
  void aLaunchOfManyArraysIsOrderedInAndAroundAGraph() {
    TableKernels tables = TableKernels.on(a);
    List<DeviceArray<int[]>> many =
        IntStream.range(0, 33).mapToObj(i -> zeros("column " + i)).toList();
    KernelGraph graph =
        gpu.graph(
            "many",
            body -> {
              tables.bump(many, N);
              onB.increment(many.get(0), N);
            });
    assertThat(graph.edges()).hasSize(1);
    many.get(0).fill(b, 5);
    graph.launch(a);
    many.get(32).fill(b, 9);
    assertThat(many.get(0).download(b)).containsOnly(7);
    assertThat(many.get(32).download(b)).containsOnly(9);
  }
}
