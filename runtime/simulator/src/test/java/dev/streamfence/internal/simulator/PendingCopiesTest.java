package dev.streamfence.internal.simulator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RacyAccessException.Finding;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulated device makes an asynchronous copy when its thread waits for it, and no earlier. */
final class PendingCopiesTest {
  private static final int THREADS = 64;

  private static final String HEAD =
      """
      .version 7.8
      .target sm_80
      .address_size 64
      .visible .entry k(.param .u64 in, .param .u64 out)
      {
      .shared .align 16 .b8 tile[1024];
      .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>;
      ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out];
      mov.u32 %r0, %tid.x; mul.wide.u32 %rd3, %r0, 4;
      add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
      shl.b32 %r1, %r0, 2; mov.u32 %r2, tile; add.s32 %r3, %r2, %r1;
      xor.b32 %r4, %r1, 252; add.s32 %r5, %r2, %r4;
      st.shared.u32 [%r3], 7; st.shared.u32 [%r3+256], 7; bar.sync 0;
      """;

  private static final String COPY = "cp.async.ca.shared.global [%r3], [%rd4], 4; ";
  private static final String COPY_BEHIND = "cp.async.ca.shared.global [%r3+256], [%rd4], 4; ";
  private static final String OWN = "ld.shared.u32 %r6, [%r3]; st.global.u32 [%rd5], %r6; ";
  private static final String OTHER = "ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd5], %r6; ";

  private record Outcome(List<Finding> findings, int[] out) {}

  private static Outcome run(String code) {
    return run("", code);
  }

  private static Outcome run(String functions, String code) {
    SimulatedDevice device = SimulatedDevice.builder().instructionsPerLaunch(3_000_000).build();
    device.collectFindings();
    String ptx = HEAD.replace(".visible", functions + ".visible") + code + "\nret; }\n";
    KernelSignature signature =
        KernelSignature.entry("k")
            .readWrites("in", int[].class)
            .readWrites("out", int[].class)
            .shape("shape");
    try (DeviceRuntime gpu =
            DeviceRuntime.simulated(device, RuntimeOptions.defaults().withBoundsChecks(false));
        DeviceStream stream = gpu.streams().acquire();
        DeviceArray<int[]> in =
            gpu.memory().upload(stream, IntStream.range(100, 100 + THREADS).toArray());
        DeviceArray<int[]> out = gpu.memory().allocateZeroed(stream, int[].class, THREADS)) {
      LoadedModule module = LoadedModule.of(stream, KernelImage.of("k.ptx", ptx.getBytes(UTF_8)));
      try (LaunchRecorder recorder = module.recorder(signature).begin()) {
        recorder
            .array(in)
            .array(out)
            .shape(LaunchShape.of(1, THREADS))
            .preflight()
            .launch()
            .commit();
      }
      return new Outcome(device.findings(), out.download(stream));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cp.async.wait_all; | 103",
        "cp.async.commit_group; cp.async.wait_group 0; | 103",
        "cp.async.commit_group; cp.async.commit_group; cp.async.wait_group 1; | 103",
        // The thread does not wait for the group of the copy, or the copy is in none.
        " | 7",
        "cp.async.commit_group; | 7",
        "cp.async.commit_group; cp.async.wait_group 1; | 7",
        "cp.async.wait_group 0; | 7",
        "cp.async.wait_group 0; cp.async.commit_group; | 7",
      })
  void aThreadFindsItsCopyOnceItHasWaitedForIt(String wait, int expected) {
    Outcome outcome = run(COPY + (wait == null ? "" : wait) + OWN);

    assertThat(outcome.out()[3]).isEqualTo(expected);
    assertThat(outcome.findings()).isEmpty();
  }

