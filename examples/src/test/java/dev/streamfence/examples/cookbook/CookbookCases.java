package dev.streamfence.examples.cookbook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.graph.KernelGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every recipe against plain Java, at the lengths that its blocks and its recursion make special.
 */
abstract class CookbookCases {
  private static final int NONE = Integer.MIN_VALUE;

  /** Runs the case on each device of the class, and verifies that everything is closed. */
  abstract void onEachDevice(Consumer<DeviceRuntime> operation);

  /** The largest length. */
  abstract int most();

  Stream<Integer> lengths() {
    return Stream.of(0, 1, 2, 255, 256, 257, 1000, 256 * 256 - 1, 256 * 256, most())
        .filter(length -> length <= most());
  }

  private static int[] numbers(int length, int from, int to) {
    return new Random(length).ints(length, from, to).toArray();
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void prefixSumsAreThoseOfJava(int length) {
    int[] values = numbers(length, -1000, 1000);
    int[] expected = new int[length + 1];
    for (int i = 0; i < length; i++) {
      expected[i + 1] = expected[i] + values[i];
    }
    onEachDevice(
        device -> {
          try (DeviceStream stream = device.streams().acquire();
              DeviceArray<int[]> input = device.memory().upload(stream, values);
              DeviceArray<int[]> sums = PrefixSums.of(stream, input)) {
            assertThat(sums.download(stream)).isEqualTo(expected);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void prefixSumsCanBeRecordedAsAGraph(int length) {
    int[] values = numbers(length, -1000, 1000);
    onEachDevice(
        device -> {
          try (DeviceStream stream = device.streams().acquire();
              DeviceArray<int[]> input = device.memory().upload(stream, new int[length])) {
            List<DeviceArray<int[]>> sums = new ArrayList<>();
            KernelGraph scan = device.graph("sums", body -> sums.add(PrefixSums.of(stream, input)));
            scan.launch(stream);
            assertThat(sums.get(0).download(stream)).containsOnly(0);
            input.upload(stream, values);
            scan.launch(stream);
            try (DeviceArray<int[]> expected = PrefixSums.of(stream, input)) {
              assertThat(sums.get(0).download(stream)).isEqualTo(expected.download(stream));
            }
            scan.close();
            sums.get(0).close();
          }
        });
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void filterKeepsTheOrder(int length) {
    int[] values = numbers(length, 0, 100);
    onEachDevice(
        device -> {
          for (int least : new int[] {0, 70, 100}) {
            try (DeviceStream stream = device.streams().acquire();
                DeviceArray<int[]> input = device.memory().upload(stream, values);
                DeviceArray<int[]> kept = Filter.atLeast(stream, input, least)) {
              assertThat(kept.download(stream))
                  .isEqualTo(Arrays.stream(values).filter(value -> value >= least).toArray());
            }
          }
        });
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void joinFindsEveryPairOnce(int length) {
    int[] build = numbers(length, 0, Math.max(length / 2, 1));
    int[] probe = numbers(length / 2 + 3, -3, Math.max(length / 2, 1));
    Map<Integer, List<Integer>> rowsByKey =
        IntStream.range(0, length).boxed().collect(Collectors.groupingBy(row -> build[row]));
    long[] expected =
        IntStream.range(0, probe.length)
            .boxed()
            .flatMap(
                row ->
                    rowsByKey.getOrDefault(probe[row], List.of()).stream()
                        .map(partner -> pair(row, partner)))
            .mapToLong(pair -> pair)
            .toArray();
    onEachDevice(
        device -> {
          try (DeviceStream builder = device.streams().acquire();
              DeviceStream prober = device.streams().acquire();
              DeviceArray<int[]> buildKeys = device.memory().upload(builder, build);
              DeviceArray<int[]> probeKeys = device.memory().upload(prober, probe);
              HashJoin join = new HashJoin(builder, buildKeys);
              HashJoin.Pairs pairs = join.probe(prober, probeKeys)) {
            int[] probeRows = pairs.probeRows().download(prober);
            int[] buildRows = pairs.buildRows().download(prober);
            assertThat(probeRows).isSorted();
            assertThat(
                    IntStream.range(0, probeRows.length)
                        .mapToLong(i -> pair(probeRows[i], buildRows[i]))
                        .sorted()
                        .toArray())
                .isEqualTo(expected);
          }
        });
  }

  /** Pairs in the order of their rows on the probe side, then on the build side. */
  private static long pair(int probeRow, int buildRow) {
    return (long) probeRow << 32 | buildRow;
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void groupsHaveTheSumsOfTheirKeys(int length) {
    int[] keys = numbers(length, -50, 50);
    int[] values = numbers(length, Integer.MIN_VALUE, Integer.MAX_VALUE);
    if (length > 2) {
      keys[0] = Integer.MIN_VALUE;
      keys[1] = Integer.MAX_VALUE;
    }
    Map<Integer, Long> expected = new HashMap<>();
    for (int i = 0; i < length; i++) {
      expected.merge(keys[i], (long) values[i], Long::sum);
    }
    onEachDevice(
        device -> {
          try (DeviceStream stream = device.streams().acquire();
              DeviceArray<int[]> keyArray = device.memory().upload(stream, keys);
              DeviceArray<int[]> valueArray = device.memory().upload(stream, values)) {
            assertThat(GroupBy.sums(stream, keyArray, valueArray)).isEqualTo(expected);
          }
        });
  }

  @Test
  void groupsOfKeysWithoutValuesAreRefused() {
    onEachDevice(
        device -> {
          try (DeviceStream stream = device.streams().acquire();
              DeviceArray<int[]> keys = device.memory().upload(stream, new int[3]);
              DeviceArray<int[]> values = device.memory().upload(stream, new int[2])) {
            assertThatThrownBy(() -> GroupBy.sums(stream, keys, values))
                .hasMessage("3 keys do not fit 2 values");
          }
        });
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void topKHasTheLargestOfAll(int length) {
    verifyTop(numbers(length, Integer.MIN_VALUE, Integer.MAX_VALUE));
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void topKHasAsManyOfEqualValuesAsFit(int length) {
    verifyTop(numbers(length, -2, 2));
  }

  @Test
  void topKOfExtremes() {
    verifyTop(new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE, 0, -1, Integer.MIN_VALUE});
  }

  private void verifyTop(int[] values) {
    List<Integer> descending =
        Arrays.stream(values).boxed().sorted(Collections.reverseOrder()).toList();
    onEachDevice(
        device -> {
          try (DeviceStream stream = device.streams().acquire();
              DeviceArray<int[]> input = device.memory().upload(stream, values)) {
            for (int k : new int[] {0, 1, 10, values.length, Integer.MAX_VALUE}) {
              List<TopK.Entry> top = TopK.of(stream, input, k);
              assertThat(top.stream().map(TopK.Entry::value))
                  .isEqualTo(descending.subList(0, Math.min(k, values.length)));
              assertThat(top.stream().map(TopK.Entry::row)).doesNotHaveDuplicates();
              assertThat(top)
                  .allSatisfy(entry -> assertThat(values[entry.row()]).isEqualTo(entry.value()));
            }
            assertThatThrownBy(() -> TopK.of(stream, input, NONE))
                .isInstanceOf(IllegalArgumentException.class);
          }
        });
  }
}
