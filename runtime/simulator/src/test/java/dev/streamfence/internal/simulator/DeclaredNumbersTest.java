package dev.streamfence.internal.simulator;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RacyAccessException;
import dev.streamfence.RacyAccessException.Kind;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.simulation.SimulatedDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The simulated device checks what a launch declares of the numbers in an array. */
final class DeclaredNumbersTest {
  /** Stores {@code i} to {@code out[to[i]]}. */
  private static final String SCATTER =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry scatter(.param .u64 to, .param .u64 out, .param .u32 n)
      {
        .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
        ld.param.u64 %rd1, [to];
        ld.param.u64 %rd2, [out];
        ld.param.u32 %r1, [n];
        mov.u32 %r2, %ctaid.x;
        mov.u32 %r3, %ntid.x;
        mov.u32 %r4, %tid.x;
        mad.lo.s32 %r5, %r2, %r3, %r4;
        setp.ge.s32 %p1, %r5, %r1;
        @%p1 ret;
        mul.wide.s32 %rd3, %r5, 4;
        add.s64 %rd4, %rd1, %rd3;
        ld.global.u32 %r6, [%rd4];
        mul.wide.s32 %rd5, %r6, 4;
        add.s64 %rd6, %rd2, %rd5;
        st.global.u32 [%rd6], 7;
        ret;
      }
      """;

  private static final KernelSignature ANY =
      KernelSignature.entry("scatter").reads("to", int[].class);

  private final SimulatedDevice device = SimulatedDevice.builder().build();

  /** Scatters through the first {@code n} of some numbers; returns what it stored to. */
  private int[] scatter(KernelSignature first, int n, int... numbers) {
    return scatter(SCATTER, first, n, numbers);
  }

  private int[] scatter(String code, KernelSignature first, int n, int... numbers) {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      LaunchRecorder scatter =
          LoadedModule.of(stream, KernelImage.of("scatter.ptx", code.getBytes(US_ASCII)))
              .recorder(first.writes("out", int[].class).threads("n", int.class, 32));
      try (DeviceArray<int[]> to = gpu.memory().upload(stream, numbers);
          DeviceArray<int[]> out = gpu.memory().allocateZeroed(stream, int[].class, 8)) {
        try (LaunchRecorder recorder = scatter.begin()) {
          recorder.array(to).array(out).threads(n).preflight().launch().commit();
        }
        return out.download(stream);
      }
    }
  }

  @Test
  void numbersThatAreDistinctMayBeDeclaredSo() {
    assertThat(scatter(ANY.distinct(), 4, 6, 0, 3, 1)).containsExactly(7, 7, 0, 7, 0, 0, 7, 0);
  }

  @Test
  void onlyWhatALaunchLoadsHasToBeDistinct() {
    assertThat(scatter(ANY.distinct(), 3, 6, 0, 3, 3, 0)).containsExactly(7, 0, 0, 7, 0, 0, 7, 0);
  }

  @Test
  void equalNumbersNeedNoDeclaration() {
    assertThat(scatter(ANY, 4, 5, 0, 5, 1)).containsExactly(7, 7, 0, 0, 0, 7, 0, 0);
  }

  @Test
  void equalNumbersThatAreDeclaredToBeDistinctAreFound() {
    RacyAccessException found =
        catchThrowableOfType(
            RacyAccessException.class, () -> scatter(ANY.distinct(), 5, 4, 0, 5, 1, 5));
    assertThat(found.kind()).isEqualTo(Kind.EQUAL_NUMBERS);
    assertThat(found.second().parameter()).isEqualTo("to");
    assertThat(found.second().site()).startsWith("ld.global.u32 in line 18");
    assertThat(found.finding().bytes()).isEqualTo(4);
    assertThat(found.finding().address() % 32).isEqualTo(16);
    assertThat(found)
        .hasMessageStartingWith("scatter on stream 1")
        .hasMessageContaining(
            "loads 4 bytes at 0x"
                + Long.toHexString(found.finding().address())
                + ", a number that it has loaded from another place too, and declares the numbers"
                + " to be distinct");
  }

  @Test
  void numbersWithinTheirLimitsMayBeDeclaredSo() {
    assertThat(scatter(ANY.below("out"), 3, 7, 0, 3)).containsExactly(7, 0, 0, 7, 0, 0, 0, 7);
    assertThat(scatter(ANY.below("out").atMost("n"), 3, 3, 0, 2))
        .containsExactly(7, 0, 7, 7, 0, 0, 0, 0);
    assertThat(scatter(ANY.below("to"), 3, 2, 0, 1)).containsExactly(7, 7, 7, 0, 0, 0, 0, 0);
    assertThat(scatter(ANY.below("to"), 2, 3, 0, 9, -1)).containsExactly(7, 0, 0, 7, 0, 0, 0, 0);
  }

  @ParameterizedTest
  @CsvSource({"to, 3, false", "to, 4, true", "n, 3, false", "n, 4, true"})
  void aNumberBeyondItsLimitIsFound(String limit, int number, boolean isAtMost) {
    KernelSignature declared = isAtMost ? ANY.atMost(limit) : ANY.below(limit);
    RacyAccessException found =
        catchThrowableOfType(RacyAccessException.class, () -> scatter(declared, 3, 0, number, 1));
    assertThat(found.kind()).isEqualTo(Kind.UNDECLARED_NUMBER);
    assertThat(found.second().parameter()).isEqualTo("to");
    assertThat(found.second().site()).startsWith("ld.global.u32 in line 18");
    assertThat(found.finding().bytes()).isEqualTo(4);
    assertThat(found.finding().address() % 32).isEqualTo(4);
    assertThat(found)
        .hasMessageContaining(
            "loads 4 bytes at 0x"
                + Long.toHexString(found.finding().address())
                + ", a number outside of the range that it declares; ")
        .hasMessageContaining(
            " (" + number + ", declared from 0 to " + (isAtMost ? number - 1 : 2) + ") [");
  }

  @Test
  void aNegativeNumberIsBeyondEachLimit() {
    String code = SCATTER.replace("mul.wide.s32 %rd5, %r6, 4;", "mul.wide.s32 %rd5, 0, 4;");
    RacyAccessException found =
        catchThrowableOfType(
            RacyAccessException.class, () -> scatter(code, ANY.atMost("n"), 1, -1));
    assertThat(found.kind()).isEqualTo(Kind.UNDECLARED_NUMBER);
    assertThat(found.finding().address() % 32).isZero();
  }

  @Test
  void aNumberBelowTheLeastOneIsFound() {
    String code = SCATTER.replace("mul.wide.s32 %rd5, %r6, 4;", "mul.wide.s32 %rd5, 0, 4;");
    assertThat(scatter(code, ANY.below("out").least(-1), 2, -1, 7)).hasSize(8);
    RacyAccessException found =
        catchThrowableOfType(
            RacyAccessException.class, () -> scatter(code, ANY.below("out").least(-1), 2, 7, -2));
    assertThat(found.kind()).isEqualTo(Kind.UNDECLARED_NUMBER);
    assertThat(found.finding().address() % 32).isEqualTo(4);
  }

  /** Scatters numbers in a graph, which is launched once. */
  private void scatterInAGraph(KernelSignature first, int... numbers) {
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
      DeviceStream stream = gpu.streams().acquire();
      LaunchRecorder scatter =
          LoadedModule.of(stream, KernelImage.of("scatter.ptx", SCATTER.getBytes(US_ASCII)))
              .recorder(first.writes("out", int[].class).threads("n", int.class, 32));
      DeviceArray<int[]> to = gpu.memory().upload(stream, numbers);
      DeviceArray<int[]> out = gpu.memory().allocateZeroed(stream, int[].class, 8);
      KernelGraph graph =
          gpu.graph(
              "scatter",
              body -> {
                try (LaunchRecorder recorder = scatter.begin()) {
                  recorder.array(to).array(out).threads(numbers.length).preflight().launch();
                  recorder.commit();
                }
              });
      graph.launch(stream);
      assertThat(out.download(stream)[1]).isEqualTo(7);
    }
  }

  @Test
  void inAGraphALengthLimitsNumbersAndANumberThatCanBeChangedDoesNot() {
    scatterInAGraph(ANY.below("n"), 7, 1);
    RacyAccessException found =
        catchThrowableOfType(
            RacyAccessException.class, () -> scatterInAGraph(ANY.below("to"), 7, 1));
    assertThat(found.kind()).isEqualTo(Kind.UNDECLARED_NUMBER);
  }
}
