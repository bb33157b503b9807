package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.streamfence.internal.ptx.bounds.IndexBounds.Launch;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Indexes that a loop carries from one iteration to the next, other than those that count. */
final class CarriedIndexesTest {
  /** A loop around {@code %r1}, which begins with the first number of the launch. */
  private static final String LOOP =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry loop(.param .u64 x, .param .u32 n, .param .u32 m)
      {
        .reg .pred %%p<4>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;
        ld.param.u64 %%rd1, [x];
        ld.param.u32 %%r1, [n];
        ld.param.u32 %%r2, [m];
        mov.u32 %%r3, 0;
      LOOP:
        %s
        mul.wide.s32 %%rd2, %%r1, 4;
        add.s64 %%rd3, %%rd1, %%rd2;
        st.global.u32 [%%rd3], 7;
        %s
        add.s32 %%r3, %%r3, 1;
        bra LOOP;
      END:
        ret;
      }
      """;

  private static String touched(String before, String after, String numbers) {
    String ptx = String.format(LOOP, before, after);
    return IndexBounds.of(ptx, "loop", 1, Map.of())
        .touched(0, Launch.of("1x1 lengths 1 numbers " + numbers));
  }

  @ParameterizedTest
  @CsvSource({
    "lowerEnd, 100 77, 0..400",
    "lowerEnd, 1 77, 0..4",
    "find, 100 77, 0..400",
    "upperBound, 100 77, 0..800"
  })
  void aBinarySearchStaysBetweenItsEnds(String kernel, String numbers, String expected) {
    Launch launch = Launch.of("1x128 lengths 1 1 1 numbers " + numbers);
    for (IndexBounds bounds : IndexBounds.compiled(kernel, 3, Map.of())) {
      assertThat(bounds.isLimited(0)).isTrue();
      assertThat(bounds.touched(0, launch)).isEqualTo(expected);
    }
  }

  @Test
  void theSumOfTheEndsOfASearchThatWrapsAroundProvesNothing() {
    Launch launch = Launch.of("1x128 lengths 1 1 1 numbers 2000000000 77");
    for (IndexBounds bounds : IndexBounds.compiled("lowerEnd", 3, Map.of())) {
      assertThat(bounds.touched(0, launch)).isNotEqualTo("0..8000000000");
    }
    for (IndexBounds bounds : IndexBounds.compiled("find", 3, Map.of())) {
      assertThat(bounds.touched(0, launch)).isEqualTo("0..8000000000");
    }
  }

  @ParameterizedTest
  @CsvSource({"halved, 4..204", "doubled, 0..400", "climb, 0..400"})
  void aValueThatIsMultipliedOrDividedStaysBelowItsEnd(String kernel, String expected) {
    Launch launch = Launch.of("1x64 lengths 1 numbers 100");
    for (IndexBounds bounds : IndexBounds.compiled(kernel, 1, Map.of())) {
      assertThat(bounds.touched(0, launch)).isEqualTo(expected);
    }
  }

  @Test
  void aValueThatNothingEndsIsUnknown() {
    for (IndexBounds bounds : IndexBounds.compiled("tripled", 1, Map.of())) {
      assertThat(bounds.isLimited(0)).isFalse();
    }
  }

  @Test
  void twoIndexesThatGrowInTurnsHaveLimitsOfTheirOwn() {
    Launch launch = Launch.of("1x1 lengths 10 20 1 numbers 10 20");
    for (IndexBounds bounds : IndexBounds.compiled("merge", 3, Map.of())) {
      assertThat(List.of(bounds.touched(0, launch), bounds.touched(1, launch)))
          .containsExactly("0..40", "0..80");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "shr.u32 %r1 %r1 1;, 100 0, 0..404",
    "min.s32 %r1 %r2 %r3;, 7 5, -8589934592..32",
    "max.s32 %r1 %r1 %r2;, 7 5, 20..32",
    "and.b32 %r1 %r3 15;, 100 0, 0..404",
    "and.b32 %r1 %r3 15;, 3 0, 0..64",
    "rem.u32 %r1 %r3 %r2;, 3 9, 0..36"
  })
  void whatAnIterationMakesOfAnyValueLimitsTheNextOne(
      String after, String numbers, String expected) {
    String code =
        after.replace(" %", ", %").replaceFirst(", ", " ").replaceAll(" (\\d+);", ", $1;");
    assertThat(touched("", code, numbers)).isEqualTo(expected);
  }

  @Test
  void aBranchOutOfTheLoopLimitsTheNextValue() {
    String end = "setp.ge.s32 %p1, %r1, %r2; @%p1 bra END;";
    String begin = "setp.lt.s32 %p2, %r1, 0; @%p2 bra END;";
    assertThat(touched(end + begin, "mad.lo.s32 %r1, %r1, 3, 1;", "5 100")).isEqualTo("4..400");
    assertThat(touched(begin, "mad.lo.s32 %r1, %r1, 3, 1;", "5 100")).isEqualTo("any");
  }

  @ParameterizedTest
  @ValueSource(strings = {"sub.s32 %r1, %r2, %r1;", "xor.b32 %r1, %r1, %r2;", "neg.s32 %r1, %r1;"})
  void aValueThatJumpsIsNotLimitedByItsFirstOne(String after) {
    assertThat(touched("", after, "3 1000")).isNotEqualTo("0..16");
  }

  @Test
  void aComparisonWithoutASignLimitsNoValueThatMayBeNegative() {
    String untilBelow = LOOP.replace("bra LOOP;", "@%%p1 bra LOOP;");
    String end = "setp.gt.s32 %p2, %r1, 100; @%p2 bra END;";
    String next = "mad.lo.s32 %r1, %r1, 2, -300; setp.gt.%s32 %p1, %r1, %r2;";
    Launch launch = Launch.of("1x1 lengths 1 numbers 100 5");
    for (String sign : List.of("u", "s")) {
      String ptx = String.format(untilBelow, end, next.replace("%s32", sign + "32"));
      assertThat(IndexBounds.of(ptx, "loop", 1, Map.of()).touched(0, launch))
          .as(sign)
          .isEqualTo(sign.equals("s") ? "24..404" : "-8589934592..404");
    }
  }

  @ParameterizedTest
  @CsvSource({"61, 2", "60, 3", "62, 3", "61, 4"})
  void aMultipleThatIsTooLargeForTheProofProvesNothing(int halved, int scaled) {
    String ptx =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry shift(.param .u64 x, .param .u32 n)
        {
          .reg .pred %%p<4>; .reg .b64 %%rd<9>;
          ld.param.u64 %%rd1, [x];
          ld.param.s32 %%rd2, [n];
        LOOP:
          shr.u64 %%rd3, %%rd2, %d;
          shl.b64 %%rd4, %%rd3, %d;
          add.s64 %%rd5, %%rd1, %%rd4;
          st.global.u32 [%%rd5], 5;
          shr.u64 %%rd2, %%rd2, 1;
          setp.gt.s64 %%p1, %%rd2, 0;
          @%%p1 bra LOOP;
          ret;
        }
        """;
    IndexBounds bounds = IndexBounds.of(String.format(ptx, halved, scaled), "shift", 1, Map.of());
    assertThat(bounds.touched(0, Launch.of("1x1 lengths 1 numbers 1000"))).isEqualTo("0..4");
  }

  @Test
  void whereTheProofIsTooLongTheGuardsOfTheAccessAreEnough() {
    StringBuilder next = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      next.append("setp.lt.s32 %p1, %r1, ").append(i).append("; mad.lo.s32 %r5, %r1, 3, %r3;");
      next.append(" xor.b32 %r6, %r5, %r1; selp.b32 %r1, %r6, %r5, %p1; ");
    }
    String guard =
        "setp.lt.s32 %p2, %r1, 0; @%p2 bra END; setp.ge.s32 %p3, %r1, %r2; @%p3 bra END;";
    assertThat(touched(guard, next.toString(), "5 100")).isEqualTo("0..400");
  }

  @Test
  void aValueOfManyChoicesAndPredicatesOfManyAreFollowedInTime() {
    StringBuilder choices = new StringBuilder();
    for (int i = 0; i < 3_000; i++) {
      choices.append("setp.eq.s32 %p1, %r3, ").append(i).append("; selp.b32 %r1, %r1, ");
      choices.append(i).append(", %p1; ");
    }
    StringBuilder predicates =
        new StringBuilder("setp.lt.s32 %p1, %r1, 7; setp.lt.s32 %p2, %r2, 7; ");
    for (int i = 0; i < 30; i++) {
      predicates.append("and.pred %p3, %p1, %p2; and.pred %p1, %p3, %p1; ");
    }
    predicates.append("@%p1 bra END; ").append("max.s32 %r4, %r1, %r3; ".repeat(50));
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> {
          assertThat(touched("", choices.toString(), "5 100")).isEqualTo("any");
          assertThat(touched(predicates.toString(), "min.s32 %r1, %r4, %r2;", "5 100"))
              .endsWith("..404");
        });
  }
}
