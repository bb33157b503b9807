package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.corpus.Effort;
import dev.streamfence.graph.GraphBody;
import dev.streamfence.graph.GraphCode;
import dev.streamfence.graph.GraphStatistics;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.GraphCondition;
import dev.streamfence.internal.driver.GraphNode;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.driver.LaunchObserver;
import dev.streamfence.internal.driver.Sink;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random programs as graphs under the race checker. A failure says the seed that gives it again.
 */
@Tag("search")
final class GraphProgramsTest {
  private static final int N = 32;
  private static final int STREAMS = 3;
  private static final int STEPS = 30;
  private static final int SEEDS = Effort.of(15, 150);

  /** The answers of a program, and what its graph looked like. */
  private record Outcome(List<String> arrays, GraphStatistics statistics) {}

  /** One program: the same calls, run at once or recorded. */
  private static final class Program {
    private final long seed;

    /** How often each loop runs at least. */
    private final int leastPasses;

    private final DeviceRuntime gpu;
    private final List<DeviceStream> streams = new ArrayList<>();
    private final List<VectorKernels> kernels = new ArrayList<>();
    private final List<DeviceArray<int[]>> arrays = new ArrayList<>();

    /** Those of conditions, a few for each depth. */
    private final List<DeviceArray<int[]>> numbers = new ArrayList<>();

    Program(long seed, int leastPasses, DeviceRuntime gpu) {
      this.leastPasses = leastPasses;
      this.seed = seed;
      this.gpu = gpu;
      for (int i = 0; i < STREAMS; i++) {
        DeviceStream stream = gpu.streams().acquire();
        streams.add(stream);
        kernels.add(VectorKernels.inSmallBlocksOn(stream));
      }
      for (int i = 0; i < 3 + seed % 4; i++) {
        arrays.add(gpu.memory().upload(streams.get(0), IntStream.range(i, i + N).toArray()));
      }
      for (int i = 0; i < 4; i++) {
        numbers.add(gpu.memory().allocateZeroed(streams.get(0), int[].class, 1));
      }
    }

    void steps(@Nullable GraphBody body) {
      steps(new Random(seed), STEPS, body);
    }

    /**
     * Runs steps.
     *
     * @param body the graph; null without one, where the host decides about loops
     */
    private void steps(Random random, int count, @Nullable GraphBody body) {
      for (int step = 0; step < count; step++) {
        int lane = random.nextInt(STREAMS);
        DeviceStream stream = streams.get(lane);
        DeviceArray<int[]> one = any(random);
        DeviceArray<int[]> other = any(random);
        switch (random.nextInt(count < 3 ? 6 : 7)) {
          case 0 -> kernels.get(lane).increment(one, N);
          case 1, 2 -> kernels.get(lane).add(one, other, any(random), N);
          case 3 -> one.view(N / 2, N / 2).fill(stream, step);
          case 4 -> {
            try (DeviceArray<int[]> copy = one.copy(stream)) {
              kernels.get(lane).add(copy, other, one, N);
            }
          }
          case 6 -> {
            DeviceArray<int[]> number = numbers.get(random.nextInt(numbers.size()));
            number.fill(stream, -random.nextInt(leastPasses, 4));
            condition(random, kernels.get(lane), number, count / 3, body);
          }
          default -> {
            if (one != other) {
              one.copyFrom(stream, other);
            }
          }
        }
      }
    }

    /** Repeats a few steps until the number is 0, or leaves them out if it is. */
    private void condition(
        Random random,
        VectorKernels on,
        DeviceArray<int[]> number,
        int count,
        @Nullable GraphBody body) {
      boolean isLoop = random.nextBoolean();
      long inner = random.nextLong();
      GraphCode<RuntimeException> code =
          part -> {
            DeviceArray<int[]> own = numbers.remove(numbers.indexOf(number));
            steps(new Random(inner), count, part);
            numbers.add(own);
            on.increment(number, 1);
          };
      if (body == null) {
        while (number.download(streams.get(0))[0] != 0) {
          code.record(null);
          if (!isLoop) {
            return;
          }
        }
      } else if (isLoop) {
        body.whileNonZero(number, code);
      } else {
        body.ifNonZero(number, code);
      }
    }

    private DeviceArray<int[]> any(Random random) {
      return arrays.get(random.nextInt(arrays.size()));
    }

