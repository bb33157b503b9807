package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.graph.GraphStatistics;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class QueryGraphTest {
  private static final TpchData DATA = TpchGeneratorTest.generate(0.001, 1);

  private static final List<Answers> EXPECTED =
      Constants.SETS.stream().map(set -> new JavaOracle().answersOver(DATA, set)).toList();

  @ParameterizedTest
  @EnumSource
  void answersAreThoseOfPlainJavaForAllConstants(Schedule schedule) {
    SimulatedDevice device = SimulatedDevice.builder().schedule(schedule).seed(7).build();
    try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
        DeviceStream stream = gpu.streams().acquire();
        DeviceTables tables = DeviceTables.upload(stream, DATA);
        QueryGraph<Q6Answer> q6 = Q6Query.graph(stream, tables, 3);
        QueryGraph<Q12Answer> q12 = Q12Query.graph(stream, tables)) {
      assertThat(q6.runAll(Constants.SETS)).isEqualTo(EXPECTED.stream().map(Answers::q6).toList());
      assertThat(q12.runAll(Constants.SETS))
          .isEqualTo(EXPECTED.stream().map(Answers::q12).toList());
      // The graphs hold the arrays of their last runs.
      long held = bytesOutstanding(gpu);
      assertThat(new Answers(q6.run(Constants.PUBLISHED), q12.run(Constants.PUBLISHED)))
          .isEqualTo(EXPECTED.get(0));
      assertThat(bytesOutstanding(gpu)).isEqualTo(held);
      assertThat(device.calls(DriverCall.LAUNCH_KERNEL)).isZero();
      assertThat(device.calls(DriverCall.LAUNCH_GRAPH)).isEqualTo(2 * Constants.SETS.size() + 2);
    }
  }

  private static long bytesOutstanding(DeviceRuntime gpu) {
    gpu.synchronize();
    gpu.memory().reap();
    return gpu.memory().bytesOutstanding();
  }

  @Test
  void constantsDifferInTheirAnswersAndTheLastSelectNothing() {
    assertThat(EXPECTED).doesNotHaveDuplicates().hasSizeGreaterThan(3);
    assertThat(EXPECTED).last().isEqualTo(new Answers(new Q6Answer(0), new Q12Answer(0, 0, 0, 0)));
  }

  @Test
  void slicesOfQ6ShareNothingAndTheProbeOfQ12WaitsForTheBuild() {
    try (DeviceRuntime gpu = DeviceRuntime.simulated();
        DeviceStream stream = gpu.streams().acquire();
        DeviceTables tables = DeviceTables.upload(stream, DATA);
        QueryGraph<Q6Answer> q6 = Q6Query.graph(stream, tables, 3);
        QueryGraph<Q12Answer> q12 = Q12Query.graph(stream, tables)) {
      assertThat(q6.statistics()).isEqualTo(new GraphStatistics(6, 3, 0, 0, 0, 0, 0));
      assertThat(q12.statistics()).isEqualTo(new GraphStatistics(4, 3, 0, 0, 0, 0, 0));
    }
  }
}
