package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
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
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.trace.WorkKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Loops and conditions of graphs: what they repeat and leave out, in which order, and refusals. */
final class GraphConditionsTest extends GraphsOnTwoStreams {
  @TempDir private Path folder;

  private DeviceArray<int[]> counter = number();

  private DeviceArray<int[]> number() {
    return gpu.memory().allocateZeroed(a, int[].class, 1, "counter");
  }

  @Override
  void on(Schedule schedule) {
    super.on(schedule);
    counter = number();
  }

  private void count(int from) {
    counter.fill(a, from);
  }

  /** A loop that adds 1 to x and to the counter, until the counter is 0. */
  private KernelGraph countingUp() {
    return gpu.graph(
        "counting",
        body ->
            body.whileNonZero(
                counter,
                pass -> {
                  onA.increment(x, N);
                  onB.increment(counter, 1);
                }));
  }

  @ParameterizedTest
  @EnumSource
  void aLoopRunsUntilItsNumberIsZeroAndMayNotRunAtAll(Schedule schedule) {
    on(schedule);
    KernelGraph graph = countingUp();
    graph.launch(a);
    count(-3);
    graph.launch(b);
    count(-4);
    graph.launch(a);
    graph.launch(b);
    assertThat(x.download(b)).containsOnly(7);
    assertThat(first(counter, a)).isZero();
    assertThat(device.findings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aConditionLeavesItsNodesOutIfItsNumberIsZero(Schedule schedule) {
    on(schedule);
    KernelGraph graph =
        gpu.graph(
            "if",
            body -> {
              body.ifNonZero(counter, then -> onA.increment(x, N));
              onB.add(x, y, y, N);
            });
    graph.launch(a);
    assertThat(first(y, a)).isZero();
    count(-7);
    graph.launch(b);
    graph.launch(a);
    assertThat(first(x, a)).isEqualTo(2);
    assertThat(first(y, a)).isEqualTo(3);
    assertThat(device.findings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void loopsAndConditionsCanBeNested(Schedule schedule) {
    on(schedule);
    DeviceArray<int[]> inner = zeros("inner");
    KernelGraph graph =
        gpu.graph(
            "nested",
            body ->
                body.whileNonZero(
                    counter,
                    pass -> {
                      inner.fill(b, -2);
                      pass.whileNonZero(
                          inner,
                          innerPass -> {
                            onA.increment(x, N);
                            onB.increment(inner, N);
                          });
                      pass.ifNonZero(y, then -> onB.increment(y, N));
                      onA.increment(counter, 1);
                    }));
    count(-5);
    graph.launch(a);
    assertThat(first(x, b)).isEqualTo(10);
    assertThat(first(y, b)).isZero();
    y.fill(b, 1);
    count(-2);
    graph.launch(b);
    assertThat(first(x, b)).isEqualTo(14);
    assertThat(first(y, b)).isEqualTo(3);
    assertThat(device.findings()).isEmpty();
    assertThat(graph.nodes()).extracting(GraphNode::index).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(graph.nodes())
        .extracting(GraphNode::parent)
        .containsExactly(-1, 0, 0, 2, 2, 0, 5, 0);
  }

  @Test
  void theDeviceDecidesWithoutTheHost() {
    KernelGraph graph = countingUp();
    count(-50);
    long before = device.calls();
    graph.launch(a);
    assertThat(device.calls(DriverCall.LAUNCH_GRAPH)).isEqualTo(1);
    assertThat(device.calls() - before).isLessThanOrEqualTo(2);
    assertThat(first(x, a)).isEqualTo(50);
  }

  @Test
  void nodesOfAPassHaveEdgesAmongThemselvesAndTheRestOfTheGraphSeesOneNode() {
    KernelGraph graph =
        gpu.graph(
            "edges",
            body -> {
              x.fill(a, 1);
              counter.fill(b, -1);
              body.whileNonZero(
                  counter,
                  pass -> {
                    onA.increment(x, N);
                    onB.increment(y, N);
                    onA.add(x, y, x, N);
                    onB.increment(counter, 1);
                  });
              onB.increment(x, N);
            });
    assertThat(graph.nodes())
        .extracting(GraphNode::name)
        .containsExactly(
            "fill", "fill", "while", "increment", "increment", "add", "increment", "increment");
    assertThat(graph.nodes().get(2).kind()).isEqualTo(WorkKind.CONDITION);
    assertThat(graph.edges())
        .containsExactly(
            new GraphEdge(0, 2, List.of("fill writes x, while writes it")),
            new GraphEdge(1, 2, List.of("fill writes counter, while writes it")),
            new GraphEdge(3, 5, List.of("increment writes values, add writes it")),
            new GraphEdge(4, 5, List.of("increment writes values, add reads it")),
            new GraphEdge(2, 7, List.of("while writes values, increment writes it")));
  }

  @Test
  void eachLaunchUsesWhatAConditionMayUse() {
    KernelGraph graph =
        gpu.graph("if", body -> body.ifNonZero(counter, then -> onA.increment(x, N)));
    count(1);
    for (int i = 0; i < 3; i++) {
      graph.launch(i % 2 == 0 ? a : b);
      onB.increment(x, N);
    }
    assertThat(first(x, a)).isEqualTo(6);
  }

  @Test
  void memoryThatAConditionMayHaveWrittenIsStillReadFromBefore() {
    RuntimeOptions options = RuntimeOptions.defaults().withGuardMemory(true);
    try (DeviceRuntime guarded =
            DeviceRuntime.simulated(SimulatedDevice.builder().build(), options);
        DeviceStream stream = guarded.streams().acquire()) {
      DeviceArray<int[]> number = guarded.memory().allocateZeroed(stream, int[].class, N);
      DeviceArray<int[]> fresh = guarded.memory().allocate(stream, int[].class, N, "fresh");
      KernelGraph graph =
          guarded.graph(
              "maybe",
              body -> {
                body.ifNonZero(number, then -> fresh.fill(stream, 1));
                VectorKernels.on(stream).add(fresh, number, number, N);
              });
      assertThatThrownBy(() -> graph.launch(stream))
          .isInstanceOf(UninitializedReadException.class)
          .hasMessageContaining("add: parameter 'a'")
          .hasMessageContaining("fresh");
    }
  }

  @Test
  void inputsAndNumbersOfNodesInLoopsChange() {
    DeviceArray<int[]> other = zeros("other");
    KernelGraph graph =
        gpu.graph(
            "bound",
            body -> {
              DeviceArray<int[]> input = body.input("input", x);
              body.whileNonZero(
                  counter,
                  pass -> {
                    onA.increment(input, N);
                    onB.increment(counter, 1);
                  });
            });
    count(-2);
    graph.bind("input", other).launch(a);
    graph.set(1, "n", N / 2);
    count(-3);
    graph.launch(b);
    assertThat(Arrays.copyOf(other.download(a), N / 2)).containsOnly(5);
    assertThat(Arrays.copyOfRange(other.download(a), N / 2, N)).containsOnly(2);
    assertThat(first(x, a)).isZero();
    assertThatThrownBy(() -> graph.set(1, "n", N + 1)).hasMessageContaining("increment");
    assertThat(graph.statistics().updatedNodes()).isEqualTo(2);
  }

  @Test
  void theNumberIsNoInput() {
    StreamMisuseException e =
        catchThrowableOfType(
            StreamMisuseException.class,
            () ->
                gpu.graph(
                    "input",
                    body -> {
                      DeviceArray<int[]> input = body.input("number", counter);
                      body.ifNonZero(input, then -> onA.increment(x, N));
                    }));
    assertThat(e.kind()).isEqualTo(Misuse.INSIDE_GRAPH);
    assertThat(e)
        .hasMessageContaining("input 'number' of graph 'input' is")
        .hasMessageContaining("if");
  }

  @Test
  void aLoopWithoutAnEndIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                gpu.graph(
                    "endless", body -> body.whileNonZero(counter, pass -> onA.increment(x, N))))
        .withMessageContaining("while in graph 'endless' would not end: none of its nodes writes")
        .withMessageContaining("counter");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> gpu.graph("empty", body -> body.whileNonZero(counter, pass -> {})))
        .withMessageContaining("would not end");
  }

  @Test
  void aLoopThatDoesNotEndLosesTheSimulatedDeviceInsteadOfHanging() {
    try (DeviceRuntime own = DeviceRuntime.simulated();
        DeviceStream stream = own.streams().acquire()) {
      DeviceArray<int[]> number = own.memory().allocateZeroed(stream, int[].class, 1);
      KernelGraph graph =
          own.graph("endless", body -> body.whileNonZero(number, pass -> number.fill(stream, 1)));
      number.fill(stream, 1);
      CudaDriverException e =
          catchThrowableOfType(
              CudaDriverException.class,
              () -> {
                graph.launch(stream);
                own.synchronize();
              });
      assertThat(e.codeName()).isEqualTo("CUDA_ERROR_LAUNCH_TIMEOUT");
      assertThat(e)
          .hasMessageContaining("while in graph 'endless'")
          .hasMessageContaining("100000 passes");
    }
  }

  @Test
  void aNumberHasElementsAndIsOpenAndOfTheSameRuntime() {
    DeviceArray<int[]> empty = gpu.memory().allocate(a, int[].class, 0);
    DeviceArray<int[]> closed = zeros("closed");
    closed.close();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> record(body -> body.ifNonZero(empty, then -> onA.increment(x, N))))
        .withMessageContaining("the number of if in graph 'g' is")
        .withMessageContaining("no elements");
    assertThatThrownBy(() -> record(body -> body.ifNonZero(closed, then -> onA.increment(x, N))))
        .isInstanceOf(UseAfterFreeException.class)
        .hasMessageContaining("the number of if in graph 'g'");
    try (DeviceRuntime other = DeviceRuntime.simulated();
        DeviceStream stream = other.streams().acquire()) {
      DeviceArray<int[]> foreign = other.memory().allocateZeroed(stream, int[].class, 1);
      assertMisuse(
          Misuse.OTHER_RUNTIME,
          () -> record(body -> body.ifNonZero(foreign, then -> onA.increment(x, N))));
    }
  }

