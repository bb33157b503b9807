package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.LINES;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.STORE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Places for which a number is loaded: a question of data only if equal numbers make threads meet.
 * Registers are as in {@link KernelRacesTest}.
 */
final class LoadedPlacesTest {
  /** Loads the thread's own number from the second array, and one that is the same for all. */
  private static final String NUMBERS =
      "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r20, [%rd7];"
          + " ld.global.u32 %r21, [%rd2]; ";

  @ParameterizedTest
  @CsvSource({
    "'mov.u32 %r22, %r20;', DATA",
    "'add.s32 %r22, %r20, %r21;', DATA",
    // All threads add the same.
    "'mad.lo.s32 %r22, %r0, 2, %r21;', UNKNOWN",
    "'add.s32 %r22, %r4, %r21;', PROVED",
    // Which of two numbers a comparison chooses says little of the place.
    "'setp.lt.s32 %p1, %r20, 5; selp.b32 %r23, 1, 2, %p1; shr.u32 %r24, %r4, 1;"
        + " add.s32 %r22, %r24, %r23;', UNKNOWN"
  })
  void theNumberOfEachThreadIsAQuestionOfData(String place, Verdict expected) {
    KernelRaces races = KernelRacesTest.of(NUMBERS + place + at("%r22") + STORE, LINES);

    assertThat(races.verdict()).isEqualTo(expected);
    if (expected == Verdict.UNKNOWN) {
      assertThat(races.reason()).isEqualTo(KernelRaces.SAME_INDEX);
    }
    if (expected == Verdict.DATA) {
      assertThat(races.numbers()).containsExactly(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // A row for each number, and the thread's own place in it.
        "mad.lo.s32 %r22, %r20, 8, %r4;",
        // Numbers that are distinct may be halves, or remainders, that are not.
        "shr.u32 %r22, %r20, 1;",
        "rem.u32 %r22, %r20, %r5;",
        // The numbers begin rows, of which empty ones begin where others do.
        "mov.u32 %r22, %r20; L: add.s32 %r22, %r22, 1; setp.lt.s32 %p1, %r22, %r21; @%p1 bra L;",
      })
  void aPlaceThatEqualNumbersAloneDoNotDecideIsUnknown(String place) {
    for (Map<Integer, Integer> distinct : List.of(Map.<Integer, Integer>of(), Map.of(1, 4))) {
      KernelRaces races = KernelRacesTest.of(NUMBERS + place + at("%r22") + STORE, distinct, LINES);

      assertThat(races.verdict()).isEqualTo(Verdict.UNKNOWN);
      assertThat(races.reason())
          .isEqualTo(
              "the index is loaded, and numbers that are distinct would not keep the threads"
                  + " apart");
    }
  }

  @Test
  void aPartOfWhatIsLoadedAtOnceIsAQuestionOfData() {
    String load =
        "mul.wide.s32 %rd4, %r4, 8; add.s64 %rd6, %rd2, %rd4;"
            + " ld.global.v2.u32 {%r20, %r21}, [%rd6]; ";
    assertThat(KernelRacesTest.of(load + at("%r20") + STORE, LINES).verdict())
        .isEqualTo(Verdict.DATA);
  }

  @Test
  void aQuestionOfDataStaysOneBesideWhatIsUnknown() {
    String places = "mad.lo.s32 %r22, %r20, 8, %r4; ";
    String both = at("%r20") + STORE + places + at("%r22") + STORE;
    assertThat(KernelRacesTest.of(NUMBERS + both, LINES).verdict()).isEqualTo(Verdict.DATA);
  }

  @ParameterizedTest
  @CsvSource({
    "'st.global.u32 [%rd5], 1;', UNKNOWN",
    "'st.global.u32 [%rd5], %r5;', UNKNOWN",
    "'st.global.u32 [%rd5], %r4;', DATA",
    "'atom.global.exch.b32 %r9, [%rd5], 1; ld.global.u32 %r9, [%rd5];', DATA"
  })
  void equalNumbersDoNotMatterWhereAllStoreTheSame(String store, Verdict expected) {
    assertThat(KernelRacesTest.of(NUMBERS + at("%r20") + store, LINES).verdict())
        .isEqualTo(expected);
  }
}
