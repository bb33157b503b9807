package dev.streamfence.internal.ptx.races;

import static dev.streamfence.internal.ptx.races.KernelRacesTest.LINES;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.PUT;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.STORE;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.at;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.onlyThreads;
import static dev.streamfence.internal.ptx.races.KernelRacesTest.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Restriction;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Patterns of textbooks: trees of sums, sorting networks, sums of warps, tiles with a border. Each
 * case that is not proved differs in one thing, and races. Registers are as in {@link
 * KernelRacesTest}.
 */
final class TextbookRacesTest {
  /** Puts the address of an element of the tile into a register. */
  private static String tile(String address, String index) {
    return "shl.b32 %r25, "
        + index
        + ", 2; mov.u32 %r12, tile; add.s32 "
        + address
        + ", %r12, %r25; ";
  }

  /** Adds one element of the tile to another one. */
  private static String add(String to, String from) {
    return tile("%r13", to)
        + tile("%r14", from)
        + "ld.shared.u32 %r15, [%r13]; ld.shared.u32 %r16, [%r14]; add.s32 %r15, %r15, %r16;"
        + " st.shared.u32 [%r13], %r15; ";
  }

  private static void isProved(String code, boolean expected) {
    assertThat(verdict(code) == Verdict.PROVED).as(code).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 'shl.b32 %r20, %r20, 1;', 'shl.b32 %r21, %r20, 1;', true",
    "1, 'mul.lo.s32 %r20, %r20, 3;', 'shl.b32 %r21, %r20, 1;', true",
    // Each thread's neighbour is a multiple as well.
    "1, 'shl.b32 %r20, %r20, 1;', 'mov.u32 %r21, %r20;', false",
    // A thread is its own neighbour, or divides by zero.
    "0, 'add.s32 %r20, %r20, %r20;', 'shl.b32 %r21, %r20, 1;', false",
    "%r5, 'shl.b32 %r20, %r20, 1;', 'shl.b32 %r21, %r20, 1;', false",
    "4, 'sub.s32 %r20, %r20, 1;', 'shl.b32 %r21, %r20, 1;', false"
  })
  void threadsThatADivisorDividesAddWhatIsHalfOfItAway(
      String first, String next, String divisor, boolean isProved) {
    for (String operation : new String[] {"rem.u32", "rem.s32"}) {
      isProved(
          "mov.u32 %r20, "
              + first
              + "; L: "
              + divisor
              + operation
              + " %r22, %r0, %r21; setp.ne.s32 %p1, %r22, 0; @%p1 bra N; add.s32 %r23, %r0, %r20; "
              + add("%r0", "%r23")
              + "N: bar.sync 0; "
              + next
              + " setp.lt.u32 %p2, %r20, %r2; @%p2 bra L;",
          isProved);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1, 'shl.b32 %r21, %r20, 1;', true",
    // What one thread adds is what the next one adds to.
    "1, 'mov.u32 %r21, %r20;', false",
    // All threads add to the first element.
    "0, 'shl.b32 %r21, %r20, 1;', false",
    "%r5, 'shl.b32 %r21, %r20, 1;', false"
  })
  void threadsAddToMultiplesWhatIsHalfOfOneAway(String first, String factor, boolean isProved) {
    isProved(
        "mov.u32 %r20, "
            + first
            + "; L: "
            + factor
            + " mul.lo.s32 %r22, %r21, %r0; setp.ge.u32 %p1, %r22, %r2; @%p1 bra N;"
            + " add.s32 %r23, %r22, %r20; "
            + add("%r22", "%r23")
            + "N: bar.sync 0; shl.b32 %r20, %r20, 1; setp.lt.u32 %p2, %r20, %r2; @%p2 bra L;",
        isProved);
  }

  @ParameterizedTest
  @CsvSource({
    "'setp.le.s32 %p1, %r21, %r4; @%p1 bra END;', true",
    "'setp.le.u32 %p1, %r21, %r4; @%p1 bra END;', true",
    "'setp.gt.s32 %p1, %r21, %r4; @%p1 bra END;', false",
    "'setp.ge.s32 %p1, %r21, %r4; @%p1 bra END;', true",
    // Both partners exchange the elements, or those of one half with those of the other.
    "'', false",
    "'setp.eq.s32 %p1, %r21, %r4; @%p1 bra END;', false",
    "'setp.le.s32 %p1, %r21, %r5; @%p1 bra END;', false"
  })
  void oneOfTwoPartnersExchangesTheirElements(String guard, boolean isProved) {
    String exchange =
        at("%r4")
            + "mul.wide.s32 %rd6, %r21, 4; add.s64 %rd7, %rd1, %rd6; ld.global.u32 %r22, [%rd5];"
            + " ld.global.u32 %r23, [%rd7]; st.global.u32 [%rd5], %r23; st.global.u32 [%rd7], %r22;";
    isProved("xor.b32 %r21, %r4, %r5; " + guard + exchange, isProved);
    // Each thread with a partner of its own.
    isProved("xor.b32 %r21, %r4, %r0; " + guard + exchange, false);
  }

  @Test
  void partnersMayBeExchangedTwiceInASortingNetworkWithABarrierBetween() {
    String step =
        "xor.b32 %r21, %r0, DISTANCE; setp.le.s32 %p1, %r21, %r0; xor.b32 %r24, %r19, BYTES;"
            + " add.s32 %r24, %r12, %r24; @%p1 bra N; ld.shared.u32 %r22, [%r18];"
            + " ld.shared.u32 %r23, [%r24]; st.shared.u32 [%r18], %r23;"
            + " st.shared.u32 [%r24], %r22; N: ";
    String first = step.replace("DISTANCE", "2").replace("BYTES", "8");
    String second = step.replace("DISTANCE", "1").replace("BYTES", "4").replace("N", "M");
    String all =
        "mov.u32 %r12, tile; shl.b32 %r19, %r0, 2; add.s32 %r18, %r12, %r19; " + first + "BARRIER";
    isProved(all.replace("BARRIER", "bar.sync 0; ") + second, true);
    isProved(all.replace("BARRIER", "") + second, false);
    // The address is another thread's than that of the comparison.
    isProved(all.replace("BARRIER", "bar.sync 0; ") + second.replace("%r19, 4", "%r19, 12"), false);
  }

  @ParameterizedTest
  @CsvSource({
    "'shr.u32 %r15, %r14, 31; add.s32 %r15, %r14, %r15; shr.s32 %r14, %r15, 1;', true",
    "'shr.s32 %r15, %r14, 31; shr.u32 %r15, %r15, 30; add.s32 %r15, %r14, %r15;"
        + " shr.s32 %r14, %r15, 2;', true",
    "'shr.u32 %r15, %r14, 31; add.s32 %r15, %r14, %r15; shr.s32 %r14, %r15, 1;"
        + " sub.s32 %r14, %r14, 9;', false"
  })
  void aSignedDivisionInALoopKeepsANumberNatural(String next, boolean isProved) {
    isProved(
        "mov.u32 %r14, %r2; L: setp.ge.u32 %p1, %r0, %r14; @%p1 bra B; add.s32 %r23, %r0, %r14; "
            + "shl.b32 %r16, %r0, 2; mov.u32 %r12, tile; add.s32 %r16, %r12, %r16;"
            + " shl.b32 %r17, %r23, 2; add.s32 %r17, %r12, %r17; ld.shared.u32 %r18, [%r17];"
            + " st.shared.u32 [%r16], %r18; B: bar.sync 0; "
            + next
            + " setp.ne.s32 %p2, %r14, 0; @%p2 bra L; ",
        isProved);
  }

  @ParameterizedTest
  @CsvSource({
    "3, 536870908, 31, true",
    "2, 1073741820, 31, false",
    "3, 536870904, 31, false",
    "3, 268435452, 31, false",
    "3, 536870908, 15, false"
  })
  void theFirstLaneOfEachWarpStoresToItsElement(int shift, int mask, int lane, boolean isProved) {
    isProved(
        "and.b32 %r20, %r0, "
            + lane
            + "; setp.ne.s32 %p1, %r20, 0; @%p1 bra END; shr.u32 %r21, %r0, "
            + shift
            + "; and.b32 %r21, %r21, "
            + mask
            + "; mov.u32 %r12, tile; add.s32 %r13, %r12, %r21; st.shared.u32 [%r13], %r0;",
        isProved);
  }

  @ParameterizedTest
  @CsvSource({"1048, true", "4096, false"})
  void aTileWithABorderIsForBlocksThatFillIt(int bytes, boolean isProved) {
    // Reads the size of its blocks for the index among all threads.
    KernelRaces races =
        onlyThreads(
            ".reg .pred %p<3>; .shared .align 4 .b8 tile["
                + bytes
                + "]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;"
                + " mad.lo.s32 %r4, %r1, %r2, %r0; "
                + tile("%r13", "%r0")
                + "st.shared.u32 [%r13+12], %r4; setp.gt.u32 %p1, %r0, 2; @%p1 bra A;"
                + " st.shared.u32 [%r13], %r4; st.shared.u32 [%r13+1036], %r4; A: ",
            LINES);
    assertThat(races.verdict() == Verdict.PROVED).isEqualTo(isProved);
    assertThat(races.restrictions().contains(new Restriction("blockDim.x", 256, true)))
        .isEqualTo(isProved);
  }

  @Test
  void aTileThatIsFilledInStepsIsForBlocksOfOneStep() {
    String row =
        ".shared .align 4 .b8 tile[4224]; mov.u32 %r0, %tid.x; mov.u32 %r14, %tid.y;"
            + " mov.u32 %r12, tile; mad.lo.s32 %r13, %r14, 132, %r12; shl.b32 %r16, %r0, 2;"
            + " add.s32 %r13, %r13, %r16; ";
    String steps = "";
    for (int i = 0; i < 4; i++) {
      steps += "st.shared.u32 [%r13+" + i * 8 * 132 + "], %r0; ";
    }
    KernelRaces races = onlyThreads(row + steps, LaunchSpace.ANY);
    assertThat(races.verdict()).isEqualTo(Verdict.PROVED);
    assertThat(races.restrictions()).contains(new Restriction("blockDim.y", 8, true));
    assertThat(onlyThreads(row + steps, new LaunchSpace(32, 16, 1, false, false)).verdict())
        .isNotEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @CsvSource({
    // Only one thread loads what it may have stored itself.
    "'setp.ne.s32 %p3, %r0, 0; @%p3 bra END;', 0, true",
    "'setp.ne.s32 %p3, %r0, 5; @%p3 bra END;', 20, true",
    "'sub.s32 %r15, %r0, %r5; setp.ne.s32 %p3, %r15, 0; @%p3 bra END;', 'AT_N', true",
    // It is another thread's.
    "'setp.ne.s32 %p3, %r0, 0; @%p3 bra END;', 4, false",
    "'setp.ne.s32 %p3, %r0, 5; @%p3 bra END;', 16, false",
    "'setp.eq.s32 %p3, %r0, 0; @%p3 bra END;', 0, false",
    "'setp.ne.s32 %p3, %r1, 0; @%p3 bra END;', 0, false",
    "'', 0, false"
  })
  void oneThreadTakesTheResultOfASumThatEndsWithoutABarrier(
      String guard, String place, boolean isProved) {
    String load =
        place.equals("AT_N")
            ? "shl.b32 %r17, %r5, 2; add.s32 %r17, %r24, %r17; ld.shared.u32 %r18, [%r17]; "
            : "ld.shared.u32 %r18, [%r24+" + place + "]; ";
    isProved(
        "shr.u32 %r20, %r2, 1; setp.eq.s32 %p1, %r20, 0; @%p1 bra M; L: bar.sync 0;"
            + " setp.ge.s32 %p1, %r0, %r20; @%p1 bra N; add.s32 %r21, %r0, %r20; "
            + add("%r0", "%r21")
            + "N: shr.u32 %r20, %r20, 1; setp.ne.s32 %p2, %r20, 0; @%p2 bra L; M:"
            + " mov.u32 %r24, tile; "
            + guard
            + load
            + at("%r1")
            + "st.global.u32 [%rd5], %r18;",
        isProved);
  }

  @Test
  void oneElementOfManyIsOfTheThreadWhoseIndexIsItsOwn() {
    String one = at("0") + "setp.ne.s32 %p3, %r4, 0; @%p3 bra END; ld.global.u32 %r18, [%rd5];";
    isProved(at("%r4") + STORE + one, true);
    isProved(at("%r4") + STORE + one.replace("%r4", "%r0"), false);
    isProved(at("%r4") + STORE + one.replace("[%rd5]", "[%rd5+4]"), false);
  }

  @ParameterizedTest
  @CsvSource({
    "'cvt.s64.s32 %rd8, %r20; cvt.u32.u64 %r21, %rd8;', true",
    "'cvt.u64.u32 %rd8, %r20; cvt.u32.u64 %r21, %rd8;', true",
    "'mov.u32 %r21, %r20;', true",
    // The next index has lost its upper bits.
    "'cvt.u64.u32 %rd8, %r20; cvt.u16.u64 %rs1, %rd8; cvt.u32.u16 %r21, %rs1;', false"
  })
  void aLoopOverTheGridKeepsItsIndexInMoreBits(String kept, boolean isProved) {
    isProved(
        ".reg .b16 %rs<3>; mul.lo.s32 %r19, %r2, %r3; mov.u32 %r20, %r4; setp.ge.s32 %p1, %r20,"
            + " %r5; @%p1 bra END; L: "
            + kept
            + " mov.u32 %r22, 0; I: add.s32 %r22, %r22, 1; setp.lt.s32 %p2, %r22, %r6;"
            + " @%p2 bra I; mul.wide.s32 %rd4, %r20, 4; add.s64 %rd5, %rd1, %rd4;"
            + " st.global.u32 [%rd5], %r22; add.s32 %r20, %r21, %r19; setp.lt.s32 %p1, %r20, %r5;"
            + " @%p1 bra L;",
        isProved);
  }

  @ParameterizedTest
  @CsvSource({"32, true", "31, false"})
  void theWarpsOfABlockAreAtMostThirtyTwo(int columns, boolean isProved) {
    KernelRaces races =
        KernelRacesTest.of(
            "mov.u32 %r20, %tid.y; and.b32 %r21, %r0, 31; setp.ne.s32 %p1, %r21, 0; @%p1 bra END;"
                + " shr.u32 %r22, %r0, 5; mad.lo.s32 %r23, %r20, "
                + columns
                + ", %r22; "
                + tile("%r13", "%r23")
                + PUT,
            LaunchSpace.ANY);

    boolean isForAllBlocks = races.restrictions().stream().noneMatch(Restriction::isRead);
    assertThat(races.verdict() == Verdict.PROVED && isForAllBlocks).isEqualTo(isProved);
  }
}