  @Test
  void anArrayThatIsClosedInItsOwnConditionIsRefusedAndNothingOfItIsRecorded() {
    DeviceArray<int[]> number = zeros("number");
    KernelGraph graph =
        record(
            body -> {
              onA.increment(x, N);
              assertThatThrownBy(
                      () ->
                          body.ifNonZero(
                              number,
                              then -> {
                                onA.increment(y, N);
                                number.close();
                              }))
                  .isInstanceOf(UseAfterFreeException.class);
              onA.increment(x, N);
            });
    assertThat(graph.nodes()).extracting(GraphNode::index).containsExactly(0, 1);
    assertThat(graph.edges()).hasSize(1);
    graph.launch(a);
    assertThat(first(x, a)).isEqualTo(2);
    assertThat(first(y, a)).isZero();
  }

  @Test
  void codeThatThrowsLeavesNothingOfItsPart() {
    count(1);
    KernelGraph graph =
        record(
            body -> {
              onA.increment(x, N);
              assertThatThrownBy(
                      () ->
                          body.ifNonZero(
                              counter,
                              then -> {
                                onA.increment(x, N);
                                then.ifNonZero(counter, more -> onB.increment(y, N));
                                throw Undeclared.thrown(new IOException("no"));
                              }))
                  .hasMessage("no");
              body.ifNonZero(counter, then -> onB.increment(y, N));
            });
    assertThat(graph.nodes())
        .extracting(GraphNode::name)
        .containsExactly("increment", "if", "increment");
    assertThat(graph.nodes()).extracting(GraphNode::index).containsExactly(0, 1, 2);
    assertThat(graph.edges()).isEmpty();
    graph.launch(b);
    assertThat(first(x, a)).isEqualTo(1);
    assertThat(first(y, a)).isEqualTo(1);
  }

