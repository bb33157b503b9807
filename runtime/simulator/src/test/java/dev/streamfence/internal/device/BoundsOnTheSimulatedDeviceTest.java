package dev.streamfence.internal.device;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Launches with arrays that are too short for what their kernel certainly touches. */
class BoundsOnTheSimulatedDeviceTest {
  private static final KernelImage IMAGE =
      KernelImage.resource(
          "kernels/vector.ptx", BoundsOnTheSimulatedDeviceTest.class::getResourceAsStream);
  private static final KernelSignature SAXPY =
      KernelSignature.entry("saxpy")
          .value("a", float.class)
          .reads("x", float[].class)
          .readWrites("y", float[].class)
          .threads("n", int.class, 256);
  private static final KernelSignature OVERRUN =
      KernelSignature.entry("overrun").writes("values", int[].class).threads("n", int.class, 256);

  private SimulatedDevice device;
  private DeviceRuntime gpu;
  private DeviceStream stream;

  @BeforeEach
  void open() {
    open(RuntimeOptions.defaults());
  }

  private void open(RuntimeOptions options) {
    device = SimulatedDevice.builder().build();
    gpu = DeviceRuntime.simulated(device, options);
    stream = gpu.streams().acquire();
  }

  @AfterEach
  void close() {
    gpu.close();
  }

  private void saxpy(DeviceArray<float[]> x, DeviceArray<float[]> y, int n) {
    LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(SAXPY);
    try (LaunchRecorder open = recorder.begin()) {
      open.value(2f).array(x).array(y).threads(n).preflight().launch().commit();
    }
  }

  private DeviceArray<float[]> floats(int length) {
    return gpu.memory().upload(stream, new float[length]);
  }

  @Test
  void aLaunchThatReachesBeyondAnArrayIsRefusedWithBothNumbers() {
    try (DeviceArray<float[]> x = floats(100);
        DeviceArray<float[]> y = floats(1000)) {
      long launches = device.calls(DriverCall.LAUNCH_KERNEL);
      assertThatThrownBy(() -> saxpy(x, y, 1000))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith(
              "saxpy: parameter 'x' has 100 elements; the kernel reads element 999 (n = 1000), ");
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isEqualTo(launches);
      // Nothing is half done: the arrays and the recorder go on.
      saxpy(x, y, 100);
      assertThat(y.download(stream)).containsOnly(0f);
    }
  }

  @Test
  void lengthsThatFitExactlyAreLaunchedForEachNumberOfThreads() {
    try (DeviceArray<float[]> x = floats(1000);
        DeviceArray<float[]> y = floats(1000)) {
      for (int n : new int[] {0, 1, 255, 256, 257, 999, 1000, 7, 1000}) {
        assertThatCode(() -> saxpy(x, y, n)).doesNotThrowAnyException();
      }
      assertThatThrownBy(() -> saxpy(x, y, 1001))
          .hasMessageContaining("the kernel reads element 1000 (n = 1001)");
    }
  }

  @Test
  void eachNumberOfALaunchIsComparedWithThatOfTheLaunchBefore() {
    KernelImage image =
        KernelImage.of(
            "sum.ptx",
            """
            .version 7.0
            .target sm_75
            .address_size 64
            .visible .entry at(.param .u64 values, .param .u32 a, .param .u32 b, .param .u32 n)
            {
              .reg .b32 %r<4>;
              .reg .b64 %rd<4>;
              ld.param.u64 %rd1, [values];
              ld.param.u32 %r1, [a];
              ld.param.u32 %r2, [b];
              add.s32 %r3, %r1, %r2;
              mul.wide.s32 %rd2, %r3, 4;
              add.s64 %rd3, %rd1, %rd2;
              st.global.u32 [%rd3], %r3;
              ret;
            }
            """
                .getBytes(US_ASCII));
    LaunchRecorder recorder =
        LoadedModule.of(stream, image)
            .recorder(
                KernelSignature.entry("at")
                    .writes("values", int[].class)
                    .value("a", int.class)
                    .value("b", int.class)
                    .threads("n", int.class, 1));
    try (DeviceArray<int[]> values = gpu.memory().allocate(stream, int[].class, 10)) {
      for (int[] each : new int[][] {{1, 2}, {8, 2}, {1, 2}, {1, 9}, {1, 2}, {-3, 2}}) {
        int element = each[0] + each[1];
        try (LaunchRecorder open = recorder.begin()) {
          open.array(values).value(each[0]).value(each[1]).threads(1);
          if (element >= 0 && element < 10) {
            open.preflight().launch().commit();
          } else {
            assertThatThrownBy(open::preflight)
                .hasMessageContaining("the kernel writes element " + element + " ");
          }
        }
      }
    }
  }

