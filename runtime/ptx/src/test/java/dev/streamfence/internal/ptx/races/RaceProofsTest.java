package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.GET;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.LINES;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.LOAD;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.PUT;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.STORE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.TILE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.calling;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.onlyThreads;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Restriction;
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
 * What a proof needs: each case differs in one thing from a kernel without races. Registers are as
 * in {@link KernelRacesTest}.
 */
final class RaceProofsTest {
  /** A number of the second array, one for each thread. */
  private static String loaded(String type) {
    return "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global."
        + type
        + " %r16, [%rd7]; ";
  }

  /** A store to a column of the row of the thread, whose rows have n elements. */
  private static String inRow(String column) {
    return "mad.lo.s32 %r20, %r4, %r5, " + column + "; " + at("%r20") + STORE;
  }

  private static final String SOME_COLUMNS = "setp.lt.s32 %p3, %r5, 1; @%p3 bra END; ";

  /** A number of the second array that is not negative. */
  private static final String NATURAL = loaded("u32") + "setp.lt.s32 %p4, %r16, 0; @%p4 bra END; ";

  @Test
  void threadsThatEndBehindBarriersOfTheirOwnDoNotMeetThere() {
    String split =
        "setp.gt.s32 %p1, %r0, 15; @%p1 bra A; bar.sync 0; GET ret; A: ".replace("GET", GET);
    assertThat(verdict(TILE + PUT + split + "bar.sync 0; " + GET)).isNotEqualTo(Verdict.PROVED);
    // Who ends early waits at no barrier, and is not waited for.
    String early = "setp.ge.s32 %p1, %r4, %r5; @%p1 ret; ";
    assertThat(verdict(early + TILE + PUT + "bar.sync 0; " + GET)).isEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "they end where the others do | @%p1 bra END; bar.sync 0; GET | PROVED",
        "they store what is theirs | @%p1 bra M; bar.sync 0; GET M: OWN | PROVED",
        "they leave a loop | L: @%p1 bra END; bar.sync 0; GET bar.sync 0; PUT bra L; | PROVED",
        "they load what others store | @%p1 bra M; bar.sync 0; M: GET | UNKNOWN",
        "they wait at a later one | @%p1 bra M; bar.sync 0; M: bar.sync 0; GET | UNKNOWN",
        "they leave a loop for one | L: @%p1 bra M; bar.sync 0; PUT bra L; M: bar.sync 0; GET"
            + " | UNKNOWN",
      })
  void threadsThatWaitAtNoFurtherBarrierKeepTheOrderOfTheOthers(
      String what, String code, Verdict expected) {
    String filled = code.replace("GET", GET).replace("PUT", PUT).replace("OWN", at("%r4") + STORE);
    assertThat(verdict(TILE + PUT + "setp.ge.s32 %p1, %r4, %r5; " + filled))
        .as(what)
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"%r0, UNKNOWN", "%r5, CERTAIN"})
  void threadsThatLeaveALoopWithABarrierInTurnsStoreInTurns(String last, Verdict expected) {
    String loop =
        "mov.u32 %r20, 0; L: bar.sync 0; add.s32 %r20, %r20, 1; setp.le.s32 %p1, %r20, LAST;"
            + " @%p1 bra L; mov.u32 %r12, tile; st.shared.u32 [%r12], %r0; ";
    assertThat(verdict(loop.replace("LAST", last))).isEqualTo(expected);
  }

  @Test
  void aTileThatIsIndexedByOneDimensionIsWrittenForBlocksOfThatDimension() {
    String tile = "mov.u32 %r14, %tid.y; shl.b32 %r11, INDEX, 2; mov.u32 %r12, tile; ";
    String store = "add.s32 %r13, %r12, %r11; st.shared.u32 [%r13], VALUE; ";
    for (List<String> other : List.of(List.of("%r14", "%r0"), List.of("%r0", "%r14"))) {
      String code = (tile + store).replace("INDEX", other.get(0)).replace("VALUE", other.get(1));
      assertThat(KernelRacesTest.of(code, LaunchSpace.ANY).verdict())
          .as(other.get(0))
          .isEqualTo(Verdict.UNKNOWN);
    }
  }

  @Test
  void sharedArraysWhoseSizeTheLaunchSetsBeginAtOneAddress() {
    assertThat(betweenShared(".extern", "a", "b")).isEqualTo(Verdict.CERTAIN);
    assertThat(betweenShared("", "a", "b")).isEqualTo(Verdict.PROVED);
    assertThat(betweenShared("", "a", "a")).isEqualTo(Verdict.CERTAIN);
  }

  /** Each thread stores its element of one array, and loads the next one of another. */
  private static Verdict betweenShared(String linkage, String stored, String read) {
    String size = linkage.isEmpty() ? "4096" : "";
    PtxModule module =
        PtxModule.parse(
            ".version 7.0\n.target sm_75\n.address_size 64\n"
                + linkage
                + " .shared .align 4 .b8 a["
                + size
                + "];\n"
                + linkage
                + " .shared .align 4 .b8 b["
                + size
                + "];\n"
                + ".visible .entry k() { .reg .b32 %r<9>; mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x;"
                + " shl.b32 %r2, %r0, 2; mov.u32 %r3, "
                + stored
                + "; add.s32 %r4, %r3, %r2;"
                + " st.shared.u32 [%r4], %r0; mov.u32 %r5, "
                + read
                + "; add.s32 %r6, %r5, %r2;"
                + " ld.shared.u32 %r7, [%r6+4]; ret; }");
    return KernelRaces.of(
            module, module.entries().get(0), List.<ArrayPlace>of(), List.of(), Map.of(), LINES)
        .verdict();
  }

  @Test
  void bitsOfAMultipleOfTheThreadAreItsRemainder() {
    // The row and the column of a tile, as compilers compute its place in bytes.
    String place =
        "shr.u32 %r20, %r0, 5; shl.b32 %r21, %r20, 7; shl.b32 %r22, %r0, 2;"
            + " and.b32 %r23, %r22, MASK; add.s32 %r24, %r21, %r23; mov.u32 %r12, tile;"
            + " add.s32 %r13, %r12, %r24; ";
    assertThat(verdict(place.replace("MASK", "124") + PUT)).isEqualTo(Verdict.PROVED);
    assertThat(verdict(place.replace("MASK", "60") + PUT)).isEqualTo(Verdict.CERTAIN);
    String joined = place.replace("add.s32 %r24, %r21, %r23;", "or.b32 %r24, %r21, %r23;");
    assertThat(verdict(joined.replace("MASK", "124") + PUT)).isEqualTo(Verdict.PROVED);
    // What is left without the last bits is a multiple.
    String four = "shl.b32 %r22, %r4, 2; and.b32 %r23, %r22, -16; ";
    String own = "add.s32 %r20, %r23, %r24; " + at("%r20") + STORE;
    assertThat(verdict(four + "and.b32 %r24, %r22, 15; " + own)).isEqualTo(Verdict.PROVED);
  }

  @Test
  void aFunctionThatTouchesNoMemoryMayBeCalledTwice() {
    String code =
        "call f; call f; mov.u32 %r2, %ntid.x; mov.u32 %r1, %ctaid.x;"
            + " mad.lo.s32 %r4, %r1, %r2, %r4; ";
    assertThat(calling("add.s32 %x, %x, 1; ret;", code + at("%r4") + STORE).verdict())
        .isEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ret; | true",
        "st.local.u32 [kept], %x; ld.local.u32 %x, [kept]; ret; | true",
        "setp.eq.s32 %q, %x, 3; @%q ret; call vprintf; ret; | true",
        "bar.sync 0; ret; | false",
        "bar.warp.sync -1; ret; | false",
        "bar.red.popc.u32 %x, 0, %q; ret; | false",
        "st.global.u32 [%rd], %x; ret; | false",
        "ld.global.u32 %x, [%rd]; ret; | false",
        "call g; ret; | false",
        "membar.gl; ret; | false",
        "cp.async.wait_all; ret; | false",
      })
  void aFunctionThatIsTooLongToBeFollowedMayTouchTheMemoryOfItsThread(
      String end, boolean isProved) {
    String code = "mov.u32 %r2, %ntid.x; mov.u32 %r1, %ctaid.x; mad.lo.s32 %r4, %r1, %r2, %r4; ";
    String body = ".local .b32 kept; .reg .pred %q; " + "add.s32 %x, %x, 1; ".repeat(8_000) + end;
    KernelRaces races = calling(body, code + "call f; " + at("%r4") + STORE);
    assertThat(races.verdict()).isEqualTo(isProved ? Verdict.PROVED : Verdict.UNKNOWN);
    assertThat(races.reason()).isEqualTo(isProved ? "" : "it calls a function");
  }

  @Test
  void aKernelMayPrint() {
    String code = "mov.u32 %r2, %ntid.x; mov.u32 %r1, %ctaid.x; mad.lo.s32 %r4, %r1, %r2, %r4; ";
    String print = "call vprintf; call f; call vprintf; ";
    assertThat(calling("ret;", code + print + at("%r4") + STORE).verdict())
        .isEqualTo(Verdict.PROVED);
    assertThat(calling("ret;", code + "call f; call g; " + at("%r4") + STORE).verdict())
        .isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void aStrongLoadMayComeBeforeOrAfterAnAtomicOperation() {
    String index = loaded("u32") + at("%r16");
    String load = "ld.volatile.global.u32 %r22, [%rd5]; ";
    String swap = "atom.global.cas.b32 %r23, [%rd5], 0, 1; ";
    assertThat(verdict(index + load + swap)).isEqualTo(Verdict.PROVED);
    assertThat(verdict(index + swap + load)).isEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @CsvSource({
    "'setp.eq.s32 %p2, %r16, %r5; @%p2 bra END;', true",
    "'setp.eq.s32 %p2, %r5, %r16; @%p2 bra END;', true",
    "'', false"
  })
  void aColumnThatIsAtMostTheWidthAndNotTheWidthIsInTheRow(String unequal, boolean isProved) {
    String atMost = "setp.gt.s32 %p1, %r16, %r5; @%p1 bra END; ";
    assertThat(verdict(NATURAL + atMost + unequal + inRow("%r16")) == Verdict.PROVED)
        .isEqualTo(isProved);
  }

  @Test
  void eachChoiceOfAColumnHasWhatIsKnownOfTheColumn() {
    String chosen = "setp.ge.s32 %p1, %r16, 0; selp.b32 %r21, %r16, LEAST, %p1; ";
    String begin = SOME_COLUMNS + loaded("u32") + chosen;
    String equal =
        "ld.global.u32 %r15, [%rd7+64]; setp.ge.s32 %p2, %r15, %r5; @%p2 bra END;"
            + " setp.ne.s32 %p2, %r15, %r21; @%p2 bra END; ";
    assertThat(verdict(begin.replace("LEAST", "0") + equal + inRow("%r21")))
        .isEqualTo(Verdict.PROVED);
    assertThat(verdict(begin.replace("LEAST", "0") + inRow("%r21"))).isNotEqualTo(Verdict.PROVED);
    String atMost = "setp.gt.s32 %p2, %r21, %r5; @%p2 bra END; ";
    String unequal = "setp.eq.s32 %p2, %r21, 0; @%p2 bra END; ";
    String less = "add.s32 %r22, %r21, -1; ";
    assertThat(verdict(begin.replace("LEAST", "1") + atMost + unequal + less + inRow("%r22")))
        .isEqualTo(Verdict.PROVED);
    assertThat(verdict(begin.replace("LEAST", "1") + atMost + less + inRow("%r22")))
        .isNotEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @CsvSource({"32, %r0", "32, %r21", "4, %r0", "4, %r21"})
  void codeThatReadsNoSizeIsWrittenForRowsOfItsLength(int length, String stored) {
    // Also if it reads the lane, whose number depends on the sizes.
    String row =
        "mov.u32 %r0, %tid.x; mov.u32 %r14, %tid.y; mov.u32 %r15, %ctaid.x;"
            + " mov.u32 %r21, %laneid; mad.lo.s32 %r20, %r15, 1024, %r0;"
            + " mad.lo.s32 %r20, %r14, LENGTH, %r20; ".replace("LENGTH", "" + length);
    KernelRaces races =
        onlyThreads(row + at("%r20") + "st.global.u32 [%rd5], " + stored + "; ", LaunchSpace.ANY);
    assertThat(races.verdict()).isEqualTo(Verdict.PROVED);
    assertThat(races.restrictions())
        .contains(
            new Restriction("blockDim.x", length, true),
            new Restriction("blockDim.y", 1024 / length, true));
  }

  @Test
  void theLaneOfAThreadSaysNothingOfHowLargeBlocksAre() {
    // With one warp in a block, one thread stores.
    String code =
        "SIZES mov.u32 %r0, %tid.x; mov.u32 %r14, %tid.y; add.s32 %r15, %r0, %r14;"
            + " mov.u32 %r20, %laneid; setp.ne.s32 %p1, %r20, 0; @%p1 bra END; "
            + at("0")
            + "st.global.u32 [%rd5], %r15; END: ";
    String declared = ".reg .pred %p1; ";
    assertThat(onlyThreads(declared + code.replace("SIZES", ""), LaunchSpace.ANY).verdict())
        .isEqualTo(Verdict.UNKNOWN);
    String sizes = "mov.u32 %r1, %ntid.x; mov.u32 %r2, %ntid.y; ";
    assertThat(onlyThreads(declared + code.replace("SIZES", sizes), LaunchSpace.ANY).verdict())
        .isEqualTo(Verdict.CERTAIN);
  }

  @ParameterizedTest
  @CsvSource({"1, true", "0, false"})
  void aLoopDownToZeroBeginsAboveZero(int least, boolean isProved) {
    // From 0 on it would go on forever, and rows would have no elements.
    String row =
        "shl.b32 %r22, %r6, 2; setp.lt.s32 %p2, %r6, LEAST; @%p2 bra END;"
                .replace("LEAST", "" + least)
            + " mul.lo.s32 %r20, %r4, %r22; "
            + at("%r20");
    String loop =
        "L: st.global.u32 [%rd5], %r4; add.s64 %rd5, %rd5, 16; add.s32 %r22, %r22, -4;"
            + " setp.ne.s32 %p1, %r22, 0; @%p1 bra L; ";
    assertThat(verdict(row + loop) == Verdict.PROVED).isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource({"'%r16, 0, %p1', true", "'0, %r16, %p1', false"})
  void aSelectionHoldsWhatItsConditionSays(String operands, boolean isProved) {
    String column = "setp.lt.s32 %p1, %r16, %r5; selp.b32 %r21, " + operands + "; ";
    assertThat(verdict(SOME_COLUMNS + NATURAL + column + inRow("%r21")) == Verdict.PROVED)
        .isEqualTo(isProved);
  }

  /** Of a negative number, the first of them without a sign is the greatest. */
  @ParameterizedTest
  @CsvSource({"u64, false", "s64, false"})
  void aNumberWithASignIsNotLessWithoutIt(String type, boolean isProved) {
    String code =
        "sub.s32 %r20, %r4, %r5; max.s32 %r21, %r20, %r0; cvt.s64.s32 %rd10, %r21; setp.ge.TYPE"
            + " %p1, %rd10, 100; @%p1 bra S; add.s32 %r22, %r20, 10; AT STORE"
            + " S: setp.ne.s32 %p2, %r4, 50; @%p2 bra END; ";
    String store = code.replace("TYPE", type).replace("AT", at("%r22")).replace("STORE", STORE);
    assertThat(verdict(store + at("7") + STORE) == Verdict.PROVED).isEqualTo(isProved);
  }

  /** Compilers compare the row and the column of a square at once. */
  @ParameterizedTest
  @CsvSource({
    "max.u32, setp.ge.u32, true",
    "max.s32, setp.ge.s32, true",
    "max.u32, setp.gt.u32, false",
    "min.u32, setp.ge.u32, false"
  })
  void whatTheGreatestIsLessThanAllAreLessThan(
      String extreme, String comparison, boolean isProved) {
    String rows =
        "mov.u32 %r20, %tid.y; mov.u32 %r21, %ctaid.y; mov.u32 %r22, %ntid.y;"
            + " mad.lo.s32 %r23, %r21, %r22, %r20; EXTREME %r24, %r4, %r23;"
            + " COMPARISON %p1, %r24, %r5; @%p1 bra END; mad.lo.s32 %r25, %r23, %r5, %r4; ";
    String code = rows.replace("EXTREME", extreme).replace("COMPARISON", comparison);
    Verdict verdict = KernelRacesTest.of(code + at("%r25") + STORE, LaunchSpace.ANY).verdict();
    assertThat(verdict == Verdict.PROVED).isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource({"0, %r5, true", "-1, %r5, false", "0, %r6, false"})
  void aColumnThatEqualsAnotherOneIsInTheRow(int least, String limit, boolean isProved) {
    String column =
        "ld.global.u32 %r15, [%rd7+64]; setp.lt.s32 %p1, %r15, LEAST; @%p1 bra END;"
                .replace("LEAST", "" + least)
            + " setp.ge.s32 %p1, %r15, LIMIT; @%p1 bra END; ".replace("LIMIT", limit)
            + "setp.ne.s32 %p1, %r15, %r16; @%p1 bra END; ";
    assertThat(verdict(SOME_COLUMNS + loaded("u32") + column + inRow("%r16")) == Verdict.PROVED)
        .isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource({"20, PROVED", "16, CERTAIN", "18, CERTAIN", "22, CERTAIN"})
  void loadsBetweenTheElementsThatAreStoredMeetNone(int distance, Verdict expected) {
    String even = "shl.b32 %r20, %r4, 1; " + at("%r20");
    String load = "ld.global.u32 %r10, [%rd5+" + distance + "]; ";
    assertThat(verdict(even + load + STORE)).isEqualTo(expected);
    assertThat(verdict(even + STORE + load)).isEqualTo(expected);
  }

  @Test
  void aChoiceOfOneOfTwoAccessesIsLookedAt() {
    String column = "setp.lt.s32 %p1, %r16, %r5; selp.b32 %r21, %r16, 0, %p1; ";
    String store = inRow("%r21");
    String first = "mul.lo.s32 %r20, %r4, %r5; " + at("%r20") + LOAD;
    String begin = SOME_COLUMNS + NATURAL + column;
    assertThat(verdict(begin + store + first)).isEqualTo(Verdict.PROVED);
    assertThat(verdict(begin + first + store)).isEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @CsvSource({"16, true", "15, false"})
  void aLoopOfFixedLengthStaysInRowsOfThatLength(int width, boolean isProved) {
    String loop =
        "mad.lo.s32 %r20, %r4, WIDTH, 0; ".replace("WIDTH", "" + width)
            + at("%r20")
            + "mov.u32 %r7, 0; L: st.global.u32 [%rd5], %r4; add.s64 %rd5, %rd5, 4;"
            + " add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7, 16; @%p1 bra L; ";
    assertThat(verdict(loop) == Verdict.PROVED).isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource({"%r5, true", "%r4, false"})
  void branchesThatExcludeEachOtherInALaunchDoNotMeet(String number, boolean isProved) {
    // Of the thread's number, the thread m stores to the element of the thread before.
    String branches =
        "setp.ge.s32 %p1, NUMBER, %r6; @%p1 bra A; ".replace("NUMBER", number)
            + at("%r4")
            + STORE
            + "bra END; A: "
            + at("%r4")
            + "st.global.u32 [%rd5+-4], %r4; ";
    assertThat(verdict(branches) == Verdict.PROVED).isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource({"'', false", "'setp.lt.s32 %p2, %r6, 1; @%p2 bra END;', true"})
  void aDifferenceOfALaunchThatIsComparedWithoutASignMayBeNegative(String guard, boolean isProved) {
    // For m = 0, m - 1 is the largest number without a sign, and all threads have one element.
    String code =
        guard
            + " add.s32 %r14, %r6, -1; setp.lt.u32 %p1, %r14, 3; @%p1 bra END;"
            + " mul.lo.s32 %r15, %r4, %r6; ";
    assertThat(verdict(code + at("%r15") + STORE) == Verdict.PROVED).isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource({"20, true", "30, false"})
  void theFarthestOfVeryManyComparisonsAreLeftOut(int count, boolean isProved) {
    StringBuilder code = new StringBuilder("setp.ne.s32 %p1, %r4, 0; @%p1 bra END; ");
    List<String> comparisons = List.of("eq", "le", "lt");
    for (int i = 0; i < count; i++) {
      // None of these says anything of the thread's number.
      code.append("setp.").append(comparisons.get(i % 3)).append(".s32 %p2, %r6, ");
      code.append(100 + i).append("; @%p2 bra END; ");
    }
    assertThat(verdict(code + at("3") + STORE) == Verdict.PROVED).isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource({"y", "z"})
  void threadsOfABlockInTheSameColumnAreARace(String dimension) {
    String code =
        "mov.u32 %r15, %tid.DIM; mov.u32 %r16, %ntid.DIM; mul.lo.s32 %r14, %r15, %r16; "
                .replace("DIM", dimension)
            + at("%r0");
    String store = "st.global.u32 [%rd5], %r14; ";
    boolean isY = dimension.equals("y");
    LaunchSpace rows = new LaunchSpace(32, isY ? 4 : 1, isY ? 1 : 4, false, false);
    assertThat(KernelRacesTest.of(code + store, rows).verdict()).isEqualTo(Verdict.CERTAIN);
    // The code may be written for blocks of one row.
    assertThat(KernelRacesTest.of(code + store, LaunchSpace.ANY).verdict())
        .isEqualTo(Verdict.UNKNOWN);
    String blocks = "mov.u32 %r14, %ctaid.DIM; ".replace("DIM", dimension) + at("%r0");
    assertThat(KernelRacesTest.of(blocks + store, LaunchSpace.ANY).verdict())
        .isEqualTo(Verdict.CERTAIN);
    assertThat(KernelRacesTest.of(blocks + at("%r4") + store, LINES).verdict())
        .isEqualTo(Verdict.PROVED);
  }

  @Test
  void theArraysWhoseNumbersDecideAreNamed() {
    String index = loaded("u32") + at("%r16") + STORE;
    KernelRaces races = KernelRacesTest.of(index, LINES);
    assertThat(races.verdict()).isEqualTo(Verdict.DATA);
    assertThat(races.numbers()).containsExactly(1);
  }

  @Test
  void manyAccessesToOneMemoryAreNotCompared() {
    StringBuilder code = new StringBuilder("mov.u32 %r21, %r4; ");
    for (int i = 0; i < 210; i++) {
      code.append("mad.lo.s32 %r21, %r21, 3, ").append(i).append("; ").append(at("%r21"));
      code.append(STORE);
    }
    assertThat(KernelRacesTest.of(code.toString(), LINES).reason())
        .isEqualTo("it has more than 200 accesses to one memory");
  }

  @Test
  void aBlockHasSeveralThreadsAlthoughTheCodeReadsNone() {
    String code = "mov.u32 %r0, %ctaid.x; mov.u32 %r4, 5; " + at("%r0") + STORE;
    assertThat(onlyThreads(code, LINES).verdict()).isNotEqualTo(Verdict.PROVED);
    assertThat(onlyThreads(code, new LaunchSpace(1, 1, 1, true, false)).verdict())
        .isEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @CsvSource({"1, PROVED", "%r6, UNKNOWN"})
  void theCommonBitsOfTwoNumbersAreLessThanTwoIfOneOfThemIs(String mask, Verdict expected) {
    // With m = 2, the threads 3 and 4 store to element 8.
    String index = "and.b32 %r21, %r4, " + mask + "; mad.lo.s32 %r20, %r4, 2, %r21; ";
    assertThat(verdict(index + at("%r20") + STORE)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"s8, 256, true", "s8, 255, false", "u8, 256, true", "u8, 255, false"})
  void aByteIsOneOf256Numbers(String type, int width, boolean isProved) {
    String index = "mad.lo.s32 %r20, %r4, " + width + ", %r16; ";
    assertThat(verdict(loaded(type) + index + at("%r20") + STORE) == Verdict.PROVED)
        .isEqualTo(isProved);
  }

  @Test
  void elementsBesideThoseOfOtherThreadsAreProvedForEachGroup() {
    String down =
        "mul.lo.s32 %r20, %r4, -2; "
            + at("%r20")
            + "st.global.u32 [%rd5+-8], %r4; st.global.u32 [%rd5+-4], %r4; ";
    String up =
        "shl.b32 %r20, %r4, 1; "
            + at("%r20")
            + "st.global.u32 [%rd5], %r4; st.global.u32 [%rd5+4], %r4; ";
    String overlapping = at("%r4") + "st.global.u32 [%rd5], %r4; st.global.u32 [%rd5+4], %r4; ";
    assertThat(verdict(down + up)).isEqualTo(Verdict.PROVED);
    assertThat(verdict(down + overlapping)).isEqualTo(Verdict.CERTAIN);
  }

  @ParameterizedTest
  @CsvSource({"%r0, true", "%r21, false"})
  void blocksOfCodeThatAsksForTheRankOfAThreadAloneHaveOneRow(String index, boolean hasOneRow) {
    String rank = "mov.u32 %r20, %tid.y; mad.lo.s32 %r21, %r20, %r2, %r0; ";
    KernelRaces races =
        KernelRacesTest.of(
            rank
                + TILE.replace("%r0", index)
                + PUT
                + "bar.sync 0; setp.ne.s32 %p2, %r21, 0; @%p2 bra END; "
                + GET,
            LaunchSpace.ANY);
    assertThat(races.verdict()).as(races.reason()).isEqualTo(Verdict.PROVED);
    assertThat(races.restrictions().contains(new Restriction("blockDim.y", 1, true)))
        .isEqualTo(hasOneRow);
  }

  @ParameterizedTest
  @CsvSource({"%r2, PROVED", "%r6, UNKNOWN"})
  void aProductWithANumberThatMayBeNegativeProvesNothing(String factor, Verdict expected) {
    // With m = -1, all threads with the number 0 store to one element.
    String zeroOrOne = NATURAL + "setp.gt.s32 %p5, %r16, 1; @%p5 bra END; ";
    String index = "add.s32 %r20, %r0, %r16; mad.lo.s32 %r20, %r20, " + factor + ", %r0; ";
    assertThat(verdict(zeroOrOne + index + element("%r20") + PUT)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"%r4, PROVED", "%r20, UNKNOWN", "%r21, UNKNOWN"})
  void codeThatStoresTheRowOfAThreadIsWrittenForSeveral(String stored, Verdict expected) {
    String rank = "mov.u32 %r20, %tid.y; mad.lo.s32 %r21, %r20, %r2, %r0; ";
    String guard = "setp.gt.s32 %p1, %r21, 2000; @%p1 bra END; ";
    KernelRaces races =
        KernelRacesTest.of(
            rank + guard + at("%r4") + "st.global.u32 [%rd5], " + stored + ";", LaunchSpace.ANY);
    assertThat(races.verdict()).as(races.reason()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"'shr.u32 %r14, %r14, 1;', true", "'sub.s32 %r14, %r14, 9;', false"})
  void aNumberThatALoopDividesRemainsNatural(String next, boolean isProved) {
    // Stores below the number, and loads from there on.
    String loop =
        "mov.u32 %r14, %r2; L: setp.ge.u32 %p1, %r0, %r14; @%p1 bra A; "
            + TILE
            + PUT
            + "bra B; A: shl.b32 %r16, %r14, 2; mov.u32 %r12, tile; add.s32 %r16, %r12, %r16; "
            + "ld.shared.u32 %r17, [%r16]; B: bar.sync 0; "
            + next
            + " setp.ne.s32 %p2, %r14, 0; @%p2 bra L; ";
    assertThat(verdict(loop) == Verdict.PROVED).isEqualTo(isProved);
  }

  /** The address of an element of the tile. */
  private static String element(String index) {
    return "shl.b32 %r11, " + index + ", 2; mov.u32 %r12, tile; add.s32 %r13, %r12, %r11; ";
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 64})
  void aRowOfATilePerWarpIsClearedAndReadInAnyBlock(int threads) {
    // Two rows of 16: all threads clear them, each warp counts in one, 16 threads read both.
    String clear =
        "mov.u32 %r14, %r0; C: setp.gt.u32 %p1, %r14, 31; @%p1 bra D; "
            + element("%r14")
            + "st.shared.u32 [%r13], 0; add.s32 %r14, %r14, %r2; bra C; D: bar.sync 0; ";
    String count =
        loaded("u32")
            + "shr.u32 %r20, %r0, 1; and.b32 %r20, %r20, 16; add.s32 %r20, %r20, %r16; "
            + element("%r20")
            + "atom.shared.add.u32 %r21, [%r13], 1; bar.sync 0; ";
    String read =
        "setp.gt.u32 %p2, %r0, 15; @%p2 bra END; "
            + element("%r0")
            + "ld.shared.u32 %r22, [%r13]; "
            + "ld.shared.u32 %r23, [%r13+64]; ";
    LaunchSpace space = new LaunchSpace(threads, 1, 1, true, false);
    KernelRaces races = KernelRacesTest.of(clear + count + read, space);
    assertThat(races.verdict()).as(races.reason()).isEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @CsvSource({
    // The number of the element names: the thread; the element itself; the thread, but it is
    // stored.
    "%r4, '', PROVED",
    "%r16, '', DATA",
    "%r4, 'st.global.u32 [%rd9], 7;', UNKNOWN"
  })
  void anElementThatNamesItsThreadIsOfOneThread(String owner, String store, Verdict expected) {
    String named =
        loaded("u32")
            + "mul.wide.s32 %rd8, %r16, 4; add.s64 %rd9, %rd2, %rd8; ld.global.u32 %r17, [%rd9]; "
            + "setp.ne.s32 %p4, %r17, "
            + owner
            + "; @%p4 bra END; ";
    KernelRaces races = KernelRacesTest.of(named + at("%r16") + STORE + store, LINES);
    assertThat(races.verdict()).as(races.reason()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | ld.relaxed.gpu.global.u32 %r16, [%rd2]; | PROVED",
        // Each thread may see another sum.
        "atom.global.add.u32 %r20, [%rd2], 1; | ld.relaxed.gpu.global.u32 %r16, [%rd2]; | UNKNOWN",
        // Each thread has its own variable.
        "'' | KEPT ld.local.u32 %r16, [%r19]; | UNKNOWN",
      })
  void aNumberThatThreadsLoadAtOnePlaceIsOneIfNoneWritesIt(
      String before, String load, Verdict expected) {
    String kept =
        ".local .align 4 .b8 kept[8]; and.b32 %r18, %r5, 4; mov.u32 %r19, kept;"
            + " add.s32 %r19, %r19, %r18; st.local.u32 [%r19], %r4; ";
    String sum = "add.s32 %r22, %r4, %r16; " + at("%r22") + STORE;
    assertThat(verdict(before + load.replace("KEPT", kept) + sum)).isEqualTo(expected);
  }
}