  @Test
  void aPartThatThrowsLeavesWhatWasRecordedBeforeIt() {
    DeviceArray<int[]> before = zeros("before");
    PinnedArray<int[]> host = gpu.memory().pinned(int[].class, N);
    KernelGraph graph =
        record(
            body -> {
              onA.increment(before, N);
              before.download(a, host);
              assertThatThrownBy(
                      () ->
                          body.ifNonZero(
                              counter,
                              then -> {
                                onB.increment(y, N);
                                throw new IllegalStateException("no");
                              }))
                  .hasMessage("no");
            });
    long bytes = live(gpu);
    before.close();
    assertThat(live(gpu)).isEqualTo(bytes);
    long downloads = gpu.memory().statistics().downloads();
    graph.launch(a);
    assertThat(gpu.memory().statistics().downloads()).isEqualTo(downloads + 1);
    host.read(values -> assertThat(values.asIntBuffer().get(0)).isOne());
    graph.close();
    host.close();
  }

  /** What only the dropped part uses is not held, and its module is not asked for. */
  @Test
  void memoryAndModulesOfAPartThatThrowsAreFreeAgain() {
    DeviceArray<int[]> once = zeros("once");
    DeviceArray<int[]> other = zeros("other");
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
        record(
            body -> {
              assertThatThrownBy(
                      () ->
                          body.ifNonZero(
                              counter,
                              then -> {
                                then.input("other", other);
                                try (LaunchRecorder launch = fresh.begin()) {
                                  launch.array(once).threads(N).preflight().launch().commit();
                                }
                                onB.increment(other, N);
                                throw new IllegalStateException("no");
                              }))
                  .hasMessage("no");
              onA.increment(x, N);
            });
    gpu.synchronize();
    long before = gpu.memory().bytesOutstanding();
    once.close();
    gpu.synchronize();
    gpu.memory().reap();
    assertThat(before - gpu.memory().bytesOutstanding()).isEqualTo(N * (long) Integer.BYTES);
    module.unload();
    graph.bind("other", y).launch(b);
    other.close();
    assertThat(first(x, a)).isEqualTo(1);
  }

