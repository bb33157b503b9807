package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.graph.GraphBody;
import dev.streamfence.graph.GraphCode;
import dev.streamfence.graph.KernelGraph;
import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Arrays that the code of a graph closes: which of them share bytes. */
final class GraphScratchTest extends GraphsOnTwoStreams {
  /** A chain of copies, of which each closes what it was made of. */
  private void chain(int copies) {
    DeviceArray<int[]> last = x;
    for (int i = 0; i < copies; i++) {
      DeviceArray<int[]> next = last.copy(i % 2 == 0 ? a : b);
      onA.increment(next, N);
      if (last != x) {
        last.close();
      }
      last = next;
    }
    x.copyFrom(b, last);
    last.close();
  }

  @Test
  void arraysThatAreClosedInItsCodeShareBytesWhereTheirUsesAreOrdered() {
    long before = live(gpu);
    KernelGraph graph = gpu.graph("chain", body -> chain(10));
    long bytes = N * (long) Integer.BYTES;
    assertThat(live(gpu) - before).isEqualTo(2 * bytes);
    assertThat(graph.statistics().sharedBytes()).isEqualTo(8 * bytes);
    assertThat(graph.statistics().edges()).isEqualTo(graph.statistics().nodes() - 1);
    graph.launch(a);
    graph.launch(b);
    assertThat(x.download(a)).containsOnly(20);
    graph.close();
    assertThat(live(gpu)).isEqualTo(before);
  }

  @Test
  void aSmallArrayThatIsUsedBeforeALargeOneSharesItsBytes() {
    DeviceArray<int[]> wide = gpu.memory().allocateZeroed(a, int[].class, 2 * N);
    KernelGraph graph =
        gpu.graph(
            "small",
            body -> {
              try (DeviceArray<int[]> small = x.copy(a)) {
                onA.increment(small, N);
                x.copyFrom(a, small);
              }
              onA.add(x, x, wide, N);
              try (DeviceArray<int[]> large = wide.copy(a)) {
                onA.increment(large, 2 * N);
                wide.copyFrom(a, large);
              }
            });
    assertThat(graph.statistics().sharedBytes()).isEqualTo(N * (long) Integer.BYTES);
    graph.launch(a);
    assertThat(x.download(b)).containsOnly(1);
    assertThat(wide.download(b)).startsWith(3, 3).endsWith(1, 1);
  }

  /** In a loop, a later pass finds there what an earlier one has left. */
  @Test
  void bytesThatAKernelOfAConditionWritesFirstAreSharedUnlessItIsALoop() {
    assertThat(sharedIn((body, code) -> body.ifNonZero(y, code)))
        .isEqualTo(N * (long) Integer.BYTES);
    assertThat(sharedIn((body, code) -> body.whileNonZero(y, code))).isZero();
  }

  private long sharedIn(BiConsumer<GraphBody, GraphCode<RuntimeException>> condition) {
    return gpu.graph(
            "conditional",
            body ->
                condition.accept(
                    body,
                    part -> {
                      try (DeviceArray<int[]> fresh = part.scratch(a, int[].class, N)) {
                        onA.add(x, x, fresh, N);
                        x.copyFrom(a, fresh);
                      }
                      try (DeviceArray<int[]> other = x.copy(a)) {
                        onA.increment(other, N);
                        x.copyFrom(a, other);
                      }
                      onA.increment(y, N);
                    }))
        .statistics()
        .sharedBytes();
  }

  @Test
  void arraysThatAreUsedSideBySideKeepTheirBytes() {
    KernelGraph graph =
        gpu.graph(
            "apart",
            body -> {
              try (DeviceArray<int[]> one = x.copy(a);
                  DeviceArray<int[]> other = y.copy(b)) {
                onA.increment(one, N);
                onB.increment(other, N);
                onA.add(one, other, sum, N);
              }
              try (DeviceArray<int[]> later = x.copy(a)) {
                y.copyFrom(b, later);
              }
            });
    // The last one is not ordered with the first ones before their copies.
    assertThat(graph.statistics().sharedBytes()).isZero();
    graph.launch(a);
    assertThat(sum.download(b)).containsOnly(2);
  }

  @Test
  void arraysThatAreClosedInALoopShareBytesWithinAPass() {
    KernelGraph graph =
        gpu.graph(
            "passes",
            body -> {
              try (DeviceArray<int[]> before = x.copy(a)) {
                sum.copyFrom(b, before);
              }
              body.whileNonZero(
                  y,
                  pass -> {
                    chain(3);
                    onB.add(x, sum, sum, N);
                    onA.increment(y, N);
                  });
            });
    // In a pass two of three remain, of which one is that from before the loop.
    assertThat(graph.statistics().sharedBytes()).isEqualTo(2L * N * Integer.BYTES);
    y.fill(a, -2);
    graph.launch(b);
    assertThat(x.download(a)).containsOnly(6);
    assertThat(sum.download(a)).containsOnly(9);
  }

  @Test
  void bytesThatCarryAValueToTheNextPassAreNotShared() {
    KernelGraph graph =
        gpu.graph(
            "carried",
            body -> {
              try (DeviceArray<int[]> carried = x.copy(a)) {
                body.whileNonZero(
                    y,
                    pass -> {
                      try (DeviceArray<int[]> copy = carried.copy(b)) {
                        onA.increment(carried, N);
                        sum.copyFrom(b, copy);
                      }
                      onA.increment(y, N);
                    });
                x.copyFrom(a, carried);
              }
            });
    assertThat(graph.statistics().sharedBytes()).isZero();
    y.fill(a, -3);
    graph.launch(a);
    assertThat(x.download(b)).containsOnly(3);
    assertThat(sum.download(b)).containsOnly(2);
  }

