package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceException;
import dev.streamfence.DeviceGroup;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.ReadableArray;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.corpus.Effort;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.driver.jcuda.StandIn;
import dev.streamfence.internal.launch.OptionalKernels;
import dev.streamfence.internal.launch.TableKernels;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.memory.MemoryBudget;
import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A whole runtime through JCuda's real native library; it releases all of its resources. */
final class RuntimeOverStandInTest {
  private static final int OUT_OF_MEMORY = 2;

  private final StandIn standIn = StandIn.loaded();
  private final List<Long> before = standIn.live();

  @AfterEach
  void nothingIsLeft() {
    assertThat(standIn.live()).isEqualTo(before);
    assertThat(standIn.wrongContexts()).isZero();
  }

  static Stream<RuntimeOptions> options() {
    RuntimeOptions defaults = RuntimeOptions.defaults();
    return Stream.of(
        defaults,
        defaults.withCachingPool(false),
        defaults.withTraceAllocations(true).withMemoryBudget(MemoryBudget.ofBytes(1 << 20)),
        defaults.withGuardMemory(true),
        defaults.withDirectMemory(true),
        defaults.withGuardMemory(true).withDirectMemory(true));
  }

  @Test
  void aGroupOpensAllDevicesAndNoMoreThanThereAre() {
    try (DeviceGroup group = DeviceGroup.open()) {
      assertThat(group.size()).isEqualTo(2);
      assertThat(group.get(1).info().name()).isEqualTo("Stand-in 1");
    }
    assertThatThrownBy(() -> DeviceGroup.open(3, RuntimeOptions.defaults()))
        .isInstanceOf(DeviceException.class)
        .hasMessage("a group of 3 GPUs; the driver sees 2 of them");
  }