  @Test
  void aConditionWithoutNodesIsNone() {
    KernelGraph graph = record(body -> body.ifNonZero(counter, then -> onA.increment(x, 0)));
    assertThat(graph.nodes()).isEmpty();
  }

  @Test
  void aLaunchThatIsOpenAtItsBeginningOrEndIsRefused() {
    assertMisuse(
        Misuse.INSIDE_LAUNCH,
        () ->
            record(
                body -> {
                  try (LaunchRecorder open = VectorKernels.incrementOn(a).begin()) {
                    assertThat(open).isNotNull();
                    body.ifNonZero(counter, then -> onB.increment(x, N));
                  }
                }));
    try (LaunchRecorder left = VectorKernels.incrementOn(a)) {
      assertThatThrownBy(() -> record(body -> body.ifNonZero(counter, then -> left.begin())))
          .isInstanceOfSatisfying(
              StreamMisuseException.class,
              e -> assertThat(e.kind()).isEqualTo(Misuse.INSIDE_LAUNCH))
          .hasMessageStartingWith("the end of if in graph ");
    }
  }

  @Test
  void aBodyThatIsKeptIsOfNoUseAfterwards() {
    GraphBody[] kept = new GraphBody[1];
    record(body -> kept[0] = body);
    assertMisuse(
        Misuse.OUT_OF_SCOPE,
        () -> kept[0].whileNonZero(counter, pass -> onA.increment(counter, 1)));
  }

