package dev.streamfence.assertj;

import static dev.streamfence.assertj.TraceAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
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
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.trace.Trace;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Assertions that a user writes on a trace, and what they say when they fail. */
final class TraceAssertionsTest {
  /** {@code build} writes 1 to the first slot, {@code probe} reads it. */
  private static final String PTX =
      """
      .version 6.3
      .target sm_75
      .address_size 64
      .visible .entry build(.param .u64 slots) {
        .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [slots];
        cvta.to.global.u64 %rd2, %rd1;
        st.global.u32 [%rd2], 1;
        ret;
      }
      .visible .entry probe(.param .u64 slots, .param .u64 found) {
        .reg .b64 %rd<5>;
        .reg .b32 %r<2>;
        ld.param.u64 %rd1, [slots];
        ld.param.u64 %rd2, [found];
        cvta.to.global.u64 %rd3, %rd1;
        cvta.to.global.u64 %rd4, %rd2;
        ld.global.u32 %r1, [%rd3];
        st.global.u32 [%rd4], %r1;
        ret;
      }
      """;

  private static final KernelImage IMAGE =
      KernelImage.of("join.ptx", PTX.getBytes(StandardCharsets.US_ASCII));

  private final Trace trace = Trace.inMemory(100);
  private final DeviceRuntime gpu =
      DeviceRuntime.simulated(
          SimulatedDevice.builder().build(), RuntimeOptions.defaults().withTrace(trace));
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();

  @BeforeEach
  void buildOnOneStreamAndProbeOnAnother() {
    DeviceArray<int[]> slots = gpu.memory().allocate(a, int[].class, 1);
    DeviceArray<int[]> found = gpu.memory().allocate(b, int[].class, 1, "found rows");
    LaunchRecorder build =
        LoadedModule.of(a, IMAGE)
            .recorder(KernelSignature.entry("build").writes("slots", int[].class).shape("shape"));
    try (LaunchRecorder launch = build.begin()) {
      launch.array(slots).shape(LaunchShape.of(1, 1));
      launch.preflight().launch().commit();
    }
    LaunchRecorder probe =
        LoadedModule.of(b, IMAGE)
            .recorder(
                KernelSignature.entry("probe")
                    .reads("slots", int[].class)
                    .writes("found", int[].class)
                    .shape("shape"));
    for (int i = 0; i < 2; i++) {
      try (LaunchRecorder launch = probe.begin()) {
        launch.array(slots).array(found).shape(LaunchShape.of(1, 1));
        launch.preflight().launch().commit();
      }
    }
  }

  @AfterEach
  void close() {
    gpu.close();
  }

  @Test
  void whatHappenedPasses() {
    assertThat(gpu.trace())
        .launch("probe", 1)
        .waitedFor("build")
        .because("slots: written by build, read by probe");
    assertThat(trace).launch("build").waitedForNothing().isOnStream(a.id()).writes("slots");
    assertThat(trace).launch("probe", 2).waitedForNothing().reads("slots").writes("found rows");
    assertThat(trace).launch("probe", 2).cameAfter("build");
    assertThat(trace).launch("build").isIndependentOf("probe");
    assertThat(trace).hasLaunches("probe", 2).hasLaunches("scan", 0);
  }

  @Test
  void workIsNotIndependentOfWhatTheTraceHasForgotten() {
    trace.clear();
    buildOnOneStreamAndProbeOnAnother();
    assertThat(trace).launch("probe", 1).waitedFor("build");
    Trace late = Trace.inMemory(1);
    try (DeviceRuntime runtime =
            DeviceRuntime.simulated(
                SimulatedDevice.builder().build(), RuntimeOptions.defaults().withTrace(late));
        DeviceStream stream = runtime.streams().acquire();
        DeviceArray<int[]> x = runtime.memory().upload(stream, new int[4])) {
      x.download(stream);
      assertThatThrownBy(() -> new WorkAssert(late.works().get(0)).isIndependentOf("build"))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("does not contain all that it comes after");
    }
  }

  @Test
  void aFailureSaysWhatTheWorkComesAfter() {
    assertThatThrownBy(() -> assertThat(trace).launch("probe", 2).waitedFor("build"))
        .isInstanceOf(AssertionError.class)
        .hasMessage(
            "Expecting probe on stream 2 (ticket 3) to wait for build, but it comes after: slots:"
                + " written by build, read by probe (BY_EARLIER_WAIT); found rows: written by"
                + " probe, written by probe (BY_STREAM_ORDER)");
  }

  @Test
  void eachAssertionFailsIfItDoesNotHold() {
    WorkAssert build = assertThat(trace).launch("build");
    WorkAssert probe = assertThat(trace).launch("probe", 1);
    assertThatThrownBy(() -> build.cameAfter("probe")).hasMessageContaining("allocated");
    assertThatThrownBy(() -> build.isOnStream(7)).hasMessageContaining("stream 7");
    assertThatThrownBy(() -> build.reads("slots")).hasMessageContaining("writes slots");
    assertThatThrownBy(() -> build.writes("other")).hasMessageContaining("to write other");
    assertThatThrownBy(() -> probe.writes("slots")).hasMessageContaining("reads slots");
    assertThatThrownBy(probe::waitedForNothing).hasMessageContaining("BY_WAIT");
    assertThatThrownBy(() -> probe.isIndependentOf("build")).hasMessageContaining("independent");
    assertThatThrownBy(() -> probe.waitedFor("build").because("x: read by build"))
        .hasMessageContaining("slots: written by build, read by probe");
    assertThatThrownBy(() -> assertThat(trace).hasNoWaits()).hasMessageContaining("probe");
    assertThatThrownBy(() -> assertThat(trace).hasLaunches("build", 2))
        .hasMessageContaining("2 launches of build, but the trace has 1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"probe", "scan"})
  void aLaunchThatIsNotTheOnlyOneIsRefused(String kernel) {
    assertThatThrownBy(() -> assertThat(trace).launch(kernel))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("one launch of " + kernel)
        .hasMessageContaining("build on stream 1");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void aLaunchWithANumberThatIsNotThereIsRefused(int number) {
    assertThatThrownBy(() -> assertThat(trace).launch("probe", number))
        .hasMessageContaining("launch number " + number + " of probe, but the trace has 2");
  }

  @Test
  void theDescriptionOfAnAssertionIsInItsMessage() {
    assertThatThrownBy(() -> assertThat(trace).as("the join").launch("scan"))
        .hasMessageContaining("[the join]");
    assertThat(trace.works()).isNotEmpty();
  }
}