  @Test
  void aPossibleAccessIsRefusedWhereAProofIsRequired() {
    KernelImage image =
        KernelImage.of(
            "maybe.ptx",
            """
            .version 7.0
            .target sm_75
            .address_size 64
            .visible .entry maybe(.param .u64 values, .param .u32 last, .param .u32 n)
            {
              .reg .pred %p<2>;
              .reg .b32 %r<4>;
              .reg .b64 %rd<4>;
              ld.param.u64 %rd1, [values];
              ld.param.u32 %r1, [last];
              ld.global.u32 %r2, [%rd1];
              setp.eq.s32 %p1, %r2, 0;
              @%p1 bra END;
              mul.wide.s32 %rd2, %r1, 4;
              add.s64 %rd3, %rd1, %rd2;
              st.global.u32 [%rd3], %r1;
              END:
              ret;
            }
            """
                .getBytes(US_ASCII));
    KernelSignature signature =
        KernelSignature.entry("maybe")
            .readWrites("values", int[].class)
            .value("last", int.class)
            .threads("n", int.class, 1);
    LoadedModule module = LoadedModule.of(stream, image);
    LaunchRecorder required = module.recorder(signature.boundsRequired());
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[10])) {
      try (LaunchRecorder open = module.recorder(signature).begin()) {
        open.array(values).value(10).threads(1).preflight().launch().commit();
      }
      try (LaunchRecorder open = required.begin()) {
        open.array(values).value(9).threads(1).preflight().launch().commit();
      }
      for (int outside : new int[] {10, -1}) {
        try (LaunchRecorder open = required.begin()) {
          open.array(values).value(outside).threads(1);
          assertThatThrownBy(open::preflight)
              .hasMessageContaining(
                  "may touch element " + outside + ", and the interface requires");
        }
      }
    }
  }

  @Test
  void viewsAndPartsCountWithTheirOwnLength() {
    try (DeviceArray<float[]> x = floats(1000);
        DeviceArray<float[]> y = floats(1000)) {
      saxpy(x.view(500, 500), y, 500);
      assertThatThrownBy(() -> saxpy(x.view(501, 499), y, 500))
          .hasMessageContaining("has 499 elements; the kernel reads element 499");
    }
  }

  @Test
  void anEmptyArrayIsTooShortForAnyElement() {
    try (DeviceArray<float[]> x = floats(0);
        DeviceArray<float[]> y = floats(10)) {
      saxpy(x, y, 0);
      assertThatThrownBy(() -> saxpy(x, y, 1))
          .hasMessageContaining("has 0 elements; the kernel reads element 0");
    }
  }

  @Test
  void aKernelThatWritesOneElementTooManyIsNoticedBeforeItRuns() {
    try (DeviceArray<int[]> values = gpu.memory().upload(stream, new int[300])) {
      LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(OVERRUN);
      assertThatThrownBy(
              () -> {
                try (LaunchRecorder open = recorder.begin()) {
                  open.array(values).threads(300).preflight().launch().commit();
                }
              })
          .hasMessageStartingWith(
              "overrun: parameter 'values' has 300 elements; the kernel writes element 300 (n ="
                  + " 300), ");
    }
  }

  @Test
  void aLaunchThatIsNotProvedIsRefusedWhereAProofIsRequired() {
    KernelSignature required = SAXPY.boundsRequired();
    try (DeviceArray<float[]> x = floats(300);
        DeviceArray<float[]> y = floats(300)) {
      LaunchRecorder recorder = LoadedModule.of(stream, IMAGE).recorder(required);
      for (int n : new int[] {300, 0, 299}) {
        try (LaunchRecorder open = recorder.begin()) {
          open.value(2f).array(x).array(y).threads(n).preflight().launch().commit();
        }
      }
      assertThatThrownBy(
              () -> {
                try (LaunchRecorder open = recorder.begin()) {
                  open.value(2f).array(x).array(y).threads(301).preflight();
                }
              })
          .hasMessageContaining("parameter 'x' has 300 elements; the kernel reads element 300");
    }
  }

  /** Stores to {@code out} at the number that the thread loads from {@code at}. */
  private static final KernelImage SCATTER =
      KernelImage.of(
          "scatter.ptx",
          """
          .version 7.0
          .target sm_75
          .address_size 64
          .visible .entry scatter(.param .u64 at, .param .u64 limit, .param .u64 out, .param .u32 m)
          {
            .reg .b32 %r<4>;
            .reg .b64 %rd<9>;
            ld.param.u64 %rd1, [at];
            ld.param.u64 %rd2, [out];
            mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd3, %r1, 4;
            add.s64 %rd4, %rd1, %rd3;
            ld.global.u32 %r2, [%rd4];
            mul.wide.s32 %rd5, %r2, 4;
            add.s64 %rd6, %rd2, %rd5;
            st.global.u32 [%rd6], %r1;
            ret;
          }
          """
              .getBytes(US_ASCII));

  private static KernelSignature scatter(String limit) {
    return KernelSignature.entry("scatter")
        .reads("at", int[].class)
        .below(limit)
        .reads("limit", long[].class)
        .optional()
        .writes("out", int[].class)
        .value("m", int.class)
        .shape("shape")
        .boundsRequired();
  }

  private void scatter(LaunchRecorder recorder, int length, int m) {
    try (DeviceArray<int[]> at = gpu.memory().upload(stream, new int[] {3, 0, 2, 1});
        DeviceArray<long[]> limit = gpu.memory().allocateZeroed(stream, long[].class, length);
        DeviceArray<int[]> out = gpu.memory().allocateZeroed(stream, int[].class, 8);
        LaunchRecorder open = recorder.begin()) {
      open.array(at).array(limit).array(out).value(m).shape(LaunchShape.of(1, 4));
      open.preflight().launch().commit();
    }
  }

  @Test
  void theLengthThatLimitsLoadedNumbersCountsInEachLaunch() {
    LaunchRecorder recorder = LoadedModule.of(stream, SCATTER).recorder(scatter("limit"));
    for (int length : new int[] {4, 8, 9, 7, 4}) {
      if (length > 8) {
        assertThatThrownBy(() -> scatter(recorder, length, 1))
            .hasMessage(
                "scatter: parameter 'out' has 8 elements; the kernel may touch element 8, and the"
                    + " interface requires a proof that it does not");
      } else {
        scatter(recorder, length, 1);
      }
    }
  }

  @Test
  void theNumberThatLimitsLoadedNumbersCountsInEachLaunch() {
    LaunchRecorder recorder = LoadedModule.of(stream, SCATTER).recorder(scatter("m"));
    scatter(recorder, 1, 8);
    assertThatThrownBy(() -> scatter(recorder, 1, 9)).hasMessageContaining("may touch element 8");
    assertThatThrownBy(() -> scatter(recorder, 1, -1))
        .hasMessageContaining("may touch any element");
    scatter(recorder, 1, 4);
  }

  @Test
  void theLengthOfAnotherFieldOfAStructureLimitsLoadedNumbers() {
    String code =
        new String(SCATTER.bytes(), US_ASCII)
            .replace(
                ".param .u64 at, .param .u64 limit, .param .u64 out, .param .u32 m",
                ".param .u32 m, .param .align 8 .b8 rows[24]")
            .replace("[at]", "[rows]")
            .replace("[out]", "[rows+16]");
    KernelSignature signature =
        KernelSignature.entry("scatter")
            .value("m", int.class)
            .struct(
                KernelSignature.fields("rows")
                    .reads("at", int[].class)
                    .below("limit")
                    .reads("limit", long[].class)
                    .writes("out", int[].class))
            .shape("shape")
            .boundsRequired();
    LaunchRecorder recorder =
        LoadedModule.of(stream, KernelImage.of("rows.ptx", code.getBytes(US_ASCII)))
            .recorder(signature);
    try (DeviceArray<int[]> at = gpu.memory().upload(stream, new int[] {3, 0, 2, 1});
        DeviceArray<long[]> four = gpu.memory().allocateZeroed(stream, long[].class, 4);
        DeviceArray<long[]> five = gpu.memory().allocateZeroed(stream, long[].class, 5);
        DeviceArray<int[]> out = gpu.memory().allocateZeroed(stream, int[].class, 4)) {
      try (LaunchRecorder open = recorder.begin()) {
        open.value(1).struct(this).array(at).array(four).array(out).shape(LaunchShape.of(1, 4));
        open.preflight().launch().commit();
      }
      assertThat(out.download(stream)).containsExactly(1, 3, 2, 0);
      try (LaunchRecorder open = recorder.begin()) {
        open.value(1).struct(this).array(at).array(five).array(out).shape(LaunchShape.of(1, 4));
        assertThatThrownBy(open::preflight)
            .hasMessageContaining(
                "parameter 'rows.out' has 4 elements; the kernel may touch element 4, and");
      }
    }
  }

  @Test
  void aLimitThatNothingHasIsRefusedWhenTheKernelIsLoaded() {
    LoadedModule module = LoadedModule.of(stream, SCATTER);
    assertThatThrownBy(() -> module.recorder(scatter("other")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("parameter 'at' has numbers below 'other', which is neither");
  }

  @Test
  void withoutBoundsChecksTheSimulatedDeviceReportsTheAccess() {
    gpu.close();
    open(RuntimeOptions.defaults().withBoundsChecks(false));
    try (DeviceArray<float[]> x = floats(100);
        DeviceArray<float[]> y = floats(1000)) {
      assertThatThrownBy(
              () -> {
                saxpy(x, y, 1000);
                stream.synchronize();
              })
          .hasMessageContaining("end 4 bytes beyond the nearest allocation");
    }
  }
}
