package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.LINES;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.STORE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
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

/**
 * Proofs that need what is declared of loaded numbers: each thread counts in a row of its own, in
 * the column that it loads from the second array. Registers are as in {@link KernelRacesTest}.
 */
final class LimitedNumbersTest {
  private static final String LOADED =
      "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r16, [%rd7]; ";
  private static final String COUNTED = "mad.lo.s32 %r20, %r4, %r5, %r16; " + at("%r20") + STORE;
  private static final Limit BELOW_N = new PassedNumber(new NumberPlace(2, 0, 4), true);

  private static Verdict verdict(String code, long least, Limit... limits) {
    NumberLimits numbers = new NumberLimits(4, least, List.of(limits));
    return KernelRacesTest.of(code, Map.of(), Map.of(1, numbers), LINES).verdict();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "below the length of a row | 2 | true | 0 | true",
        "below it, and above 0 | 2 | true | 3 | true",
        "at most the length of a row | 2 | false | 0 | false",
        "below another number | 3 | true | 0 | false",
        "from -1 on | 2 | true | -1 | false",
      })
  void aColumnWithinTheRowOfTheThreadIsNoOtherThreads(
      String what, int parameter, boolean isBelow, long least, boolean isProved) {
    Limit limit = new PassedNumber(new NumberPlace(parameter, 0, 4), isBelow);

    assertThat(verdict(LOADED + COUNTED, least, limit) == Verdict.PROVED)
        .as(what)
        .isEqualTo(isProved);
  }

  @Test
  void oneOfSeveralLimitsIsEnough() {
    Limit other = new PassedNumber(new NumberPlace(3, 0, 4), false);

    assertThat(verdict(LOADED + COUNTED, 0, other, BELOW_N)).isEqualTo(Verdict.PROVED);
    assertThat(verdict(LOADED + COUNTED, 0, other)).isNotEqualTo(Verdict.PROVED);
  }

  @Test
  void aRowMayBeAsLongAsAnArray() {
    // The code does not know that length, and so it computes no row of it.
    assertThat(verdict(LOADED + COUNTED, 0, new ArrayLength(1, true))).isNotEqualTo(Verdict.PROVED);
    String within = "setp.gt.s32 %p4, %r6, %r5; @%p4 bra END; ";
    Limit belowM = new PassedNumber(new NumberPlace(3, 0, 4), true);

    assertThat(verdict(within + LOADED + COUNTED, 0, belowM)).isEqualTo(Verdict.PROVED);
    assertThat(verdict(LOADED + COUNTED, 0, belowM)).isNotEqualTo(Verdict.PROVED);
  }

  @Test
  void limitsDoNotCountOfAnArrayThatTheKernelStoresTo() {
    assertThat(verdict(LOADED + "st.global.u32 [%rd7], 9; " + COUNTED, 0, BELOW_N))
        .isNotEqualTo(Verdict.PROVED);
  }

  @Test
  void limitsAreThoseOfWholeNumbers() {
    assertThat(verdict(LOADED.replace("u32 %r16", "u16 %r16") + COUNTED, 0, BELOW_N))
        .isNotEqualTo(Verdict.PROVED);
  }

  @Test
  void whatIsComputedFromANumberHasOtherLimits() {
    // All columns one further are as far apart as before; twice as far, they reach into other rows.
    assertThat(verdict(LOADED + "add.s32 %r16, %r16, 1; " + COUNTED, 0, BELOW_N))
        .isEqualTo(Verdict.PROVED);
    assertThat(verdict(LOADED + "shl.b32 %r16, %r16, 1; " + COUNTED, 0, BELOW_N))
        .isNotEqualTo(Verdict.PROVED);
  }
}
