package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.bounds.IndexBounds.Launch;
import dev.streamfence.internal.ptx.symbolic.NumberLimits;
import dev.streamfence.internal.ptx.symbolic.NumberLimits.ArrayLength;
import dev.streamfence.internal.ptx.symbolic.NumberLimits.Limit;
import dev.streamfence.internal.ptx.symbolic.NumberLimits.PassedNumber;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Indexes that a kernel loads from an array whose numbers are declared to have a limit. */
final class LoadedIndexesTest {
  /** Stores to {@code out} at the number that it loads in some way from {@code at}. */
  private static final String STORE =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry store(.param .u64 at, .param .u64 out)
      {
        .reg .pred %%p<2>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;
        ld.param.u64 %%rd1, [at];
        ld.param.u64 %%rd2, [out];
        %s
        mul.wide.s32 %%rd3, %%r1, 4;
        add.s64 %%rd4, %%rd2, %%rd3;
        st.global.u32 [%%rd4], 7;
        ret;
      }
      """;

  private static Map<Integer, NumberLimits> below(int array, int bytes, int of) {
    return Map.of(array, numbers(bytes, 0, new ArrayLength(of, true)));
  }

  private static Map<Integer, NumberLimits> atMost(int array, int bytes, int of) {
    return Map.of(array, numbers(bytes, 0, new ArrayLength(of, false)));
  }

  private static NumberLimits numbers(int bytes, long least, Limit... limits) {
    return new NumberLimits(bytes, least, List.of(limits));
  }

  private static void assertTouched(
      String kernel,
      int arrays,
      Map<Integer, NumberLimits> limits,
      int array,
      String launch,
      String expected) {
    for (IndexBounds bounds : IndexBounds.compiled(kernel, arrays, limits)) {
      assertThat(bounds.isLimited(array)).as(kernel).isTrue();
      assertThat(bounds.touched(array, Launch.of(launch))).as(kernel).isEqualTo(expected);
    }
    for (IndexBounds bounds : IndexBounds.compiled(kernel, arrays, Map.of())) {
      assertThat(bounds.touched(array, Launch.of(launch))).as(kernel).isNotEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "gatherAt, 4, 0..200",
    "gatherNext, 4, 4..204",
    "lookup, 1, 0..200",
    "gatherFour, 4, 0..200"
  })
  void loadedIndexesAreBelowTheLengthThatLimitsThem(String kernel, int bytes, String expected) {
    String launch = "1x256 lengths 1000 50 250 numbers 250";
    assertTouched(kernel, 3, below(0, bytes, 1), 1, launch, expected);
  }

  @Test
  void aNumberOfTheLaunchLimitsIndexesOfRows() {
    Map<Integer, NumberLimits> limits =
        Map.of(0, numbers(4, 0, new PassedNumber(new NumberPlace(4, 0, 4), true)));
    String launch = "100x64 lengths 100 640 3200 numbers 32 20";
    assertTouched("embedding", 3, limits, 1, launch, "0..2560");
  }

  @Test
  void aNumberThatAnEarlierKernelHasCountedEndsALoop() {
    assertTouched("countedBefore", 2, atMost(0, 4, 1), 1, "4x128 lengths 1 60", "0..240");
  }

  @ParameterizedTest
  @CsvSource({"sparseRows, 4", "unsignedRows, 4", "longRows, 8"})
  void rowsEndWhereTheNextOneBegins(String kernel, int bytes) {
    String launch = "1x128 lengths 101 500 100 numbers 100";
    assertTouched(kernel, 3, atMost(0, bytes, 1), 1, launch, "0..2000");
  }

  /** The guards of the unrolled loop are too long a formula, and nothing depends on them. */
  @Test
  void aLimitedIndexNeedsNoGuardOfItsPlace() {
    String launch = "1x128 lengths 5 500 80 4 numbers 4";
    assertTouched("warpRows", 4, below(1, 4, 2), 2, launch, "0..320");
  }

  @Test
  void theEndOfARowMayBeLoadedAgainInEachIteration() {
    Map<Integer, NumberLimits> limits =
        Map.of(
            0, numbers(4, 0, new ArrayLength(1, false)),
            1, numbers(4, 0, new ArrayLength(2, true)));
    String launch = "1x128 lengths 101 500 100 1 numbers 100";
    assertTouched("neighbours", 4, limits, 1, launch, "0..2000");
  }

  @Test
  void eachOfSeveralLimitsEndsALoop() {
    Limit values = new ArrayLength(1, false);
    Limit number = new PassedNumber(new NumberPlace(4, 0, 4), false);
    String launch = "1x128 lengths 101 500 100 1 numbers 100";
    for (NumberLimits both :
        List.of(numbers(4, 0, values, number), numbers(4, 0, number, values))) {
      Map<Integer, NumberLimits> limits =
          Map.of(0, both, 1, numbers(4, 0, new ArrayLength(2, true)));
      assertTouched("neighbours", 4, limits, 1, launch, "0..400");
      assertTouched("neighbours", 4, limits, 1, launch.replace("101 500", "101 50"), "0..200");
    }
  }

  @Test
  void aListLeadsToItsOwnElements() {
    String launch = "1x128 lengths 300 300 100 numbers 100";
    assertTouched("follow", 3, below(0, 4, 0), 1, launch, "0..1200");
  }

  @Test
  void aRowIsSearchedWithinItsEnds() {
    String launch = "1x128 lengths 101 500 100 numbers 7 100";
    assertTouched("findInRow", 3, atMost(0, 4, 1), 1, launch, "0..2000");
  }

  @Test
  void allLimitsOfAnArrayHold() {
    NumberLimits both = numbers(4, 0, new ArrayLength(1, true), new ArrayLength(2, false));
    for (String lengths : List.of("1000 50 30", "1000 31 40")) {
      assertTouched(
          "gatherAt",
          3,
          Map.of(0, both),
          1,
          "4x256 lengths " + lengths + " numbers 1000",
          "0..124");
    }
  }

  @Test
  void ofAnEmptyArrayNoElementIsKnownToBeTouched() {
    String launch = "4x256 lengths 1000 0 1000 numbers 1000";
    for (IndexBounds bounds : IndexBounds.compiled("gatherAt", 3, below(0, 4, 1))) {
      assertThat(bounds.touched(1, Launch.of(launch))).isEqualTo("any");
    }
  }

  @Test
  void anArrayOfUnknownLengthLimitsNoMoreThanTheTypeDoes() {
    String launch = "4x256 lengths 1000 9223372036854775807 1000 numbers 1000";
    for (IndexBounds bounds : IndexBounds.compiled("gatherAt", 3, below(0, 4, 1))) {
      assertThat(bounds.touched(1, Launch.of(launch))).isEqualTo("0..8589934592");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ld.global.u32 %r1, [%rd1];",
        "ld.global.u32 %r1, [%rd1+8];",
        "ld.global.b32 %r1, [%rd1];",
        "ldu.global.u32 %r1, [%rd1];",
        "ld.global.v2.u32 {%r2, %r1}, [%rd1];"
      })
  void whatIsLoadedWholeIsLimited(String load) {
    IndexBounds bounds = IndexBounds.of(String.format(STORE, load), "store", 2, below(0, 4, 1));
    assertThat(bounds.touched(1, Launch.of("1x32 lengths 9 50"))).isEqualTo("0..200");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ld.global.u16 %r1, [%rd1];",
        "ld.global.s8 %r1, [%rd1];",
        "ld.global.u64 %rd5, [%rd1]; cvt.u32.u64 %r1, %rd5;",
        "ld.global.u32 %r1, [%rd2];",
        "atom.global.add.u32 %r1, [%rd1], 1;",
        "ld.global.u32 %r2, [%rd1]; shl.b32 %r1, %r2, 1;",
        "ld.global.u32 %r2, [%rd1]; neg.s32 %r1, %r2;"
      })
  void whatIsComputedOrLoadedInAnotherWidthIsNotLimitedByItself(String load) {
    IndexBounds bounds = IndexBounds.of(String.format(STORE, load), "store", 2, below(0, 4, 1));
    assertThat(bounds.touched(1, Launch.of("1x32 lengths 9 50"))).isNotEqualTo("0..200");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "st.global.u32 [%rd1], -5; ld.global.u32 %r1, [%rd1];",
        "atom.global.add.u32 %r2, [%rd1], -5; ld.global.u32 %r1, [%rd1];",
        "sub.s64 %rd5, %rd2, %rd1; add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r1, [%rd6];",
        "sub.s64 %rd5, %rd2, %rd1; setp.eq.s64 %p1, %rd5, 4; selp.b64 %rd6, %rd5, 0, %p1;"
            + " add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r1, [%rd7];"
      })
  void whatAKernelMayStoreOrLoadElsewhereHasNoLimit(String load) {
    String clamped = load + " max.s32 %r1, %r1, -5; min.s32 %r1, %r1, 100;";
    IndexBounds bounds = IndexBounds.of(String.format(STORE, clamped), "store", 2, below(0, 4, 1));
    assertThat(bounds.touched(1, Launch.of("1x32 lengths 9 50"))).isNotEqualTo("0..200");
    assertThat(bounds.touched(1, Launch.of("1x32 lengths 9 500"))).isNotEqualTo("0..404");
  }

  @Test
  void aNumberInAProductIsNotReplacedByItsLimit() {
    // With 0, the first element is stored to, whatever the number of the launch is.
    String code =
        "ld.global.u32 %r2, [%rd1]; mul.lo.s32 %r3, %r2, 113; setp.gt.s32 %p1, %r3, %r2;"
            + " mov.u32 %r1, 1; @%p1 ret;";
    String product =
        code.replace("%r2, 113", "%r2, %r4").replace("ld.", "mov.u32 %r4, %ntid.x; ld.");
    for (String each : List.of(code, product)) {
      IndexBounds bounds = IndexBounds.of(String.format(STORE, each), "store", 2, below(0, 4, 1));
      assertThat(bounds.touched(1, Launch.of("1x113 lengths 9 63"))).isEqualTo("4..8");
    }
  }

  @Test
  void aNumberForNoneIsLeftToTheComparisonInTheCode() {
    String load = "ld.global.u32 %r1, [%rd1]; ";
    String compared = load + "setp.lt.s32 %p1, %r1, 0; @%p1 ret;";
    Map<Integer, NumberLimits> limits = Map.of(0, numbers(4, -1, new ArrayLength(1, true)));
    Launch launch = Launch.of("1x32 lengths 9 50");
    assertThat(
            IndexBounds.of(String.format(STORE, compared), "store", 2, limits).touched(1, launch))
        .isEqualTo("0..200");
    assertThat(IndexBounds.of(String.format(STORE, load), "store", 2, limits).touched(1, launch))
        .isEqualTo("-4..200");
    // Read without a sign, -1 is the largest number, also of bytes.
    Map<Integer, NumberLimits> bytes = Map.of(0, numbers(1, -1, new ArrayLength(1, true)));
    String byteLoad = load.replace("u32", "u8");
    assertThat(IndexBounds.of(String.format(STORE, byteLoad), "store", 2, bytes).touched(1, launch))
        .isEqualTo("0..1024");
    assertThat(
            IndexBounds.of(String.format(STORE, byteLoad.replace("u8", "s8")), "store", 2, bytes)
                .touched(1, launch))
        .isEqualTo("-4..200");
    String unsigned = STORE.replace("mul.wide.s32", "mul.wide.u32");
    assertThat(IndexBounds.of(String.format(unsigned, load), "store", 2, limits).touched(1, launch))
        .isNotEqualTo("-4..200")
        .isNotEqualTo("0..200");
  }
}
