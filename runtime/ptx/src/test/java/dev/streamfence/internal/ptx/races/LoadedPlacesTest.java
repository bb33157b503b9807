package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.LINES;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.STORE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxModule;
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
  @CsvSource(
      delimiter = '|',
      value = {
        "one thread | setp.gt.s32 %p1, %r4, 0; @%p1 bra END; | UNKNOWN",
        "two threads | setp.gt.s32 %p1, %r4, 1; @%p1 bra END; | DATA",
        "the last one | sub.s32 %r22, %r5, 1; setp.lt.s32 %p1, %r4, %r22; @%p1 bra END; | UNKNOWN",
        "the one that claims it | atom.shared.cas.b32 %r22, [tile], 0, 1;"
            + " setp.ne.s32 %p1, %r22, 0; @%p1 bra END; | UNKNOWN",
        "numbers of its own | shl.b32 %r22, %r4, 1; setp.lt.s32 %p1, %r20, %r22; @%p1 bra END;"
            + " add.s32 %r22, %r22, 2; setp.ge.s32 %p1, %r20, %r22; @%p1 bra END; | UNKNOWN",
        "few numbers | setp.gt.s32 %p1, %r20, 1; @%p1 bra END; | DATA",
        "more than its neighbour has | ld.global.u32 %r22, [%rd7+-4];"
            + " setp.le.s32 %p1, %r20, %r22; @%p1 bra END; | DATA",
        "after a fence | fence.acq_rel.gpu; | UNKNOWN",
        "in turns | T: ld.volatile.global.u32 %r22, [%rd1+-4]; setp.ne.s32 %p1, %r22, %r4;"
            + " @%p1 bra T; | UNKNOWN",
      })
  void equalNumbersAreAQuestionOnlyIfTwoThreadsCanMeetWithThem(
      String which, String guard, Verdict expected) {
    String code = NUMBERS + guard + at("%r20") + STORE;
    assertThat(KernelRacesTest.of(code, LINES).verdict()).as(which).isEqualTo(expected);
  }

  @Test
  void numbersThatAreDeclaredToBeDistinctStayDistinct() {
    PtxModule module =
        PtxModule.parse(
            """
            .version 7.0
            .target sm_75
            .address_size 64
            .visible .entry k(.param .u64 out, .param .u64 keys, .param .u64 marks)
            {
            .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
            ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [keys]; ld.param.u64 %rd3, [marks];
            mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
            mad.lo.s32 %r3, %r1, %r2, %r0; mul.wide.s32 %rd4, %r3, 4;
            add.s64 %rd5, %rd3, %rd4; ld.global.u32 %r4, [%rd5];
            and.b32 %r6, %r4, 15; shr.u32 %r7, %r4, 4; add.s32 %r6, %r6, %r7;
            setp.ne.s32 %p1, %r6, 0; @%p1 bra END;
            add.s64 %rd6, %rd2, %rd4; ld.global.u32 %r5, [%rd6];
            mul.wide.s32 %rd7, %r5, 4; add.s64 %rd8, %rd1, %rd7; st.global.u32 [%rd8], %r3;
            END: ret; }
            """);
    List<ArrayPlace> arrays =
        List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0), new ArrayPlace(2, 0));
    for (Map<Integer, Integer> distinct : List.of(Map.<Integer, Integer>of(), Map.of(2, 4))) {
      KernelRaces races =
          KernelRaces.of(module, module.entries().get(0), arrays, List.of(), distinct, LINES);
      assertThat(races.verdict()).isEqualTo(distinct.isEmpty() ? Verdict.DATA : Verdict.UNKNOWN);
    }
  }

  @Test
  void threadsThatAGridStrideLoopGivesEqualNumbersAreAQuestionOfData() {
    String loop =
        "mul.lo.s32 %r25, %r2, %r3; mov.u32 %r26, %r4; setp.ge.s32 %p1, %r26, %r5; @%p1 bra END;"
            + " L: mul.wide.s32 %rd6, %r26, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r20, [%rd7]; "
            + at("%r20")
            + "st.global.u32 [%rd5], %r26; add.s32 %r26, %r26, %r25;"
            + " setp.lt.s32 %p2, %r26, %r5; @%p2 bra L;";
    assertThat(KernelRacesTest.of(loop, LINES).verdict()).isEqualTo(Verdict.DATA);
  }

  @ParameterizedTest
  @CsvSource({
    "'st.global.u32 [%rd5], 1;', UNKNOWN",
    "'st.global.u32 [%rd5], %r5;', UNKNOWN",
    "'st.global.u32 [%rd5], %r20;', UNKNOWN",
    "'mul.wide.s32 %rd8, %r20, 4; add.s64 %rd9, %rd2, %rd8; ld.global.u32 %r22, [%rd9];"
        + " st.global.u32 [%rd5], %r22;', UNKNOWN",
    "'st.global.u32 [%rd5], %r4;', DATA",
    "'atom.global.exch.b32 %r9, [%rd5], 1; ld.global.u32 %r9, [%rd5];', DATA"
  })
  void equalNumbersDoNotMatterWhereAllStoreTheSame(String store, Verdict expected) {
    assertThat(KernelRacesTest.of(NUMBERS + at("%r20") + store, LINES).verdict())
        .isEqualTo(expected);
  }
}
