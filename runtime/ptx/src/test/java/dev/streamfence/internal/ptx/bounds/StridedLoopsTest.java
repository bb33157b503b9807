package dev.streamfence.internal.ptx.bounds;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.races.LaunchSpace;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Loops in strides, which the compiler unrolls and counts by a division: the limit of an array is
 * that of the comparison in the source.
 */
final class StridedLoopsTest {
  private static final List<ArrayPlace> ARRAYS =
      List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0));

  private static PtxModule module(String file) throws IOException {
    try (InputStream in =
        StridedLoopsTest.class.getResourceAsStream(
            "/dev/streamfence/internal/ptx/access/" + file)) {
      return PtxModule.parse(new String(in.readAllBytes(), UTF_8));
    }
  }

  private static KernelBounds bounds(String file, String kernel) throws IOException {
    PtxModule module = module(file);
    return KernelBounds.of(module, entry(module, kernel), ARRAYS);
  }

  private static PtxEntry entry(PtxModule module, String kernel) {
    return module.entry(kernel).orElseThrow();
  }

  /** A launch whose numbers follow the two arrays. */
  private record Launch(KernelBounds bounds, int blocks, int threads, List<Long> numbers)
      implements LaunchNumbers {
    @Override
    public long argument(int argument) {
      int parameter = bounds.launches().arguments().get(argument).parameter();
      return numbers.get(parameter - ARRAYS.size());
    }

    @Override
    public int block(int dimension) {
      return dimension == 0 ? threads : 1;
    }

    @Override
    public int grid(int dimension) {
      return dimension == 0 ? blocks : 1;
    }
  }

  private static void isLimitedTo(Launch launch, long from, long to) {
    BoundsEvaluator evaluator = launch.bounds().launches().evaluator();
    evaluator.limit(launch);
    assertThat(List.of(evaluator.mayEnd(0), evaluator.mayEnd(1)))
        .as("%s blocks of %s, %s", launch.blocks(), launch.threads(), launch.numbers())
        .containsExactly(from, to);
    assertThat(List.of(evaluator.mayBegin(0), evaluator.mayBegin(1))).containsOnly(0L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"longGrid", "intGrid"})
  void aLoopOverTheGridIsLimitedByItsNumberOfElements(String kernel) throws IOException {
    KernelBounds bounds = bounds("strides.ptx", kernel);
    for (int n = 1; n < 300; n += 7) {
      isLimitedTo(new Launch(bounds, 3, 8, List.of((long) n)), 4L * n, 4L * n);
      isLimitedTo(new Launch(bounds, 1, 1, List.of((long) n)), 4L * n, 4L * n);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "longGrid, 9223372036854775807",
    "longGrid, 9223372036854775800",
    "intGrid, 2147483647",
    "intGrid, 2147483640"
  })
  void aLoopWhoseCounterMayWrapAroundHasNoLimit(String kernel, long n) throws IOException {
    Launch launch = new Launch(bounds("strides.ptx", kernel), 3, 8, List.of(n));
    BoundsEvaluator evaluator = launch.bounds().launches().evaluator();
    evaluator.limit(launch);
    assertThat(evaluator.mayEnd(0)).isEqualTo(Long.MAX_VALUE);
    assertThat(evaluator.mayBegin(0)).isEqualTo(Long.MIN_VALUE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"longGrid", "intGrid", "fixedStride", "intSuffix", "longSuffix"})
  void aLoopWithoutIterationsTouchesNothingOfWhatItReads(String kernel) throws IOException {
    for (long n : List.of(0L, -1L, -5000L)) {
      Launch launch = new Launch(bounds("strides.ptx", kernel), 3, 8, List.of(n));
      BoundsEvaluator evaluator = launch.bounds().launches().evaluator();
      evaluator.limit(launch);
      assertThat(evaluator.mayEnd(0)).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 255, 256, 257, 1000, 1024, 1025, 5003})
  void aLoopInAStrideThatTheCodeKnowsIsLimitedByItsNumberOfElements(int n) throws IOException {
    KernelBounds bounds = bounds("strides.ptx", "fixedStride");
    isLimitedTo(new Launch(bounds, 2, 256, List.of((long) n)), 4L * n, 4L * 512);
  }

  @ParameterizedTest
  @ValueSource(strings = {"intSuffix", "longSuffix"})
  void aLoopFromTheThreadsIndexOnIsLimitedByItsNumberOfElements(String kernel) throws IOException {
    KernelBounds bounds = bounds("strides.ptx", kernel);
    for (int n = 1; n < 60; n++) {
      isLimitedTo(new Launch(bounds, 2, 16, List.of((long) n)), 4L * n, 4L * Math.min(n, 32));
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "3, 100", "7, 33", "2, 31"})
  void eachRowIsLimitedByItsNumberOfColumns(long rows, long columns) throws IOException {
    Launch launch = new Launch(bounds("strides.ptx", "rows"), 3, 32, List.of(rows, columns));
    isLimitedTo(launch, 4 * rows * columns, 4 * rows * columns);
  }

  @ParameterizedTest
  @ValueSource(strings = {"places", "unsignedPlaces"})
  void aQuotientAndARemainderOf64BitsAreLimitedByTheDivisor(String kernel) throws IOException {
    KernelBounds bounds = bounds("strides.ptx", kernel);
    isLimitedTo(new Launch(bounds, 2, 32, List.of(50L, 7L)), 4 * 8, 4 * 50);
    isLimitedTo(new Launch(bounds, 2, 32, List.of(50L, 20L)), 4 * 20, 4 * 50);
    isLimitedTo(new Launch(bounds, 2, 32, List.of(1000L, 1L << 30)), 4 * 64, 4 * 64);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "longGrid",
        "intGrid",
        "fixedStride",
        "intSuffix",
        "longSuffix",
        "rows",
        "places",
        "unsignedPlaces"
      })
  void noTwoThreadsShareAnElement(String kernel) throws IOException {
    PtxModule module = module("strides.ptx");
    KernelRaces races =
        KernelRaces.of(module, entry(module, kernel), ARRAYS, List.of(), Map.of(), LaunchSpace.ANY);
    assertThat(races.verdict()).as(races.reason()).isEqualTo(Verdict.PROVED);
  }
}