    Outcome runRecorded(int times) {
      try (KernelGraph graph = gpu.graph("program " + seed, this::steps)) {
        for (int run = 0; run < times; run++) {
          graph.launch(streams.get(run % STREAMS));
          kernels.get(0).increment(arrays.get(0), N);
        }
        return answers(graph.statistics());
      }
    }

    Outcome runAtOnce(int times) {
      for (int run = 0; run < times; run++) {
        steps(null);
        kernels.get(0).increment(arrays.get(0), N);
      }
      return answers(new GraphStatistics(0, 0, 0, 0, 0, 0, 0));
    }

    private Outcome answers(GraphStatistics statistics) {
      return new Outcome(
          arrays.stream().map(array -> Arrays.toString(array.download(streams.get(1)))).toList(),
          statistics);
    }
  }

  private static SimulatedDevice device(Schedule schedule, long seed) {
    SimulatedDevice device =
        SimulatedDevice.builder()
            .schedule(schedule)
            .seed(seed)
            .checkUninitializedReads(true)
            .build();
    device.collectFindings();
    return device;
  }

  @ParameterizedTest
  @EnumSource
  void aGraphGivesTheAnswersOfTheSameCallsWithoutOne(Schedule schedule) {
    for (long seed = 0; seed < SEEDS; seed++) {
      SimulatedDevice device = device(schedule, seed);
      Outcome recorded;
      try (DeviceRuntime gpu = DeviceRuntime.simulated(device)) {
        recorded = new Program(seed, 0, gpu).runRecorded(3);
      }
      assertThat(device.findings()).as("seed %s, %s", seed, schedule).isEmpty();
      assertThat(device.liveObjects()).isZero();
      try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
        Outcome atOnce = new Program(seed, 0, gpu).runAtOnce(3);
        assertThat(recorded.arrays()).as("seed %s, %s", seed, schedule).isEqualTo(atOnce.arrays());
      }
    }
  }

  /** Every edge is needed, and the race checker says so whatever the order of execution was. */
  @Test
  void everyMissingEdgeIsFound() {
    int planted = 0;
    int implied = 0;
    for (long seed = 0; seed < Math.max(2, SEEDS / 10); seed++) {
      GraphStatistics whole;
      try (DeviceRuntime gpu = DeviceRuntime.simulated()) {
        whole = new Program(seed, 1, gpu).runRecorded(1).statistics();
      }
      implied += whole.impliedEdges();
      for (int edge = 0; edge < whole.edges(); edge++) {
        int missing = edge;
        SimulatedDevice device = device(Schedule.values()[edge % Schedule.values().length], edge);
        CudaDriver driver =
            InterceptedDriver.of(
                Inside.open(device),
                (method, call) -> {
                  if (method.equals("createGraph")) {
                    call.replace(0, without(new int[] {missing}, (List<?>) call.argument(0)));
                  }
                  return call.proceed();
                });
        try (DeviceRuntime gpu = RuntimeOverDriver.open(driver, RuntimeOptions.defaults())) {
          new Program(seed, 1, gpu).runRecorded(1);
        }
        assertThat(device.findings()).as("seed %s without edge %s", seed, edge).isNotEmpty();
        planted++;
      }
    }
    System.out.printf(
        "graphs: %d missing edges planted, all found; %d edges were implied%n", planted, implied);
    assertThat(planted).isGreaterThan(50);
  }

  /**
   * The nodes without the n-th edge of all.
   *
   * @param edge the n, in an array; less the edges of these nodes afterwards
   */
  private static List<GraphNode> without(int[] edge, List<?> nodes) {
    List<GraphNode> all = new ArrayList<>();
    for (Object each : nodes) {
      GraphNode node = (GraphNode) each;
      int at = edge[0];
      int[] after = node.after();
      edge[0] -= after.length;
      int[] kept =
          IntStream.range(0, after.length).filter(i -> i != at).map(i -> after[i]).toArray();
      GraphCondition condition = node.condition();
      all.add(
          new Changed(
              node,
              kept,
              condition == null
                  ? null
                  : new GraphCondition(
                      condition.isLoop(), condition.address(), without(edge, condition.nodes()))));
    }
    return all;
  }

  private record Changed(GraphNode node, int[] after, @Nullable GraphCondition condition)
      implements GraphNode {
    @Override
    public void put(Sink sink, StreamHandle stream) {
      node.put(sink, stream);
    }

    @Override
    public String purpose() {
      return node.purpose();
    }

    @Override
    public List<LaunchObserver.Use> uses() {
      return node.uses();
    }
  }
}