  @Test
  void groupsAreOverInTheirOrder() {
    String both = COPY + "cp.async.commit_group; " + COPY_BEHIND + "cp.async.commit_group; ";
    String behind = OWN.replace("[%r3]", "[%r3+256]");

    assertThat(run(both + "cp.async.wait_group 1; " + OWN).out()[5]).isEqualTo(105);
    assertThat(run(both + "cp.async.wait_group 1; " + behind).out()[5]).isEqualTo(7);
    assertThat(run(both + "cp.async.wait_group 0; " + behind).out()[5]).isEqualTo(105);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cp.async.wait_all; bar.sync 0; | true",
        "cp.async.commit_group; cp.async.wait_group 0; bar.sync 0; | true",
        // The barrier is missing, or orders other threads with the begin of the copy alone.
        "cp.async.wait_all; | false",
        "bar.sync 0; cp.async.wait_all; | false",
        "cp.async.commit_group; bar.sync 0; | false",
        "cp.async.commit_group; cp.async.wait_group 1; bar.sync 0; | false",
      })
  void anotherThreadRacesWithACopyThatIsNotOver(String order, boolean isOrdered) {
    Outcome outcome = run(COPY + order + OTHER);

    if (isOrdered) {
      assertThat(outcome.findings()).isEmpty();
      assertThat(outcome.out()[0]).isEqualTo(163);
    } else {
      assertThat(outcome.findings())
          .isNotEmpty()
          .allSatisfy(
              finding -> {
                assertThat(finding.kind()).isEqualTo(Kind.THREADS_READ_WRITE);
                // It names the copy, not the wait in which it is made.
                assertThat(finding.toString()).contains("cp.async.ca.shared.global in line");
              });
    }
  }

  @Test
  void aCopyThatBeginsBeforeOthersHaveReadItsPlaceIsARace() {
    String early = "ld.shared.u32 %r6, [%r5]; " + COPY + "bar.sync 0; cp.async.wait_all; ";

    assertThat(run(early + OWN).findings())
        .extracting(Finding::kind)
        .isNotEmpty()
        .containsOnly(Kind.THREADS_READ_WRITE);
    assertThat(run(early.replace(COPY, "bar.sync 0; " + COPY) + OWN).findings()).isEmpty();
  }

  @Test
  void aCopyReadsItsSourceFromItsBeginOn() {
    String others = "cvt.u64.u32 %rd6, %r4; add.s64 %rd7, %rd1, %rd6; st.global.u32 [%rd7], 9; ";

    assertThat(run(COPY + others + "bar.sync 0; cp.async.wait_all; ").findings())
        .extracting(Finding::kind)
        .isNotEmpty()
        .containsOnly(Kind.THREADS_READ_WRITE);
  }

  @Test
  void whatACopyWillStoreIsNotKnownWhenItBegins() {
    String early = "st.shared.u32 [%r5], 1; " + COPY + "bar.sync 0; cp.async.wait_all; ";

    assertThat(run(early).findings())
        .extracting(Finding::kind)
        .isNotEmpty()
        .containsOnly(Kind.THREADS_WRITE_WRITE);
  }

  @Test
  void aCopyTakesWhatItsSourceHasWhenItIsMade() {
    Outcome outcome = run(COPY + "st.global.u32 [%rd4], 9; cp.async.wait_all; " + OWN);

    assertThat(outcome.out()[3]).isEqualTo(9);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bar.sync 0; ", "cp.async.wait_all; "})
  void aCopyThatIsBegunInAFunctionIsOneOfItsInstructions(String next) {
    String function =
        """
        .func copy(.param .b32 to, .param .b64 from)
        { .reg .b32 %r1; .reg .b64 %rd1; ld.param.u32 %r1, [to]; ld.param.u64 %rd1, [from];
        cp.async.ca.shared.global [%r1], [%rd1], 4; ret; }
        """;
    Outcome outcome =
        run(
            function,
            "{ .param .b32 a; .param .b64 b; st.param.b32 [a], %r3; st.param.b64 [b], %rd4;"
                + " call copy, (a, b); } "
                + next
                + OTHER);

    assertThat(outcome.findings())
        .isNotEmpty()
        .allSatisfy(
            finding ->
                assertThat(finding.toString())
                    .contains("cp.async.ca.shared.global", "ld.shared.u32"));
  }

  @Test
  void theOldestCopyOfManyIsMadeWithoutAWait() {
    Outcome outcome =
        run(
            "mov.u32 %r7, 0; L: "
                + COPY
                + "add.s32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 3000; @%p1 bra L; "
                + OWN);

    assertThat(outcome.out()[3]).isEqualTo(103);
  }
}
