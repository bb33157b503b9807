package dev.streamfence.internal.launch;

import static dev.streamfence.internal.order.Misuses.misuse;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceArrays;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.StreamMisuseException.Misuse;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.device.ExportedArray;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.TrackedArray;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Variables of modules as arrays: their transfers, and the launches that are ordered with them. */
final class SymbolTest {
  private static final String PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .const .align 4 .f32 limit = 0f3f800000;
      .visible .const .align 8 .b8 table[24];
      .global .align 4 .u32 total;
      .global .align 4 .b8 words[12];
      .visible .entry clamp(.param .u64 out)
      {
        .reg .f32 %f<2>;
        .reg .b64 %rd<2>;
        ld.param.u64 %rd1, [out];
        ld.const.f32 %f1, [limit];
        st.global.f32 [%rd1], %f1;
        ret;
      }
      .visible .entry count(.param .u64 in)
      {
        .reg .b32 %r<3>;
        .reg .b64 %rd<2>;
        ld.param.u64 %rd1, [in];
        ld.global.u32 %r1, [%rd1];
        atom.global.add.u32 %r2, [total], %r1;
        ret;
      }
      .visible .entry plain(.param .u64 out)
      {
        .reg .b64 %rd<2>;
        ld.param.u64 %rd1, [out];
        st.global.u32 [%rd1], 7;
        ret;
      }
      """;

  private static final KernelSignature CLAMP =
      KernelSignature.entry("clamp").writes("out", float[].class).shape("shape");
  private static final KernelSignature COUNT =
      KernelSignature.entry("count").reads("in", int[].class).shape("shape");
  private static final KernelSignature PLAIN =
      KernelSignature.entry("plain").writes("out", int[].class).shape("shape");
  private static final LaunchShape ONE = LaunchShape.of(1, 1);

  private static KernelImage image() {
    return KernelImage.of("symbols.ptx", PTX.getBytes(US_ASCII));
  }

  private final KernelImage image =
      image()
          .symbol("limit", float[].class)
          .symbol("table", double[].class)
          .symbol("total", int[].class);

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream one = gpu.streams().acquire();
  private final DeviceStream two = gpu.streams().acquire();
  private final LoadedModule module = LoadedModule.of(one, image);
  private final LoadedModule onTwo = LoadedModule.of(two, image);
  private final DeviceArray<float[]> limit = module.symbol("limit", float[].class);
  private final DeviceArray<int[]> total = module.symbol("total", int[].class);

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private static void launch(LaunchRecorder recorder, DeviceArray<?> array) {
    try (LaunchRecorder open = recorder.begin()) {
      open.array(array).shape(ONE).preflight().launch().commit();
    }
  }

  @Test
  void anImageIsNotUnloadedWhileOtherCodeHasOneOfItsVariables() {
    ExportedArray exported =
        ExportedArray.of(TrackedArray.of(limit), "lending it", true, OptionalLong.empty());
    assertThatThrownBy(module::unload)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "unloading symbols.ptx, whose variable 'limit' a graph or other code still has; close"
                + " or release that first");
    assertItIsStillLoaded();
    exported.end();
    module.unload();
    assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isEqualTo(1);
  }

  private void assertItIsStillLoaded() {
    assertThat(device.calls(DriverCall.UNLOAD_MODULE)).isZero();
    assertThat(LoadedModule.of(one, image).symbol("limit", float[].class)).isSameAs(limit);
    assertThat(limit.download(one)).containsExactly(1f);
    assertThat(total.download(one)).hasSize(1);
    try (DeviceArray<float[]> out = gpu.memory().allocate(one, float[].class, 1)) {
      launch(module.recorder(CLAMP), out);
    }
  }

  @Test
  void aRefusedUnloadLeavesTheOtherVariablesAsTheyAre() {
    ExportedArray exported =
        ExportedArray.of(TrackedArray.of(total), "lending it", true, OptionalLong.empty());
    try (DeviceArray<float[]> out = gpu.memory().allocate(one, float[].class, 1)) {
      try (LaunchRecorder open = module.recorder(CLAMP).begin()) {
        open.array(out).shape(ONE).preflight();
        for (int i = 0; i < 2; i++) {
          assertThatThrownBy(() -> CompletableFuture.runAsync(module::unload).join())
              .hasCauseInstanceOf(IllegalStateException.class)
              .hasMessageContaining("whose variable 'total' a graph or other code still has");
        }
        open.launch().commit();
      }
      launch(module.recorder(CLAMP), out);
    }
    assertItIsStillLoaded();
    exported.end();
    module.unload();
  }

  @Test
  void anImageIsNotUnloadedWhileAGraphHasOneOfItsVariables() {
    try (DeviceArray<float[]> out = gpu.memory().allocate(one, float[].class, 1)) {
      LaunchRecorder clamp = module.recorder(CLAMP);
      KernelGraph graph = gpu.graph("held", body -> launch(clamp, out));
      assertThatThrownBy(module::unload)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("whose variable 'limit' a graph or other code still has");
      assertItIsStillLoaded();
      graph.launch(one);
      graph.close();
      module.unload();
      assertThat(limit.isOpen()).isFalse();
      assertThat(total.isOpen()).isFalse();
    }
  }

  @Test
  void aVariableIsAnArrayOfItsSizeAndInitialValue() {
    assertThat(limit.length()).isEqualTo(1);
    assertThat(limit.download(one)).containsExactly(1f);
    assertThat(module.symbol("table", double[].class).length()).isEqualTo(3);
    assertThat(onTwo.symbol("limit", float[].class)).isSameAs(limit);
    assertThat(limit.toString()).contains("float[1]").contains("'limit of symbols.ptx'");
  }

  @Test
  void kernelsOnEveryStreamSeeWhatWasUploadedBefore() {
    try (DeviceArray<float[]> out = gpu.memory().allocate(one, float[].class, 1)) {
      LaunchRecorder clamp = onTwo.recorder(CLAMP);
      for (int i = 2; i < 6; i++) {
        limit.upload(one, new float[] {i});
        launch(clamp, out);
      }
      assertThat(out.download(one)).containsExactly(5f);
    }
  }

  @Test
  void anUploadWaitsForTheKernelsThatRead() {
    try (DeviceArray<float[]> out = gpu.memory().allocate(one, float[].class, 1)) {
      launch(onTwo.recorder(CLAMP), out);
      limit.upload(one, new float[] {9});
      assertThat(out.download(two)).containsExactly(1f);
    }
  }

  @Test
  void aDownloadWaitsForTheKernelsThatWrite() {
    try (DeviceArray<int[]> in = gpu.memory().upload(two, new int[] {21})) {
      LaunchRecorder count = onTwo.recorder(COUNT);
      launch(count, in);
      launch(module.recorder(COUNT), in);
      assertThat(DeviceArrays.getInt(total, one, 0)).isEqualTo(42);
      DeviceArrays.setInt(total, one, 0, 5);
      launch(count, in);
      assertThat(total.download(one)).containsExactly(26);
    }
  }

  @Test
  void kernelsThatOnlyReadDoNotWaitForEachOther() {
    try (DeviceArray<float[]> a = gpu.memory().allocate(one, float[].class, 1);
        DeviceArray<float[]> b = gpu.memory().allocate(two, float[].class, 1)) {
      LaunchRecorder first = module.recorder(CLAMP);
      LaunchRecorder second = onTwo.recorder(CLAMP);
      launch(first, a);
      long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
      launch(second, b);
      launch(first, a);
      launch(second, b);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
    }
  }

  @Test
  void kernelsThatDoNotUseAVariableDoNotWaitForIt() {
    try (DeviceArray<int[]> out = gpu.memory().allocate(two, int[].class, 1)) {
      LaunchRecorder plain = onTwo.recorder(PLAIN);
      launch(plain, out);
      total.upload(one, new int[] {1});
      limit.upload(one, new float[] {1});
      long waits = device.calls(DriverCall.WAIT_FOR_EVENT);
      launch(plain, out);
      assertThat(device.calls(DriverCall.WAIT_FOR_EVENT)).isEqualTo(waits);
    }
  }

  @Test
  void aLaunchMakesNoDriverCallMore() {
    try (DeviceArray<float[]> out = gpu.memory().allocate(one, float[].class, 1)) {
      LaunchRecorder clamp = module.recorder(CLAMP);
      launch(clamp, out);
      long calls = device.calls();
      launch(clamp, out);
      assertThat(device.calls() - calls).isEqualTo(1);
    }
  }

  @Test
  void aVariableThatIsNotDeclaredIsNotOrdered() {
    KernelImage undeclared = image();
    LoadedModule other = LoadedModule.of(one, undeclared);
    try (DeviceArray<float[]> out = gpu.memory().allocate(one, float[].class, 1)) {
      launch(other.recorder(CLAMP), out);
      assertThat(out.download(one)).containsExactly(1f);
      assertThatThrownBy(() -> other.symbol("limit", float[].class))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("symbols.ptx declares no symbol float[] limit; it declares []");
    }
  }

  @Test
  void aTransferPastTheHazardStateIsFound() {
    device.collectFindings();
    try (DeviceArray<float[]> out = gpu.memory().allocate(one, float[].class, 1)) {
      launch(module.recorder(CLAMP), out);
      Inside.driver(gpu)
          .fillAsync(
              Inside.allocation(limit).address(),
              Integer.BYTES,
              0,
              1,
              Inside.timeline(two).stream());
      assertThat(device.findings())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.kind()).isEqualTo(Kind.READ_WRITE);
                assertThat(finding.first().parameter()).isEqualTo("limit");
              });
    }
  }

  @Test
  void viewsCopiesAndLaterDownloadsWork() {
    DeviceArray<double[]> table = module.symbol("table", double[].class);
    DeviceArray<double[]> tail = table.view(1, 2);
    tail.upload(two, new double[] {4, 5});
    try (DeviceArray<double[]> copy = table.copy(one)) {
      table.fill(two, 6.0);
      assertThat(copy.downloadLater(two).value()).containsExactly(0, 4, 5);
    }
    assertThat(tail.download(one)).containsExactly(6, 6);
    DeviceArray<long[]> bits = table.reinterpret(long[].class);
    assertThat(bits.download(one)).containsOnly(Double.doubleToRawLongBits(6));
    assertThat(table.isOpen()).isTrue();
    assertThatThrownBy(() -> table.split(1)).satisfies(misuse(Misuse.NOT_WHOLE));
  }

  @Test
  void closingItDoesNothing() {
    long outstanding = gpu.memory().bytesOutstanding();
    limit.close();
    assertThat(limit.isOpen()).isTrue();
    assertThat(limit.download(one)).containsExactly(1f);
    assertThat(outstanding).isZero();
  }

  @Test
  void afterTheRuntimeItIsClosed() {
    gpu.close();
    assertThat(limit.isOpen()).isFalse();
    assertThatThrownBy(() -> limit.download(one)).isInstanceOf(RuntimeClosedException.class);
    assertThatThrownBy(() -> module.symbol("limit", float[].class))
        .isInstanceOf(RuntimeClosedException.class);
  }

  @Test
  void itIsUsableWhenTheStreamThatLoadedItIsClosed() {
    one.close();
    limit.upload(two, new float[] {3});
    try (DeviceArray<float[]> out = gpu.memory().allocate(two, float[].class, 1)) {
      launch(onTwo.recorder(CLAMP), out);
      assertThat(out.download(two)).containsExactly(3f);
    }
  }

  @Test
  void passingItToAKernelThatWritesItIsRefused() {
    LaunchRecorder count = module.recorder(COUNT);
    try (LaunchRecorder open = count.begin()) {
      open.array(total.view(0, 1)).shape(ONE);
      assertThatThrownBy(open::preflight).satisfies(misuse(Misuse.ALIAS, "count", "in"));
    }
    total.upload(one, new int[] {4});
    launch(module.recorder(COUNT.mayAlias()), total);
    assertThat(total.download(two)).containsExactly(8);
  }

  @Test
  void passingItToBeReadBesideItsOwnReadIsFine() {
    KernelSignature reads = KernelSignature.entry("both").reads("in", float[].class).shape("shape");
    String text =
        PTX
            + """
            .visible .entry both(.param .u64 in)
            {
              .reg .f32 %f<3>;
              .reg .b64 %rd<2>;
              ld.param.u64 %rd1, [in];
              ld.global.f32 %f1, [%rd1];
              ld.const.f32 %f2, [limit];
              ret;
            }
            """;
    LoadedModule both =
        LoadedModule.of(
            one,
            KernelImage.of("both.ptx", text.getBytes(US_ASCII)).symbol("limit", float[].class));
    launch(both.recorder(reads), both.symbol("limit", float[].class));
    assertThat(both.symbol("limit", float[].class)).isNotSameAs(limit);
    gpu.synchronize();
  }

  @Test
  void oneVariableMayHaveTwoTypes() {
    KernelImage twice = image().symbol("words", int[].class).symbol("words", byte[].class);
    LoadedModule loaded = LoadedModule.of(one, twice);
    loaded.symbol("words", int[].class).upload(one, new int[] {1, 2, 3});
    assertThat(loaded.symbol("words", byte[].class).download(two))
        .containsExactly(1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "missing | int[]    | the code has no variable missing; it has limit, table, total, words",
        "words   | long[]   | variable words has 12 bytes, not a multiple of the 8 of a long",
        "total   | double[] | variable total has 4 bytes, not a multiple of the 8 of a double",
        "limit   | int[]    | variable limit is declared as int[]; in the code, it is a .f32",
        "total   | float[]  | variable total is declared as float[]; in the code, it is a .u32",
      })
  void aDeclarationThatTheCodeContradictsIsRefusedAtLoad(String name, String type, String message) {
    Class<?> arrayType =
        switch (type) {
          case "int[]" -> int[].class;
          case "long[]" -> long[].class;
          case "float[]" -> float[].class;
          default -> double[].class;
        };
    int live = device.liveObjects();
    KernelImage wrong = image().symbol(name, arrayType);
    assertThatThrownBy(() -> LoadedModule.of(one, wrong))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining("symbols.ptx")
        .hasMessageContaining(message);
    assertThat(device.liveObjects()).isEqualTo(live);
  }

  @Test
  void anAlignmentThatIsTooSmallIsRefusedAtLoad() {
    String text = PTX + ".global .align 4 .b8 loose[16];\n";
    KernelImage loose =
        KernelImage.of("loose.ptx", text.getBytes(US_ASCII)).symbol("loose", double[].class);
    assertThatThrownBy(() -> LoadedModule.of(one, loose))
        .isInstanceOf(KernelLoadException.class)
        .hasMessageContaining(
            "variable loose has an alignment of 4 bytes, less than the 8 of a double");
  }

  @Test
  void aFailedLookUpUnloadsTheModule() {
    int live = device.liveObjects();
    device.failCall(DriverCall.MODULE_VARIABLE, 1, 999);
    KernelImage fresh = image().symbol("limit", float[].class);
    assertThatThrownBy(() -> LoadedModule.of(one, fresh))
        .hasMessageContaining("cuModuleGetGlobal")
        .hasMessageContaining("looking up variable limit of symbols.ptx");
    assertThat(device.liveObjects()).isEqualTo(live);
    assertThat(LoadedModule.of(one, fresh).symbol("limit", float[].class).length()).isEqualTo(1);
  }

  @Test
  void guardedMemoryChangesNothing() {
    SimulatedDevice other = SimulatedDevice.builder().build();
    try (DeviceRuntime guarded =
            DeviceRuntime.simulated(other, RuntimeOptions.defaults().withGuardMemory(true));
        DeviceStream stream = guarded.streams().acquire()) {
      LoadedModule loaded = LoadedModule.of(stream, image);
      DeviceArray<float[]> ofIt = loaded.symbol("limit", float[].class);
      ofIt.upload(stream, new float[] {8});
      try (DeviceArray<float[]> out = guarded.memory().allocate(stream, float[].class, 1)) {
        launch(loaded.recorder(CLAMP), out);
        assertThat(out.download(stream)).containsExactly(8f);
      }
    }
  }
}