  @Test
  void anOlderDriverRefusesByName() {
    SimulatedDevice older = SimulatedDevice.builder().build();
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(older),
            (method, call) ->
                method.equals("properties")
                    ? older((DeviceProperties) call.proceed())
                    : call.proceed());
    try (DeviceRuntime runtime = RuntimeOverDriver.open(driver, RuntimeOptions.defaults());
        DeviceStream stream = runtime.streams().acquire()) {
      DeviceArray<int[]> number = runtime.memory().allocateZeroed(stream, int[].class, 1);
      assertThat(runtime.info().supportsGraphConditions()).isFalse();
      CudaDriverException e =
          catchThrowableOfType(
              CudaDriverException.class,
              () ->
                  runtime.graph(
                      "g", body -> body.whileNonZero(number, pass -> number.fill(stream, 0))));
      assertThat(e.code()).isEqualTo(801);
      assertThat(e)
          .hasMessageContaining("while in graph 'g'")
          .hasMessageContaining("12.4 or later")
          .hasMessageContaining("12030");
      KernelGraph without = runtime.graph("g", body -> number.fill(stream, 5));
      without.launch(stream);
      assertThat(number.download(stream)).containsExactly(5);
    }
  }

  private static DeviceProperties older(DeviceProperties device) {
    return DeviceProperties.of(device.identity(), 12030, device.totalMemoryInBytes(), Map.of());
  }

  /** The host knows more by then than it knew at the launch, and the loop does not. */
  @Test
  void aRaceWithANodeOfALoopIsFoundEvenIfTheHostHasWaitedBeforeTheLoopRuns() {
    assertThat(race((stream, values) -> VectorKernels.on(stream).increment(values, N)))
        .isNotEmpty()
        .allSatisfy(
            finding ->
                assertThat(finding)
                    .contains("increment in graph 'racing'", "increment on stream 2"));
  }

  @Test
  void aRaceWithAFillOrACopyNamesTheGraph() {
    assertThat(race((stream, values) -> values.fill(stream, 1)))
        .isNotEmpty()
        .allSatisfy(finding -> assertThat(finding).contains("fill in graph 'racing' (ticket"));
    assertThat(race((stream, values) -> values.view(0, 1).copyFrom(stream, values.view(1, 1))))
        .isNotEmpty()
        .allSatisfy(finding -> assertThat(finding).contains("copy in graph 'racing' (ticket"));
  }

  /** The findings about a node of a loop, for which the stream does not wait as it should. */
  private static List<String> race(BiConsumer<DeviceStream, DeviceArray<int[]>> node) {
    SimulatedDevice racing = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    racing.collectFindings();
    boolean[] isForgetting = new boolean[1];
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(racing),
            (method, call) ->
                isForgetting[0] && method.equals("waitForEvent") ? null : call.proceed());
    try (DeviceRuntime runtime = RuntimeOverDriver.open(driver, RuntimeOptions.defaults());
        DeviceStream one = runtime.streams().acquire();
        DeviceStream two = runtime.streams().acquire()) {
      DeviceArray<int[]> number = runtime.memory().upload(one, new int[] {1});
      DeviceArray<int[]> values = runtime.memory().allocateZeroed(one, int[].class, N);
      KernelGraph graph =
          runtime.graph(
              "racing",
              body ->
                  body.whileNonZero(
                      number,
                      pass -> {
                        node.accept(one, values);
                        number.fill(one, 0);
                      }));
      VectorKernels.on(two).increment(values, N);
      isForgetting[0] = true;
      graph.launch(one);
      two.synchronize();
      one.synchronize();
    }
    return racing.findings().stream().map(Object::toString).toList();
  }

  @Test
  void picturesShowWhatAConditionDecidesAbout() throws IOException {
    Path file = folder.resolve("loop.svg");
    KernelGraph graph = countingUp();
    graph.writeSvg(file);
    assertThat(graph.toDot())
        .contains("n0 [label=\"0 while", "n0 -> n1 [style=dashed]", "n0 -> n2 [style=dashed]");
    String svg = Files.readString(file);
    assertThat(svg).contains("<title>decided by while</title>").containsOnlyOnce("0 while");
    List<Integer> rows =
        Pattern.compile("<rect [^>]* y=\"(\\d+)\"")
            .matcher(svg)
            .results()
            .map(found -> Integer.valueOf(found.group(1)))
            .toList();
    assertThat(rows).hasSize(3);
    assertThat(rows.subList(1, 3)).containsOnly(rows.get(1));
    assertThat(rows.get(1)).isGreaterThan(rows.get(0));
  }

  private KernelGraph record(GraphCode<RuntimeException> code) {
    return gpu.graph("g", code);
  }

  private static void assertMisuse(Misuse kind, ThrowingCallable code) {
    StreamMisuseException e = catchThrowableOfType(StreamMisuseException.class, code);
    assertThat(e).isNotNull();
    assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind);
  }
}
