package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.graph.KernelGraph;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.jcuda.StandIn;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * What eleven patterns of launches cost, in one table: calls of the driver and bytes of the heap.
 */
final class LaunchPatternsOverStandInTest {
  private static final int ROUNDS = 200;
  private static final int N = 256;

  /**
   * Per round of a pattern: its launches, the events recorded, the waits of streams, other calls of
   * the driver but {@code cuCtxSetCurrent}, and whether anything is allocated on the Java heap. The
   * waits are the fewest: a writer waits for the readers of the round before as well.
   */
  private static final String TABLE =
      """
      pattern                      launches  events  waits  other  heap
      chain                               1       0      0      0  none
      fan-out                             4       4      6      0  none
      fan-in                              3       3      4      0  none
      ping-pong                           2       2      2      0  none
      table that two streams read         2     0.5      0      0  none
      three readers, one writer           4       4      6      0  none
      scratch for each launch             1       0      0      0  some
      one array twice                     1       0      0      0  none
      two views of one array              1       0      0      0  none
      no thread                           0       0      0      0  none
      adopted stream                      1       1      0      1  none
      graph of three launches             0       0      0      1  none
      """;

  /** Four streams, their kernels, and arrays. */
  private static final class Bench implements AutoCloseable {
    final DeviceRuntime gpu = DeviceRuntime.open(0);
    final List<DeviceStream> streams = new ArrayList<>();
    final List<VectorKernels> on = new ArrayList<>();
    final List<DeviceArray<int[]>> x = new ArrayList<>();
    final KernelGraph graph;
    final StreamHandle foreign;
    final DeviceStream adopted;
    final VectorKernels onAdopted;
    final DeviceArray<int[]> head;
    final DeviceArray<int[]> tail;

    Bench(int streamCount) {
      for (int i = 0; i < streamCount; i++) {
        streams.add(gpu.streams().acquire());
        on.add(VectorKernels.on(streams.get(i)));
      }
      for (int i = 0; i < 6; i++) {
        x.add(gpu.memory().allocateZeroed(streams.get(0), int[].class, N));
      }
      graph =
          gpu.graph(
              "three",
              body -> {
                on.get(0).increment(x.get(0), N);
                on.get(0).increment(x.get(1), N);
                on.get(0).add(x.get(0), x.get(1), x.get(2), N);
              });
      // Not of the runtime, as far as that knows.
      foreign = Inside.driver(gpu).createStream(0);
      adopted = gpu.streams().adopt(Inside.driver(gpu).rawHandle(foreign));
      onAdopted = VectorKernels.on(adopted);
      head = x.get(0).view(0, N / 2);
      tail = x.get(0).view(N / 2, N / 2);
    }

    @Override
    public void close() {
      adopted.close();
      Inside.driver(gpu).destroyStream(foreign);
      gpu.close();
    }
  }

  private record Pattern(String name, int streams, Consumer<Bench> round) {}

  private static final List<Pattern> PATTERNS =
      List.of(
          new Pattern("chain", 1, b -> b.on.get(0).increment(b.x.get(0), N)),
          new Pattern(
              "fan-out",
              4,
              b -> {
                b.on.get(0).increment(b.x.get(0), N);
                for (int i = 1; i < 4; i++) {
                  b.on.get(i).add(b.x.get(0), b.x.get(0), b.x.get(i), N);
                }
              }),
          new Pattern(
              "fan-in",
              3,
              b -> {
                b.on.get(1).increment(b.x.get(1), N);
                b.on.get(2).increment(b.x.get(2), N);
                b.on.get(0).add(b.x.get(1), b.x.get(2), b.x.get(3), N);
              }),
          new Pattern(
              "ping-pong",
              2,
              b -> {
                b.on.get(0).increment(b.x.get(0), N);
                b.on.get(1).increment(b.x.get(0), N);
              }),
          new Pattern(
              "table that two streams read",
              2,
              b -> {
                b.on.get(0).add(b.x.get(0), b.x.get(1), b.x.get(2), N);
                b.on.get(1).add(b.x.get(0), b.x.get(1), b.x.get(3), N);
              }),
          new Pattern(
              "three readers, one writer",
              4,
              b -> {
                for (int i = 1; i < 4; i++) {
                  b.on.get(i).add(b.x.get(0), b.x.get(0), b.x.get(i), N);
                }
                b.on.get(0).increment(b.x.get(0), N);
              }),
          new Pattern(
              "scratch for each launch",
              1,
              b -> {
                try (DeviceArray<int[]> scratch =
                    b.gpu.memory().allocate(b.streams.get(0), int[].class, N)) {
                  b.on.get(0).add(b.x.get(0), b.x.get(1), scratch, N);
                }
              }),
          new Pattern(
              "one array twice", 1, b -> b.on.get(0).add(b.x.get(0), b.x.get(0), b.x.get(1), N)),
          new Pattern(
              "two views of one array", 1, b -> b.on.get(0).add(b.head, b.tail, b.x.get(1), N / 2)),
          new Pattern("no thread", 1, b -> b.on.get(0).increment(b.x.get(0), 0)),
          new Pattern("adopted stream", 1, b -> b.onAdopted.increment(b.x.get(0), N)),
          new Pattern("graph of three launches", 1, b -> b.graph.launch(b.streams.get(0))));

  @Test
  void everyPatternCostsWhatTheTableSays() {
    StandIn.loaded();
    StringBuilder table = new StringBuilder();
    table.append("pattern                      launches  events  waits  other  heap\n");
    for (Pattern pattern : PATTERNS) {
      try (Bench bench = new Bench(pattern.streams())) {
        table.append(row(pattern, bench));
      }
    }
    assertThat(table.toString()).isEqualTo(TABLE);
  }

  private static String row(Pattern pattern, Bench bench) {
    Runnable rounds =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            pattern.round().accept(bench);
          }
        };
    long bytes = AllocatedBytes.leastOfFiveRounds(rounds);
    Map<DriverCall, Long> before = counts(bench);
    rounds.run();
    Map<DriverCall, Long> after = counts(bench);
    long other = 0;
    for (DriverCall call : DriverCall.values()) {
      switch (call) {
        case LAUNCH_KERNEL, RECORD_EVENT, WAIT_FOR_EVENT, MAKE_CURRENT -> {}
        default -> other += after.get(call) - before.get(call);
      }
    }
    return String.format(
        "%-28s %8s %7s %6s %6s  %s\n",
        pattern.name(),
        perRound(after.get(DriverCall.LAUNCH_KERNEL) - before.get(DriverCall.LAUNCH_KERNEL)),
        perRound(after.get(DriverCall.RECORD_EVENT) - before.get(DriverCall.RECORD_EVENT)),
        perRound(after.get(DriverCall.WAIT_FOR_EVENT) - before.get(DriverCall.WAIT_FOR_EVENT)),
        perRound(other),
        bytes == 0 ? "none" : "some");
  }

  private static String perRound(long count) {
    return count % ROUNDS == 0 ? "" + count / ROUNDS : "" + count / (double) ROUNDS;
  }

  private static Map<DriverCall, Long> counts(Bench bench) {
    CudaDriver driver = Inside.driver(bench.gpu);
    Map<DriverCall, Long> counts = new EnumMap<>(DriverCall.class);
    for (DriverCall call : DriverCall.values()) {
      counts.put(call, driver.calls().of(call));
    }
    return counts;
  }
}