  @Test
  void twoRuntimesOfADeviceShareItsBudget() {
    RuntimeOptions options =
        RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofDevice(1e-6));
    try (DeviceRuntime one = DeviceRuntime.open(0, options);
        DeviceRuntime other = DeviceRuntime.open(0, options);
        DeviceRuntime elsewhere = DeviceRuntime.open(1, options)) {
      one.memory().allocate(one.streams().defaultStream(), byte[].class, 50_000);
      assertThatThrownBy(
              () -> other.memory().allocate(other.streams().defaultStream(), byte[].class, 50_000))
          .isInstanceOf(OutOfMemoryBudgetException.class)
          .hasMessageContaining("50000 by other runtimes of this process");
      DeviceArray<byte[]> small =
          one.memory().upload(one.streams().defaultStream(), new byte[] {1, 2});
      DeviceStream stream = other.streams().defaultStream();
      assertThat(small.copyTo(stream).download(stream)).containsExactly(1, 2);
      elsewhere.memory().allocate(elsewhere.streams().defaultStream(), byte[].class, 50_000);
    }
  }

  @Test
  void arraysAreCopiedBetweenTwoDevices() {
    List<String> trace = new ArrayList<>();
    try (DeviceRuntime one = DeviceRuntime.open(0);
        DeviceRuntime other = DeviceRuntime.open(1)) {
      DeviceArray<int[]> source = one.memory().upload(one.streams().acquire(), new int[] {1, 2, 3});
      DeviceStream stream = other.streams().acquire();
      trace.addAll(standIn.trace(() -> source.copyTo(stream)));

      assertThat(source.copyTo(stream).download(stream)).containsExactly(1, 2, 3);
      assertThat(
              source
                  .copyTo(stream)
                  .copyTo(one.streams().acquire())
                  .download(one.streams().defaultStream()))
          .containsExactly(1, 2, 3);
    }
    assertThat(trace)
        .anyMatch(line -> line.startsWith("cuCtxEnablePeerAccess context=1 peer=0"))
        .anyMatch(line -> line.startsWith("cuMemPoolSetAccess context=0 pool=1"))
        .anyMatch(line -> line.startsWith("cuMemcpyPeerAsync context=1 from=0 to=1"));
  }

  @Test
  void aLaunchUsesAnArrayOfAnotherDevice() {
    List<String> trace = new ArrayList<>();
    try (DeviceRuntime one = DeviceRuntime.open(0);
        DeviceRuntime other = DeviceRuntime.open(1)) {
      DeviceArray<int[]> away = one.memory().upload(one.streams().acquire(), new int[] {1, 2, 3});
      VectorKernels kernels = VectorKernels.forPeersOn(other.streams().acquire());
      trace.addAll(standIn.trace(() -> kernels.increment(away, 3)));
      List<String> next = standIn.trace(() -> kernels.increment(away, 3));
      assertThat(next).noneMatch(line -> line.contains("Peer") || line.contains("SetAccess"));
    }
    assertThat(trace)
        .anyMatch(line -> line.startsWith("cuCtxEnablePeerAccess context=1 peer=0"))
        .anyMatch(line -> line.startsWith("cuMemPoolSetAccess context=0 pool=1"))
        .anyMatch(line -> line.startsWith("cuLaunchKernel context=1"));
  }

  @Test
  void aLaunchUsesAnArrayOfAnotherRuntimeOfItsDevice() {
    try (DeviceRuntime one = DeviceRuntime.open(0);
        DeviceRuntime other = DeviceRuntime.open(0)) {
      DeviceArray<int[]> away = one.memory().upload(one.streams().acquire(), new int[] {1, 2, 3});
      VectorKernels kernels = VectorKernels.forPeersOn(other.streams().acquire());

      assertThat(standIn.trace(() -> kernels.increment(away, 3)))
          .anyMatch(line -> line.startsWith("cuLaunchKernel context=0"))
          .noneMatch(line -> line.contains("Peer"));
    }
  }

  /** The stand-in counts what is live in the driver, also after the context was released. */
  @ParameterizedTest
  @MethodSource("options")
  void closingBesideWorkingThreadsLeavesNothing(RuntimeOptions options) throws Exception {
    RuntimeOptions roomy = options.withMemoryBudget(MemoryBudget.ofDevice(0.5));
    int rounds = Integer.getInteger("streamfence.closing.rounds", Effort.of(8, 24));
    ClosingRounds closing = new ClosingRounds(rounds);
    for (int i = 0; i < rounds; i++) {
      closing.run(DeviceRuntime.open(0, roomy));
      assertThat(standIn.live()).isEqualTo(before);
    }
  }

  @Test
  void anOpenedDeviceIsTheDriversDevice() {
    assertThat(DeviceRuntime.isGpuAvailable()).isTrue();
    try (DeviceRuntime gpu = DeviceRuntime.open(1)) {
      assertThat(gpu.info().name()).isEqualTo("Stand-in 1");
      assertThat(gpu.isSimulated()).isFalse();
    }
  }

  @Test
  void aGpuHasACachingPoolUnlessAToolIsToSeeItsArrays() {
    RuntimeOptions defaults = RuntimeOptions.defaults();
    assertThat(hasPool(defaults)).isTrue();
    assertThat(hasPool(defaults.withCachingPool(false))).isFalse();
    RuntimeOptions direct = defaults.withDirectMemory(true);
    assertThat(hasPool(direct)).isFalse();
    assertThat(hasPool(direct.withCachingPool(true))).isTrue();
    assertThat(hasPool(defaults.withOrderingVisibleToTools(true))).isFalse();
  }

  private static boolean hasPool(RuntimeOptions options) {
    try (DeviceRuntime gpu = DeviceRuntime.open(0, options)) {
      return gpu.memory().pool().isPresent();
    }
  }

  @ParameterizedTest
  @MethodSource("dev.streamfence.corpus.HostArrays#ofEveryType")
  void aDownloadReturnsTheUploadEvenThroughACopyOnAnotherStream(Object host) {
    try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
      DeviceStream a = gpu.streams().acquire();
      DeviceStream b = gpu.streams().acquire();
      try (DeviceArray<Object> array = gpu.memory().upload(a, host);
          DeviceArray<Object> copy = array.copy(b)) {
        assertThat(array.download(b)).isEqualTo(host);
        assertThat(copy.download(a)).isEqualTo(host);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFillWritesEveryElementAndNothingElse(ElementType type) {
    try (DeviceRuntime gpu =
            DeviceRuntime.open(0, RuntimeOptions.defaults().withGuardMemory(true));
        DeviceStream stream = gpu.streams().acquire()) {
      Object ones = Array.newInstance(type.primitive(), 1001);
      try (DeviceArray<?> array = gpu.memory().allocateZeroed(stream, type.array(), 1001)) {
        assertThat((Object) array.download(stream)).isEqualTo(ones);
        if (type == ElementType.BOOLEAN) {
          array.fill(stream, true);
          Arrays.fill((boolean[]) ones, true);
        } else {
          array.fill(stream, 1);
          for (int i = 0; i < 1001; i++) {
            setOne(ones, i);
          }
        }
        assertThat((Object) array.download(stream)).isEqualTo(ones);
      }
      assertThat(gpu.memory().statistics().guardViolations()).isZero();
    }
  }

  private static void setOne(Object array, int index) {
    if (array instanceof char[] chars) {
      chars[index] = 1;
    } else {
      Array.setByte(array, index, (byte) 1);
    }
  }

  @Test
  void arraysLargerThanTheStagingMemoryAreCopiedInPieces() {
    int[] host = new int[(36 << 20) / 4 + 3];
    Arrays.setAll(host, i -> i * 31);
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceArray<int[]> array = gpu.memory().upload(gpu.streams().defaultStream(), host)) {
      assertThat(array.download(gpu.streams().defaultStream())).isEqualTo(host);
    }
  }

  @Test
  void launchesThatWaitForEachOthersStreamAllocateNothing() {
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceStream a = gpu.streams().acquire();
        DeviceStream b = gpu.streams().acquire();
        DeviceArray<float[]> x = gpu.memory().upload(a, new float[300]);
        DeviceArray<float[]> y = gpu.memory().upload(a, new float[300])) {
      VectorKernels onA = VectorKernels.on(a);
      VectorKernels onB = VectorKernels.on(b);

      assertThat(AllocatedBytes.leastOfFiveRounds(() -> launchOften(onA, onB, x, y))).isZero();
    }
  }

  @Test
  void anotherArrayInAGraphIsOneCallPerNodeThatHasItAndOneContextForAll() {
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<float[]> x = gpu.memory().upload(stream, new float[300]);
        DeviceArray<float[]> other = gpu.memory().upload(stream, new float[300]);
        DeviceArray<float[]> y = gpu.memory().upload(stream, new float[300])) {
      VectorKernels kernels = VectorKernels.on(stream);
      KernelGraph graph =
          gpu.graph(
              "bound",
              body -> {
                DeviceArray<float[]> input = body.input("x", x);
                for (int i = 0; i < 4; i++) {
                  kernels.saxpy(2f, input, y, 300);
                }
              });
      List<String> calls = standIn.trace(() -> graph.bind("x", other).launch(stream));
      assertThat(calls)
          .extracting(call -> call.substring(0, call.indexOf(' ')))
          .containsExactly(
              "cuCtxSetCurrent",
              "cuGraphExecKernelNodeSetParams",
              "cuGraphExecKernelNodeSetParams",
              "cuGraphExecKernelNodeSetParams",
              "cuGraphExecKernelNodeSetParams",
              "cuCtxSetCurrent",
              "cuGraphLaunch");
      assertThat(calls)
          .filteredOn(call -> call.startsWith("cuGraphExec"))
          .allMatch(call -> call.contains("," + address(other) + "," + address(y) + ","));

      int times = 2_000;
      Runnable rounds =
          () -> {
            for (int i = 0; i < times; i++) {
              graph.bind("x", i % 2 == 0 ? x : other).launch(stream);
            }
          };
      // An entry of the table of what the graph holds and, through JCuda, a structure for each
      // node.
      assertThat(AllocatedBytes.leastOfFiveRounds(rounds) / times).isLessThan(400);
      graph.close();
    }
  }

  @Test
  void launchesWithTablesThatTheStreamHasSeenAllocateNothing() {
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceStream stream = gpu.streams().acquire()) {
      List<DeviceArray<int[]>> columns = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        columns.add(gpu.memory().upload(stream, new int[1]));
      }
      List<DeviceArray<int[]>> others = columns.subList(3, 9);
      TableKernels kernels = TableKernels.on(stream);
      Runnable launches =
          () -> {
            for (int i = 0; i < 2_000; i++) {
              kernels.bump(columns, 1);
              kernels.bump(others, 1);
            }
          };
      assertThat(AllocatedBytes.leastOfFiveRounds(launches)).isZero();
      columns.forEach(DeviceArray::close);
    }
  }

  @Test
  void launchesThatUseAVariableAllocateNothing() {
    String text =
        """
        .version 8.0
        .target sm_70
        .address_size 64
        .global .align 4 .b8 level[8];
        .visible .entry raise(.param .u32 n)
        {
          .reg .b32 %r<2>;
          atom.global.add.u32 %r1, [level], 1;
          ret;
        }
        """;
    KernelImage image =
        KernelImage.of("raise.ptx", text.getBytes(StandardCharsets.US_ASCII))
            .symbol("level", int[].class);
    KernelSignature signature = KernelSignature.entry("raise").threads("n", int.class, 256);
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceStream a = gpu.streams().acquire();
        DeviceStream b = gpu.streams().acquire()) {
      LaunchRecorder onA = LoadedModule.of(a, image).recorder(signature);
      LaunchRecorder onB = LoadedModule.of(b, image).recorder(signature);
      DeviceArray<int[]> level = LoadedModule.of(b, image).symbol("level", int[].class);
      level.upload(a, new int[] {3, 4});
      assertThat(level.download(b)).containsExactly(3, 4);
      Runnable launches =
          () -> {
            for (int i = 0; i < 5_000; i++) {
              launch(onA);
              launch(onB);
            }
          };
      assertThat(AllocatedBytes.leastOfFiveRounds(launches)).isZero();
    }
  }

  private static void launch(LaunchRecorder recorder) {
    try (LaunchRecorder open = recorder.begin()) {
      open.threads(1).preflight().launch().commit();
    }
  }

  private static void launchOften(
      VectorKernels onA, VectorKernels onB, DeviceArray<float[]> x, DeviceArray<float[]> y) {
    for (int i = 0; i < 5_000; i++) {
      onA.saxpy(1f, x, y, 300);
      onB.saxpy(1f, y, x, 300);
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void aLaunchPassesTheDriverAddressesAndValues(RuntimeOptions options) {
    try (DeviceRuntime gpu = DeviceRuntime.open(0, options)) {
      DeviceStream stream = gpu.streams().acquire();
      VectorKernels kernels = VectorKernels.on(stream);
      try (DeviceArray<float[]> x = gpu.memory().upload(stream, new float[300]);
          DeviceArray<float[]> y = gpu.memory().upload(stream, new float[300])) {
        List<String> calls = standIn.trace(() -> kernels.saxpy(1.5f, x, y, 300));

        assertThat(calls)
            .filteredOn(call -> call.startsWith("cuLaunchKernel"))
            .singleElement()
            .asString()
            .contains(" function=saxpy grid=2,1,1 block=256,1,1 ")
            .endsWith("=0000c03f," + address(x) + "," + address(y) + ",2c010000");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void recordsComeBackThroughTheDriver(RuntimeOptions options) {
    record Cell(byte row, long column, boolean isSet) {}
    Cell[] host = new Cell[1000];
    Arrays.setAll(host, i -> new Cell((byte) i, -i, i % 3 == 0));
    try (DeviceRuntime gpu = DeviceRuntime.open(0, options);
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<Cell[]> cells = gpu.memory().upload(stream, host);
        DeviceArray<Cell[]> zeros = gpu.memory().allocateZeroed(stream, Cell[].class, 2)) {
      assertThat(cells.download(stream)).isEqualTo(host);
      assertThat(cells.downloadLater(stream, 998, 2).value()).containsExactly(host[998], host[999]);
      assertThat(zeros.download(stream)).containsOnly(new Cell((byte) 0, 0, false));
    }
  }

  @Test
  void anAbsentArrayIsTheAddress0AndCostsNothing() {
    try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
      DeviceStream stream = gpu.streams().acquire();
      OptionalKernels kernels = OptionalKernels.on(stream);
      try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[1]);
          DeviceArray<int[]> out = gpu.memory().upload(stream, new int[1])) {
        kernels.pick(values, (ReadableArray<int[]>) null, out);
        List<String> calls =
            standIn.trace(() -> kernels.pick(values, (ReadableArray<int[]>) null, out));
        assertThat(calls)
            .filteredOn(call -> !call.startsWith("cuCtx"))
            .singleElement()
            .asString()
            .startsWith("cuLaunchKernel")
            .endsWith(
                "=" + address(values) + "," + "0".repeat(16) + "," + address(out) + ",01000000");

        Runnable launches =
            () -> {
              for (int i = 0; i < 5_000; i++) {
                kernels.pick(values, (ReadableArray<int[]>) null, out);
                kernels.packed(values, null, i, out);
              }
            };
        assertThat(AllocatedBytes.leastOfFiveRounds(launches)).isZero();
      }
    }
  }

  private static String address(DeviceArray<?> array) {
    return String.format("%016x", Long.reverseBytes(TrackedArray.of(array).region().address()));
  }

  @Test
  void aBudgetHoldsAndTheDriverIsNotAskedForMore() {
    RuntimeOptions options = RuntimeOptions.defaults().withMemoryBudget(MemoryBudget.ofBytes(1024));
    try (DeviceRuntime gpu = DeviceRuntime.open(0, options);
        DeviceStream stream = gpu.streams().acquire()) {
      DeviceArray<int[]> first = gpu.memory().allocate(stream, int[].class, 200);
      long live = standIn.live(StandIn.Kind.DEVICE_MEMORY);
      assertThatThrownBy(() -> gpu.memory().allocate(stream, int[].class, 57))
          .isInstanceOfSatisfying(
              OutOfMemoryBudgetException.class, e -> assertThat(e.requested()).isEqualTo(228));
      assertThat(standIn.live(StandIn.Kind.DEVICE_MEMORY)).isEqualTo(live);
      first.close();
      gpu.memory().allocate(stream, int[].class, 256).close();
    }
  }

  @Test
  void aDriverWithoutMemoryLeftRefusesTheArrayAndNothingElse() {
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceStream stream = gpu.streams().acquire()) {
      standIn.fail("cuMemAllocAsync", OUT_OF_MEMORY);
      assertThatThrownBy(() -> gpu.memory().allocate(stream, long[].class, 8))
          .isInstanceOf(OutOfMemoryBudgetException.class);
      assertThat(gpu.memory().bytesOutstanding()).isZero();
      standIn.reset();
      gpu.memory().allocate(stream, long[].class, 8).close();
    }
  }

  @ParameterizedTest
  @MethodSource("options")
  void closeFreesEverythingLeftOpenAndClosingAgainDoesNothing(RuntimeOptions options) {
    DeviceRuntime gpu = DeviceRuntime.open(0, options);
    DeviceStream stream = gpu.streams().acquire();
    DeviceArray<int[]> open = gpu.memory().upload(stream, new int[] {1, 2, 3});
    VectorKernels.on(stream).increment(open, 3);
    assertThat(standIn.live()).isNotEqualTo(before);

    gpu.close();

    assertThat(standIn.live()).isEqualTo(before);
    assertThat(standIn.trace(gpu::close)).isEmpty();
    assertThat(standIn.trace(open::close)).isEmpty();
    assertThat(gpu.isOpen()).isFalse();
  }

  @Test
  void runtimesOfTwoDevicesAndTwoOfOneAreIndependent() {
    try (DeviceRuntime first = DeviceRuntime.open(0);
        DeviceRuntime second = DeviceRuntime.open(1)) {
      DeviceStream onFirst = first.streams().acquire();
      DeviceStream onSecond = second.streams().acquire();
      try (DeviceArray<int[]> a = first.memory().upload(onFirst, new int[] {1});
          DeviceArray<int[]> b = second.memory().upload(onSecond, new int[] {2})) {
        try (DeviceRuntime sibling = DeviceRuntime.open(0)) {
          DeviceStream onSibling = sibling.streams().acquire();
          VectorKernels.on(onSibling);
          assertThatThrownBy(() -> a.download(onSibling)).isInstanceOf(StreamMisuseException.class);
        }
        VectorKernels.on(onSecond).increment(b, 1);
        assertThatThrownBy(() -> VectorKernels.on(onFirst).increment(b, 1))
            .isInstanceOf(StreamMisuseException.class);
        assertThat(a.download(onFirst)).containsExactly(1);
        assertThat(b.download(onSecond)).containsExactly(2);
      }
    }
  }

  @Test
  void aMissingDeviceIsRefusedAndNothingStaysOpen() {
    assertThatThrownBy(() -> DeviceRuntime.open(2)).isInstanceOf(DeviceException.class);
    try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> gpu.memory().allocate(gpu.streams().defaultStream(), int[].class, -1));
    }
  }
}
