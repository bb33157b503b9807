package dev.streamfence.examples.e09_kernels_at_run_time;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.KernelLoadException;
import dev.streamfence.examples.e09_kernels_at_run_time.Condition.And;
import dev.streamfence.examples.e09_kernels_at_run_time.Condition.AtLeast;
import dev.streamfence.examples.e09_kernels_at_run_time.Condition.MultipleOf;
import dev.streamfence.examples.e09_kernels_at_run_time.Condition.Not;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConditionCounterTest {
  /** The condition of which the test resources have the PTX. */
  private static final Condition ODD_FROM_50 = new And(new AtLeast(50), new Not(new MultipleOf(2)));

  private static final int[] NUMBERS = IntStream.rangeClosed(-300, 300).toArray();

  /** In place of NVRTC: knows one source, whose PTX lies beside it. */
  private static byte[] compile(String source, String architecture) {
    assertThat(read("count_if.cu")).endsWith(source);
    assertThat(architecture).isEqualTo("compute_90");
    return read("count_if.ptx").getBytes(UTF_8);
  }

  private static String read(String name) {
    try (InputStream file = ConditionCounterTest.class.getResourceAsStream("/kernels/" + name)) {
      return new String(file.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int count(DeviceRuntime device, CudaCompiler compiler, Condition condition) {
    try (DeviceStream stream = device.streams().acquire();
        ConditionCounter counter = new ConditionCounter(stream, compiler, condition);
        DeviceArray<int[]> values = device.memory().upload(stream, NUMBERS)) {
      int first = counter.count(values);
      assertThat(counter.count(values)).isEqualTo(first);
      return first;
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void countsOnEverySchedule(Schedule schedule) {
    SimulatedDevice simulated =
        SimulatedDevice.builder().schedule(schedule).checkUninitializedReads(true).build();
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated)) {
      assertThat(count(device, ConditionCounterTest::compile, ODD_FROM_50)).isEqualTo(125);
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
    assertThat(simulated.findings()).isEmpty();
  }

  @Test
  void ptxThatContradictsTheSignatureIsRefused() {
    String ptx = read("count_if.ptx").replace(".param .u64 count_if_param_0,", "");
    try (DeviceRuntime device = DeviceRuntime.simulated();
        DeviceStream stream = device.streams().acquire()) {
      CudaCompiler compiler = (source, architecture) -> ptx.getBytes(UTF_8);
      assertThatThrownBy(() -> new ConditionCounter(stream, compiler, ODD_FROM_50))
          .isInstanceOf(KernelLoadException.class)
          .hasMessageContaining("count_if");
    }
  }

  @Test
  void conditionsAreWrittenAsCuda() {
    assertThat(ODD_FROM_50.toCuda()).isEqualTo("(x >= (50)) && (!(x % (2) == 0))");
    assertThat(new AtLeast(Integer.MIN_VALUE).toCuda()).isEqualTo("x >= (-2147483647 - 1)");
    assertThatThrownBy(() -> new MultipleOf(0)).hasMessage("no number is a multiple of 0");
  }

  @Test
  void aMachineWithoutTheLibraryIsToldWhatIsMissing() {
    assertThatThrownBy(() -> Nvrtc.installed(List.of("libnvrtc.so.1", "libnvrtc.so.2")))
        .hasMessage("no NVRTC is installed: looked for libnvrtc.so.1, libnvrtc.so.2");
  }

  @Test
  @Tag("gpu")
  void nvrtcCompilesConditionsForTheGpu() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    Nvrtc nvrtc = Nvrtc.installed();
    try (DeviceRuntime gpu = DeviceRuntime.open(0)) {
      assertThat(count(gpu, nvrtc, ODD_FROM_50)).isEqualTo(125);
      assertThat(count(gpu, nvrtc, new AtLeast(Integer.MIN_VALUE))).isEqualTo(NUMBERS.length);
      assertThat(count(gpu, nvrtc, new MultipleOf(-7))).isEqualTo(85);
    }
    assertThatThrownBy(() -> nvrtc.compile("no such type;", "compute_90"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("kernel.cu(1)");
  }
}