  /** What is from before the loop remains where no pass writes it. */
  @Test
  void bytesThatAFillOfAPassWritesInPartAreNotShared() {
    keepAcrossPasses("fill", kept -> kept.fill(b, 0, 1, 5));
    assertThat(sum.download(a)).startsWith(5, 7).endsWith(7);
  }

  @Test
  void bytesThatAKernelOfAPassWritesInPartAreNotShared() {
    keepAcrossPasses("kernel", kept -> onB.add(y, y, kept, 1));
    // Twice the number before the last pass.
    assertThat(sum.download(a)).startsWith(-2, 7).endsWith(7);
  }

  /** An array of sevens that each of three passes writes and reads, beside one of the pass. */
  private void keepAcrossPasses(String name, Consumer<DeviceArray<int[]>> write) {
    KernelGraph graph =
        gpu.graph(
            name,
            body -> {
              DeviceArray<int[]> kept = body.scratch(a, int[].class, N);
              kept.fill(a, 7);
              body.whileNonZero(
                  y,
                  pass -> {
                    write.accept(kept);
                    sum.copyFrom(b, kept);
                    try (DeviceArray<int[]> ofPass = sum.copy(a)) {
                      onA.increment(ofPass, N);
                      x.copyFrom(a, ofPass);
                    }
                    onA.increment(y, N);
                  });
              kept.close();
            });
    y.fill(a, -3);
    graph.launch(a);
    assertThat(graph.statistics().sharedBytes()).isZero();
  }

  /** The loop as a whole comes after one and before the other. */
  @Test
  void bytesThatLastThroughALoopAreSharedAroundIt() {
    KernelGraph graph =
        gpu.graph(
            "around",
            body -> {
              chain(1);
              try (DeviceArray<int[]> kept = x.copy(a)) {
                body.whileNonZero(
                    y,
                    pass -> {
                      kept.fill(b, 0, 1, 5);
                      onA.increment(y, N);
                    });
                x.copyFrom(a, kept);
              }
              chain(1);
            });
    assertThat(graph.statistics().sharedBytes()).isEqualTo(2L * N * Integer.BYTES);
    y.fill(a, -3);
    graph.launch(a);
    assertThat(x.download(b)).startsWith(6, 2).endsWith(2);
  }

  /** What was there before remains where a run does not write it. */
  @Test
  void arraysThatARunWritesInPartAreNotShared() {
    int[] before = IntStream.range(0, N).toArray();
    DeviceArray<int[]> table = gpu.memory().upload(a, before);
    KernelGraph graph =
        gpu.graph(
            "partly",
            body -> {
              table.fill(a, 0, 1, 42);
              y.copyFrom(a, table);
              table.close();
              try (DeviceArray<int[]> later = y.copy(a)) {
                onA.increment(later, N);
                sum.copyFrom(a, later);
              }
            });
    graph.launch(a);
    graph.launch(b);
    before[0] = 42;
    assertThat(y.download(a)).containsExactly(before);
    assertThat(graph.statistics().sharedBytes()).isZero();
  }

  @Test
  void arraysThatPassesWriteTogetherAreNotShared() {
    DeviceArray<int[]> isFirst = gpu.memory().upload(a, new int[] {1});
    DeviceArray<int[]> counter = gpu.memory().allocateZeroed(a, int[].class, 1);
    KernelGraph graph =
        gpu.graph(
            "history",
            body -> {
              DeviceArray<int[]> history = body.scratch(a, int[].class, N);
              body.whileNonZero(
                  counter,
                  pass -> {
                    history.fill(a, 0, 1, 7);
                    pass.ifNonZero(isFirst, then -> history.fill(a, 1, N - 1, 5));
                    isFirst.fill(a, 0);
                    y.copyFrom(a, history);
                    try (DeviceArray<int[]> later = y.copy(a)) {
                      onA.increment(later, N);
                      sum.copyFrom(a, later);
                    }
                    onA.increment(counter, 1);
                  });
              history.close();
            });
    counter.fill(a, -2);
    graph.launch(a);
    int[] expected = new int[N];
    Arrays.fill(expected, 5);
    expected[0] = 7;
    assertThat(y.download(a)).containsExactly(expected);
  }

  /** A kernel may leave some of an array as it was. */
  @Test
  void arraysWithContentThatAKernelWritesFirstAreNotShared() {
    DeviceArray<int[]> table = gpu.memory().upload(a, new int[N]);
    KernelGraph graph =
        gpu.graph(
            "kernel",
            body -> {
              onA.add(x, x, table, N);
              y.copyFrom(a, table);
              table.close();
              try (DeviceArray<int[]> later = body.scratch(a, int[].class, N)) {
                onA.add(y, y, later, N);
                sum.copyFrom(a, later);
              }
            });
    graph.launch(a);
    assertThat(graph.statistics().sharedBytes()).isZero();
    KernelGraph fresh =
        gpu.graph(
            "fresh",
            body -> {
              for (int i = 0; i < 3; i++) {
                try (DeviceArray<int[]> each = body.scratch(a, int[].class, N)) {
                  onA.add(y, y, each, N);
                  y.copyFrom(a, each);
                }
              }
            });
    assertThat(fresh.statistics().sharedBytes()).isEqualTo(2L * N * Integer.BYTES);
    fresh.launch(b);
    assertThat(y.download(a)).containsOnly(0);
  }

  /** Each place is a chain that is searched, instead of compared with all. */
  @Test
  void thousandsOfArraysFindTheirPlaces() {
    KernelGraph graph = gpu.graph("long", body -> chain(4000));
    assertThat(graph.statistics().sharedBytes()).isEqualTo(3998L * N * Integer.BYTES);
  }
}
