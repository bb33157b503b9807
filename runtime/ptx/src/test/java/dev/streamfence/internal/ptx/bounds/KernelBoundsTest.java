package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is claimed of single kernels. */
class KernelBoundsTest {
  private static final String HEAD = ".version 7.0\n.target sm_80\n.address_size 64\n";
  private static final String INDEX =
      """
      mov.u32 %r1, %ctaid.x;
      mov.u32 %r2, %ntid.x;
      mov.u32 %r3, %tid.x;
      mad.lo.s32 %r4, %r1, %r2, %r3;
      ld.param.u64 %rd1, [p0];
      ld.param.u32 %r5, [p1];
      """;

  /** A store to the element with this index. */
  private static String storeAt(String index) {
    return "\nmul.wide.s32 %rd2, "
        + index
        + ", 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r4;\n";
  }

  private static KernelBounds bounds(String body) {
    return bounds("", body);
  }

  private static KernelBounds bounds(String functions, String body) {
    String text =
        HEAD
            + functions
            + ".visible .entry k(.param .u64 p0, .param .u32 p1, .param .u32 p2) {\n"
            + ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .b16 %rs<9>;\n"
            + INDEX
            + body
            + "ret;\n}\n";
    PtxModule module = PtxModule.parse(text);
    PtxEntry entry = module.entries().get(0);
    return KernelBounds.of(module, entry, List.of(new ArrayPlace(0, 0)));
  }

  @ParameterizedTest
  @CsvSource({"'', true", "', 16', true", "', 8', false", "', %r6', false"})
  void anAsynchronousCopyTouchesItsSourceIfItReadsAllOfIt(String read, boolean isChecked) {
    KernelBounds bounds =
        bounds(
            ".shared .align 16 .b8 s[16]; mul.wide.s32 %rd2, %r4, 16; add.s64 %rd3, %rd1, %rd2;"
                + " cp.async.cg.shared.global [s], [%rd3], 16"
                + read
                + "; cp.async.wait_all;\n");

    assertThat(bounds.isChecked(0)).isEqualTo(isChecked);
    isLimitedTo(bounds, new Shape(2, 32, 0, 0), 0, 1024);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 7, 8, 100})
  void aLoopOfFourStepsAndItsRestReachNoFurtherThanTheLoopThatTheyAreOf(int n) {
    // For fewer than four, the first loop would not end, and is not entered.
    KernelBounds bounds =
        bounds(
            """
            mov.u32 %r6, 0;
            setp.eq.s32 %p1, %r5, 0;
            @%p1 bra END;
            add.s32 %r7, %r5, -1;
            and.b32 %r8, %r5, 3;
            setp.lt.u32 %p2, %r7, 3;
            mov.u32 %r9, 0;
            @%p2 bra REST;
            sub.s32 %r10, %r5, %r8;
            mov.u32 %r9, 0;
            mov.u64 %rd4, %rd1;
            L: st.global.u32 [%rd4], 1; st.global.u32 [%rd4+4], 1;
            st.global.u32 [%rd4+8], 1; st.global.u32 [%rd4+12], 1;
            add.s32 %r9, %r9, 4;
            add.s64 %rd4, %rd4, 16;
            add.s32 %r10, %r10, -4;
            setp.ne.s32 %p3, %r10, 0;
            @%p3 bra L;
            REST: setp.eq.s32 %p4, %r8, 0;
            @%p4 bra END;
            mul.wide.s32 %rd5, %r9, 4;
            add.s64 %rd6, %rd1, %rd5;
            M: st.global.u32 [%rd6], 1;
            add.s64 %rd6, %rd6, 4;
            add.s32 %r8, %r8, -1;
            setp.ne.s32 %p5, %r8, 0;
            @%p5 bra M;
            END:
            """);

    isLimitedTo(bounds, new Shape(2, 32, n, 0), 0, 4L * n);
  }

  @Test
  void damagedConversionsGiveUnknownBounds() {
    KernelBounds bounds =
        bounds("cvt.u64.u32 %rd2;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r5;\n");

    isLimitedTo(bounds, new Shape(1, 1, 1), Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private static final String VARIABLES =
      ".shared .align 4 .b8 s[64]; .shared .align 4 .b8 t[64]; .local .align 8 .b8 kept[64];"
          + " setp.gt.s32 %p1, %r5, 3; mov.u64 %rd5, s; mov.u64 %rd6, t; ";

  @ParameterizedTest
  @CsvSource({
    "'selp.b64 %rd7, %rd5, 0, %p1; setp.eq.s64 %p2, %rd7, 0;'",
    "'selp.b64 %rd7, %rd1, 0, %p1; setp.eq.s64 %p2, %rd7, 0;'",
    "'selp.b64 %rd7, %rd5, %rd6, %p1; selp.b64 %rd8, %rd6, %rd5, %p1; setp.eq.s64 %p2, %rd7, %rd8;'",
    "'mov.u64 %rd7, 0; @!%p1 bra N; cvta.shared.u64 %rd7, %rd5; N: setp.eq.s64 %p2, %rd7, 0;'",
    "'mov.u64 %rd7, 0; st.local.u64 [kept], %rd7; @!%p1 bra N; st.local.u64 [kept], %rd5; N:"
        + " ld.local.u64 %rd7, [kept]; setp.eq.s64 %p2, %rd7, 0;'"
  })
  void aChoiceBetweenAddressesIsNotTakenForItsOffsets(String test) {
    // Launches exist in which the store is reached.
    KernelBounds bounds = bounds(VARIABLES + test + " @%p2 bra END;" + storeAt("%r4") + "END:\n");
    isLimitedTo(bounds, new Shape(2, 32, 100, 0), 0, 256);
  }

  @ParameterizedTest
  @CsvSource({"%rd1, false", "%rd5, false", "8, true"})
  void aLoopUpToAnAddressHasNoKnownEnd(String end, boolean isKnown) {
    KernelBounds bounds =
        bounds(
            VARIABLES
                + "selp.b64 %rd7, END, 0, %p1; mov.u64 %rd8, 0; L: add.s64 %rd8, %rd8, 1;"
                    .replace("END", end)
                + " setp.lt.s64 %p2, %rd8, %rd7; @%p2 bra L; shl.b64 %rd8, %rd8, 2;"
                + " add.s64 %rd9, %rd1, %rd8; st.global.u32 [%rd9], 1;\n");
    if (isKnown) {
      reaches(bounds, new Shape(1, 1, 100, 0), 36);
    } else {
      reachesNothing(bounds, new Shape(1, 1, 100, 0));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'selp.b32 %r8, %r6, %r7, %p1;'",
    "'add.s32 %r9, %r6, 4; selp.b32 %r8, %r6, %r9, %p1; add.s32 %r9, %r7, 4;"
        + " selp.b32 %r9, %r7, %r9, %p1; sub.s32 %r8, %r8, %r9;'"
  })
  void anIndexThatIsMadeOfAddressesHasNoBounds(String index) {
    KernelBounds bounds =
        bounds(VARIABLES + "mov.u32 %r6, s; mov.u32 %r7, t; " + index + storeAt("%r8"));
    assertThat(bounds.arrays().get(0).isLimited()).isFalse();
  }

  @Test
  void anAddressThatIsReadInHalvesIsNotTakenForNumbers() {
    KernelBounds bounds =
        bounds(
            """
            ld.param.u32 %r6, [p0];
            ld.param.u32 %r7, [p0+4];
            mov.b64 %rd2, {%r6, %r7};
            st.global.u32 [%rd2+400], %r5;
            """);

    isLimitedTo(bounds, new Shape(1, 1, 0, 1), Long.MIN_VALUE, Long.MAX_VALUE);
  }

  @ParameterizedTest
  @CsvSource({"u32.u16, -1", "u32.u16, 1000", "s32.s16, 1000"})
  void aLoopInStepsThatAnEarlierLoopCountsInFewBitsHasNoLimit(String extend, int by) {
    // What the first loop leaves is not its number of iterations times the number in 16 bits.
    KernelBounds bounds =
        bounds(
            """
            ld.param.u32 %r6, [p1]; ld.param.u32 %r7, [p2];
            mov.u16 %rs1, 0; mov.u32 %r8, 0; mov.u32 %r9, 0; setp.eq.s32 %p1, %r6, 0; @%p1 bra J;
            L: add.s16 %rs1, %rs1, BY; cvt.EXTEND %r9, %rs1; add.s32 %r8, %r8, 1;
            setp.ne.s32 %p2, %r8, %r6; @%p2 bra L;
            J: mov.u32 %r10, 0; mov.u32 %r11, 0; setp.lt.s32 %p3, %r7, 1; @%p3 bra END;
            M: mul.wide.s32 %rd5, %r10, 4; add.s64 %rd6, %rd1, %rd5; st.global.u32 [%rd6], 1;
            add.s32 %r10, %r10, %r9; add.s32 %r11, %r11, 1;
            setp.lt.s32 %p4, %r11, %r7; @%p4 bra M;
            END:
            """
                .replace("BY", "" + by)
                .replace("EXTEND", extend));
    isLimitedTo(bounds, new Shape(1, 1, 70, 70), Long.MIN_VALUE, Long.MAX_VALUE);
  }

  private static void isLimitedTo(KernelBounds bounds, Shape launch, long begin, long end) {
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    evaluator.limit(launch);
    assertThat(evaluator.mayBegin(0)).isEqualTo(begin);
    assertThat(evaluator.mayEnd(0)).isEqualTo(end);
  }

  private static void reaches(KernelBounds bounds, Shape launch, long end) {
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    assertThat(evaluator.reach(0, launch)).isTrue();
    assertThat(evaluator.reachedEnd()).isEqualTo(end);
    BoundsEvaluator recorded = RecordedBounds.of(bounds.launches()).evaluator();
    assertThat(recorded.reach(0, launch)).isTrue();
    assertThat(recorded.reachedEnd()).isEqualTo(end);
  }

  private static void reachesNothing(KernelBounds bounds, Shape launch) {
    assertThat(bounds.launches().evaluator().reach(0, launch)).isFalse();
    assertThat(RecordedBounds.of(bounds.launches()).evaluator().reach(0, launch)).isFalse();
  }

  private static final String GUARDED_STORE =
      """
      setp.ge.s32 %p1, %r4, %r5;
      @%p1 bra END;
      mul.wide.s32 %rd2, %r4, 4;
      add.s64 %rd3, %rd1, %rd2;
      st.global.u32 [%rd3], %r4;
      END:
      """;

  @ParameterizedTest
  @CsvSource({"20, 20", "64, 32"})
  void theLaneOfTheLastThreadIsKnownBeforeALaunch(int threads, int end) {
    KernelBounds bounds =
        bounds(
            "mov.u32 %r6, %laneid; mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;"
                + " st.global.u32 [%rd3], %r4;\n");
    reaches(bounds, new Shape(2, threads, 0), end * 4L);
    isLimitedTo(bounds, new Shape(2, threads, 0), 0, end * 4L);
  }

  @ParameterizedTest
  @CsvSource({"0, false", "-1, true"})
  void anAccessThatNoLaunchMakesIsNotCalledChecked(int added, boolean isChecked) {
    // There is no block whose number is the number of blocks.
    KernelBounds bounds =
        bounds(
            "mov.u32 %r6, %nctaid.x; add.s32 %r7, %r6, "
                + added
                + "; setp.ne.s32 %p1, %r1, %r7; @%p1 bra END; st.global.u32 [%rd1], %r4;\nEND:\n");
    assertThat(bounds.isChecked(0)).isEqualTo(isChecked);
  }

  @ParameterizedTest
  @CsvSource({"64, 256", "1, 4", "0, 8589934592", "-5, 8589934592"})
  void aMaskOfTheLaunchLimitsALoadedIndex(int size, long end) {
    // The index of a hash table whose size is a power of two; a negative mask limits nothing.
    KernelBounds bounds =
        bounds(
            "ld.param.u64 %rd4, [p0]; ld.global.u32 %r6, [%rd4]; sub.s32 %r7, %r5, 1;"
                + " and.b32 %r8, %r6, %r7; mul.wide.s32 %rd2, %r8, 4; add.s64 %rd3, %rd1, %rd2;"
                + " st.global.u32 [%rd3], %r4;\n");
    assertThat(bounds.arrays().get(0).isLimited()).isTrue();
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    evaluator.limit(new Shape(2, 64, size));
    assertThat(evaluator.mayEnd(0)).isEqualTo(end);
  }

  @Test
  void anAddressThatIsTooLongAFormulaCostsTheBoundsOfItsArrayAlone() {
    String number = "cvt.s64.s32 %rd5, %r6; add.s64 %rd5, %rd5, 1; cvt.u32.u64 %r6, %rd5;\n";
    String text =
        HEAD
            + ".visible .entry k(.param .u64 p0, .param .u32 p1, .param .u32 p2, .param .u64 p3) {\n"
            + ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .b16 %rs<9>;\n"
            + INDEX
            + "ld.param.u64 %rd7, [p3]; mov.u32 %r6, %r4;\n"
            + number.repeat(80)
            + "setp.ge.s32 %p2, %r4, %r5; @%p2 bra BEHIND;\n"
            + "mul.wide.s32 %rd8, %r6, 4; add.s64 %rd9, %rd7, %rd8; st.global.u32 [%rd9], %r4;\n"
            + "BEHIND:\n"
            + GUARDED_STORE
            + "ret;\n}\n";
    PtxModule module = PtxModule.parse(text);
    List<ArrayPlace> places = List.of(new ArrayPlace(0, 0), new ArrayPlace(3, 0));
    KernelBounds bounds = KernelBounds.of(module, module.entries().get(0), places);

    assertThat(bounds.arrays().get(0).isLimited()).isTrue();
    assertThat(bounds.isChecked(0)).isTrue();
    assertThat(bounds.arrays().get(1).reason()).isEqualTo("an address is too long a formula");
  }

  @Test
  void anArrayWhoseBoundsAreUnknownTakesNoMoreOfWhatOthersNeed() {
    StringBuilder masked = new StringBuilder();
    for (int i = 1; i < 4_500; i++) {
      masked.append("and.b32 %r6, %r4, ").append(i).append(";\n");
      masked.append("mul.wide.u32 %rd8, %r6, 4; add.s64 %rd9, %rd7, %rd8;\n");
      masked.append("st.global.u32 [%rd9], %r4;\n");
    }
    String text =
        HEAD
            + ".visible .entry k(.param .u64 p0, .param .u32 p1, .param .u32 p2, .param .u64 p3) {\n"
            + ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .b16 %rs<9>;\n"
            + INDEX
            + "ld.param.u64 %rd7, [p3]; ld.global.u32 %r6, [%rd7]; mul.wide.s32 %rd8, %r6, 4;\n"
            + "add.s64 %rd9, %rd7, %rd8; st.global.u32 [%rd9], %r4;\n"
            + masked
            + GUARDED_STORE
            + "ret;\n}\n";
    PtxModule module = PtxModule.parse(text);
    List<ArrayPlace> places = List.of(new ArrayPlace(3, 0), new ArrayPlace(0, 0));
    KernelBounds bounds = KernelBounds.of(module, module.entries().get(0), places);

    assertThat(bounds.arrays().get(0).reason()).startsWith("the index is a value that the kernel");
    assertThat(bounds.arrays().get(1).isLimited()).isTrue();
  }

  @Test
  void aLoopWhoseEndIsTooLongAFormulaCostsNothingInFrontOfIt() {
    String number = "cvt.s64.s32 %rd5, %r7; add.s64 %rd5, %rd5, 1; cvt.u32.u64 %r7, %rd5;\n";
    KernelBounds bounds =
        bounds(
            GUARDED_STORE
                + "mov.u32 %r6, 0;\nLOOP:\nadd.s32 %r6, %r6, 1;\nmov.u32 %r7, %r6;\n"
                + number.repeat(80)
                + "setp.lt.s32 %p3, %r7, %r5;\n@%p3 bra LOOP;\n");
    assertThat(bounds.arrays().get(0).isLimited()).isTrue();
    assertThat(bounds.isChecked(0)).isTrue();
    reaches(bounds, new Shape(2, 32, 60), 60 * 4);
  }

  @Test
  void whatALaunchKeepsOfTheBoundsIsWhatItNeeds() {
    StringBuilder unrelated = new StringBuilder();
    for (int i = 1; i <= 200; i++) {
      unrelated.append("mad.lo.s32 %r9, %r4, ").append(i).append(", %r9;\n");
    }
    KernelBounds bounds = bounds(unrelated + GUARDED_STORE);
    LaunchBounds compact = bounds.launches().compact();
    assertThat(compact.isChecked()).isTrue();
    assertThat(compact.plan().nodes()).isLessThan(bounds.launches().plan().nodes() - 200);
    BoundsEvaluator evaluator = compact.evaluator();
    assertThat(evaluator.reach(0, new Shape(2, 32, 60))).isTrue();
    assertThat(evaluator.reachedEnd()).isEqualTo(60 * 4);
  }

  @Test
  void aLoadedNumberOfEightBytesLimitsNoIndex() {
    KernelBounds bounds =
        bounds(
            """
            ld.param.u64 %rd4, [p0];
            ld.global.u64 %rd2, [%rd4];
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r5;
            """);
    assertThat(bounds.arrays().get(0).isLimited()).isFalse();
  }

  @Test
  void aGuardLimitsTheIndex() {
    KernelBounds bounds = bounds(GUARDED_STORE);
    isLimitedTo(bounds, new Shape(4, 32, 100), 0, 400);
    reaches(bounds, new Shape(4, 32, 100), 400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a number for true | selp.b32 %r8, 1, 0, %p1; setp.eq.s32 %p3, %r8, 1; | true",
        "not its number for false | selp.b32 %r8, 0, 1, %p1; setp.eq.s32 %p3, %r8, 0; | true",
        "neither of its numbers | selp.b32 %r8, 0, 1, %p1; setp.eq.s32 %p3, %r8, %r6; | false",
        "twice not | not.pred %p2, %p1; not.pred %p3, %p2; | true",
        "both | setp.ne.s32 %p2, %r6, 9; and.pred %p3, %p2, %p1; | true",
        "one of both | setp.ne.s32 %p2, %r6, 9; or.pred %p3, %p2, %p1; | false",
        "not one of both | not.pred %p4, %p1; or.pred %p2, %p4, %p5; not.pred %p3, %p2; | true",
        "not another one of both | not.pred %p4, %p1; or.pred %p2, %p5, %p4; not.pred %p3, %p2; |"
            + " true",
        "not both | not.pred %p4, %p1; and.pred %p2, %p4, %p5; not.pred %p3, %p2; | false",
        "exactly one | setp.ne.s32 %p2, %r6, 9; xor.pred %p3, %p2, %p1; | false",
        "both in one instruction | setp.ne.s32 %p2, %r6, 9; setp.lt.and.s32 %p3, %r4, %r5, %p2; | true",
        "one of both in one instruction | setp.lt.or.s32 %p3, %r4, %r5, %p5; | false",
        "or else never | setp.ne.s32 %p2, %r6, 9; mov.pred %p3, 0; @%p2 mov.pred %p3, %p1; | true",
        "or else always | mov.pred %p3, -1; @%p5 mov.pred %p3, %p1; | false",
        "never, or else | mov.pred %p3, %p1; @%p5 mov.pred %p3, 0; | true",
        "always, or else | mov.pred %p3, %p1; @%p5 mov.pred %p3, -1; | false",
      })
  void aComparisonLimitsTheIndexWhereItHolds(String what, String guard, boolean limits) {
    KernelBounds bounds =
        bounds(
            "ld.param.u32 %r6, [p2]; setp.lt.s32 %p1, %r4, %r5; setp.eq.s32 %p5, %r6, 7;\n"
                + guard
                + "\n@!%p3 bra END;\nmul.wide.s32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                + "st.global.u32 [%rd3], %r4;\nEND:\n");
    isLimitedTo(bounds, new Shape(4, 32, 60, 1), 0, limits ? 60 * 4 : 4 * 32 * 4);
  }

  @ParameterizedTest
  @CsvSource({
    "'bfind.u32 %r7, %r6;', -1, 31", "'bfind.u64 %r7, %rd9;', -1, 63", "'clz.b32 %r7, %r6;', 0, 32",
    "'popc.b64 %r7, %rd9;', 0, 64", "'min.u32 %r7, %r6, 9;', 0, 9", "'min.u32 %r7, 9, %r6;', 0, 9"
  })
  void anInstructionLimitsItsResultWhateverItIsOf(String instruction, long least, long most) {
    KernelBounds bounds =
        bounds(
            ".shared .align 8 .b8 tile[16]; ld.shared.u32 %r6, [tile]; ld.shared.u64 %rd9, [tile];\n"
                + instruction
                + storeAt("%r7"));
    assertThat(bounds.arrays().get(0).isLimited()).isTrue();
    isLimitedTo(bounds, new Shape(1, 32, 1), 4 * least, 4 * most + 4);
  }

  @ParameterizedTest
  @CsvSource({"s8, -128, 127", "u8, 0, 255", "s16, -32768, 32767", "u16, 0, 65535"})
  void aLoadedNumberOfFewBytesLimitsTheIndex(String type, long least, long most) {
    KernelBounds bounds =
        bounds(
            ".shared .align 4 .b8 tile[16]; ld.shared.TYPE %r6, [tile];\n".replace("TYPE", type)
                + storeAt("%r6"));
    isLimitedTo(bounds, new Shape(1, 32, 1), 4 * least, 4 * most + 4);
    assertThat(bounds.isChecked(0)).isFalse();
    assertThat(bounds.launches().isChecked()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "an index from a loaded number | add.s32 %r7, %r6, %r4; | false",
        "a loop of loaded length | mov.u32 %r7, 0; L: add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7,"
            + " %r6; @%p1 bra L; | false",
        "a loop of known length | mov.u32 %r7, 0; L: add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7,"
            + " %r5; @%p1 bra L; | true",
        "a branch of a loaded number | mov.u32 %r7, %r4; setp.lt.s32 %p1, %r6, 9; @%p1 bra END; |"
            + " false",
      })
  void onlyWhatALaunchTellsIsChecked(String what, String index, boolean isChecked) {
    KernelBounds bounds =
        bounds(
            ".shared .align 4 .b8 tile[16]; ld.shared.u32 %r6, [tile];\n"
                + index
                + storeAt("%r7")
                + "END:\n");
    assertThat(bounds.isChecked(0)).as(what).isEqualTo(isChecked);
    assertThat(bounds.launches().isChecked()).as(what).isEqualTo(isChecked);
  }

  @ParameterizedTest
  @CsvSource({"p0+4, u32", "p0, u32", "p0+6, u16", "p1+4, u32", "p1+2, u32", "p2-1, u16"})
  void nothingBesideOneParameterIsANumberOfTheLaunch(String place, String type) {
    KernelBounds bounds =
        bounds(
            "ld.param.TYPE %r6, [PLACE];\n".replace("TYPE", type).replace("PLACE", place)
                + storeAt("%r6"));
    assertThat(bounds.launches().arguments())
        .allMatch(number -> number.parameter() == 1 && number.offset() == 0);
    assertThat(bounds.isChecked(0)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"8, 1, 64", "4, 1, 16", "1, 5, 20"})
  void theLaneOfAThreadCountsItsRows(int rows, int planes, int threads) {
    KernelBounds bounds =
        bounds(
            "mov.u32 %r6, %laneid; mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;"
                + " st.global.u32 [%rd3], %r4;\n");
    Shape launch = new Shape(1, List.of(threads / rows / planes, rows, planes));
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    evaluator.limit(launch);
    assertThat(evaluator.mayEnd(0)).isEqualTo(4L * Math.min(threads, 32));
    assertThat(evaluator.reach(0, launch)).isTrue();
    assertThat(evaluator.reachedEnd()).isEqualTo(4L * Math.min(threads, 32));
  }

  @ParameterizedTest
  @CsvSource({"'mov.b32 %r7, %r6;', true", "'ld.shared.u8 %r7, [tile];', false"})
  void aComparisonInTheIterationBeforeSaysNothingOfWhatIsLoadedSince(
      String added, boolean isLimited) {
    KernelBounds bounds =
        bounds(
            ".shared .align 4 .b8 tile[16]; ld.param.u32 %r6, [p2]; mov.u32 %r8, 0;\nL: "
                + added
                + " add.s32 %r9, %r8, %r7;\nmul.wide.s32 %rd2, %r9, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                + "st.global.u32 [%rd3], %r4;\nadd.s32 %r8, %r8, 1; add.s32 %r10, %r8, %r7;\n"
                + "setp.lt.s32 %p1, %r10, %r5; @%p1 bra L;\n");
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    evaluator.limit(new Shape(1, 32, 400, 0));
    assertThat(evaluator.mayEnd(0) == 4 * 400).isEqualTo(isLimited);
    assertThat(evaluator.mayEnd(0)).isGreaterThanOrEqualTo(4 * 400);
  }

  @Test
  void aLaunchReachesTheFirstOfSeveralElementsAroundItsIndex() {
    KernelBounds bounds =
        bounds(
            "mul.wide.s32 %rd2, %r4, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                + "st.global.u32 [%rd3+20], %r4;\nst.global.u32 [%rd3+-12], %r4;\n"
                + "st.global.u32 [%rd3+-8], %r4;\n");
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    assertThat(evaluator.reach(0, new Shape(1, 1, 1))).isTrue();
    assertThat(evaluator.reachedBegin()).isEqualTo(-12);
    assertThat(evaluator.reachedEnd()).isEqualTo(24);
  }

  @Test
  void anIndexThatIsKeptInFewerBitsHasThese() {
    KernelBounds bounds =
        bounds(
            ".local .u8 kept; st.local.u8 [kept], %r4; ld.local.u8 %r6, [kept];\n"
                + storeAt("%r6"));
    isLimitedTo(bounds, new Shape(2, 32, 1), 0, 64 * 4);
    reaches(bounds, new Shape(2, 32, 1), 64 * 4);
    // The last thread's number is 299, of which the last eight bits are 43.
    reaches(bounds, new Shape(3, 100, 1), 44 * 4);
  }

  @Test
  void theThreadsOfTheGridLimitTheIndexAsWell() {
    KernelBounds bounds = bounds(GUARDED_STORE);
    isLimitedTo(bounds, new Shape(2, 32, 100), 0, 256);
    reaches(bounds, new Shape(2, 32, 100), 256);
  }

  @Test
  void aLaunchWhoseGuardNeverHoldsTouchesNothing() {
    KernelBounds bounds = bounds(GUARDED_STORE);
    for (long n : new long[] {0, -1, Integer.MIN_VALUE}) {
      isLimitedTo(bounds, new Shape(2, 32, n), Long.MAX_VALUE, 0);
      reachesNothing(bounds, new Shape(2, 32, n));
    }
  }

  @Test
  void anIndexThatMayWrapAroundIsNotLimited() {
    KernelBounds bounds =
        bounds(
            """
            ld.param.u32 %r6, [p2];
            setp.ge.s32 %p1, %r4, %r5;
            @%p1 bra END;
            mul.lo.s32 %r7, %r4, %r6;
            mul.wide.s32 %rd2, %r7, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r4;
            END:
            """);
    isLimitedTo(bounds, new Shape(1, 32, 32, 1000), 0, 4 * 31_001);
    isLimitedTo(bounds, new Shape(1, 32, 32, 100_000_000), Long.MIN_VALUE, Long.MAX_VALUE);
    // The last thread's index has wrapped around, and it is still the one that the device computes.
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    assertThat(evaluator.reach(0, new Shape(1, 32, 32, 100_000_000))).isTrue();
    assertThat(evaluator.reachedBegin()).isEqualTo(4L * (31 * 100_000_000));
  }

  @Test
  void aGuardOnALoadedValueLimitsItAndMakesNothingCertain() {
    KernelBounds bounds =
        bounds(
            """
            ld.global.u32 %r6, [%rd1];
            setp.ge.u32 %p1, %r6, %r5;
            @%p1 bra END;
            mul.wide.u32 %rd2, %r6, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r4;
            END:
            """);
    isLimitedTo(bounds, new Shape(1, 32, 50), 0, 200);
    reaches(bounds, new Shape(1, 32, 50), 4);
  }

  @Test
  void aComparisonWithoutSignLimitsTheSameBitsWithASign() {
    KernelBounds bounds =
        bounds(
            """
            ld.global.u32 %r6, [%rd1];
            setp.ge.u32 %p1, %r6, %r5;
            @%p1 bra END;
            mul.wide.s32 %rd2, %r6, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r4;
            END:
            """);
    isLimitedTo(bounds, new Shape(1, 32, 50), 0, 200);
    // Below a number with a sign bit, the loaded one may have it as well.
    isLimitedTo(bounds, new Shape(1, 32, -50), 4L * Integer.MIN_VALUE, 4L * Integer.MAX_VALUE + 4);
  }

  @Test
  void anAccessUnderAConditionThatCannotHoldIsJoinedWithNoOther() {
    // No thread comes to the second store, whose conditions exclude each other.
    KernelBounds bounds =
        bounds(
            "ld.param.u32 %r6, [p2]; setp.gt.s32 %p1, %r5, 7; @%p1 bra END;"
                + " setp.lt.s32 %p2, %r6, 0; @%p2 bra NEXT;"
                + storeAt("%r4")
                + "NEXT: @%p1 bra NEVER; bra END; NEVER:"
                + storeAt("%r4")
                + "END:\n");

    reachesNothing(bounds, new Shape(1, 16, 3, -1));
  }

  private static final String LOADED = "the index is a value that the kernel loads or receives";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ld.global.u32 %r6, [%rd1]; | LOADED, and nothing limits it",
        "atom.global.add.u32 %r6, [%rd1], 1; | LOADED, and nothing limits it",
        "ld.global.u32 %r6, [%rd1]; setp.ge.s32 %p1, %r6, %r5; @%p1 ret;"
            + " | LOADED, and nothing limits it from below",
        "ld.global.u32 %r6, [%rd1]; setp.lt.s32 %p1, %r6, 0; @%p1 ret;"
            + " | LOADED, and nothing limits it from above",
        "ld.global.u32 %r7, [%rd1]; mul.hi.s32 %r6, %r7, %r7;"
            + " | the index is computed in a way that is not followed, and nothing limits it",
        "mul.hi.s32 %r6, %r4, %r5;"
            + " | the index is computed in a way that is not followed, and nothing limits it",
        "mov.u32 %r6, 0; L: add.s32 %r6, %r6, 1; setp.eq.s32 %p1, %r6, %r4; @!%p1 bra L;"
            + " | the index grows in a loop of which no end was found"
      })
  void anIndexThatNothingLimitsSaysWhere(String index, String reason) {
    KernelBounds bounds = bounds(index + storeAt("%r6"));
    assertThat(bounds.arrays().get(0).isLimited()).isFalse();
    assertThat(bounds.arrays().get(0).reason()).isEqualTo(reason.replace("LOADED", LOADED));
  }

  @Test
  void aByteIsAnIndexBelow256() {
    KernelBounds bounds =
        bounds(
            """
            ld.global.u8 %rs1, [%rd1];
            mul.wide.u16 %r6, %rs1, 4;
            cvt.u64.u32 %rd2, %r6;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r4;
            """);
    isLimitedTo(bounds, new Shape(1, 32), 0, 1024);
  }

  @Test
  void bothWaysOfABranchThatIsUnknownTouchTheSamePlace() {
    KernelBounds bounds =
        bounds(
            """
            ld.global.u32 %r6, [%rd1];
            setp.eq.s32 %p1, %r6, 0;
            mul.wide.s32 %rd2, %r4, 4;
            add.s64 %rd3, %rd1, %rd2;
            @%p1 bra OTHER;
            st.global.u32 [%rd3+400], %r4;
            bra END;
            OTHER:
            st.global.u32 [%rd3+400], %r5;
            END:
            """);
    reaches(bounds, new Shape(1, 32), 400 + 128);
  }

  @Test
  void aTrapEndsAWayAndTheRestIsCertain() {
    KernelBounds bounds =
        bounds(
            """
            ld.global.u32 %r6, [%rd1];
            setp.eq.s32 %p1, %r6, 0;
            @%p1 trap;
            mul.wide.s32 %rd2, %r4, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r4;
            """);
    reaches(bounds, new Shape(1, 32), 128);
  }

  @Test
  void anExitThatIsUnknownMakesTheRestUncertain() {
    KernelBounds bounds =
        bounds(
            """
            ld.global.u32 %r6, [%rd1];
            setp.eq.s32 %p1, %r6, 0;
            @%p1 exit;
            mul.wide.s32 %rd2, %r4, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r4;
            """);
    isLimitedTo(bounds, new Shape(1, 32), 0, 128);
    reaches(bounds, new Shape(1, 32), 4);
  }

  @Test
  void anAddressThatLeavesTheThreadIsUnknown() {
    KernelBounds bounds = bounds("st.global.u64 [%rd1], %rd1;\n");
    assertThat(bounds.arrays().get(0).isLimited()).isFalse();
    assertThat(bounds.arrays().get(0).reason()).contains("leaves the registers");
  }

  @Test
  void theLastBlockIsLookedAt() {
    KernelBounds bounds =
        bounds(
            """
            mul.wide.s32 %rd2, %r4, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r4;
            """);
    reaches(bounds, new Shape(4, 32), 512);
    reaches(bounds, new Shape(1, 1), 4);
  }

  @Test
  void aVectorIsAsWideAsAllItsElements() {
    for (int count : new int[] {2, 4}) {
      String values = count == 2 ? "{%r4, %r4}" : "{%r4, %r4, %r4, %r4}";
      KernelBounds bounds =
          bounds(
              "mul.wide.s32 %rd2, %r4, 16;\nadd.s64 %rd3, %rd1, %rd2;\n"
                  + "st.global.v"
                  + count
                  + ".u32 [%rd3], "
                  + values
                  + ";\n");
      reaches(bounds, new Shape(1, 32), 31 * 16 + 4 * count);
      isLimitedTo(bounds, new Shape(1, 32), 0, 31 * 16 + 4 * count);
    }
  }

  @Test
  void ofAccessesOnBothWaysOfABranchTheNarrowerIsCertain() {
    String wide = "st.global.u64 [%rd1+400], %rd2;\n";
    String narrow = "st.global.u32 [%rd1+400], %r5;\n";
    for (String[] ways : new String[][] {{wide, narrow}, {narrow, wide}}) {
      KernelBounds bounds =
          bounds(
              "mov.u64 %rd2, 0;\nld.global.u32 %r6, [%rd1];\nsetp.eq.s32 %p1, %r6, 0;\n"
                  + "@%p1 bra OTHER;\n"
                  + ways[0]
                  + "bra END;\nOTHER:\n"
                  + ways[1]
                  + "END:\n");
      reaches(bounds, new Shape(1, 32), 404);
    }
  }

  private static final String MAY_EXIT =
      """
      .func leave(.param .b32 v) {
      .reg .pred %p<2>; .reg .b32 %r<2>;
      ld.param.u16 %r1, [v]; // Half of what is stored: such a call is not followed.
      setp.eq.s32 %p1, %r1, 0;
      @%p1 exit;
      ret;
      }
      """;
  private static final String CALL =
      "{ .param .b32 q; st.param.b32 [q+0], %r5; call.uni leave, (q); }\n";

  @Test
  void behindACallThatMayEndTheThreadNothingIsCertain() {
    String store = "st.global.u32 [%rd1+400], %r5;\n";
    String branch = "setp.gt.s32 %p1, %r5, 5;\n@!%p1 bra END;\n";
    reaches(bounds(MAY_EXIT, branch + store + "END:\n"), new Shape(1, 1, 6), 404);
    reachesNothing(bounds(MAY_EXIT, CALL + store), new Shape(1, 1, 6));
    reachesNothing(bounds(MAY_EXIT, CALL + branch + store + "END:\n"), new Shape(1, 1, 6));
    reachesNothing(bounds(MAY_EXIT, branch + CALL + store + "END:\n"), new Shape(1, 1, 6));
  }

  @Test
  void aCallThatMayEndTheThreadIsFollowedByItsCondition() {
    String followed = MAY_EXIT.replace("u16", "u32");
    String store = "st.global.u32 [%rd1+400], %r5;\n";
    reaches(bounds(followed, CALL + store), new Shape(1, 1, 6), 404);
    reachesNothing(bounds(followed, CALL + store), new Shape(1, 1, 0));
  }

  private static final String FUNCTIONS =
      """
      .func (.param .b32 out) most(.param .b32 v, .param .align 8 .b8 pair[8])
      {
        .reg .pred %p<2>; .reg .b32 %r<5>;
        ld.param.u32 %r1, [v];
        ld.param.v2.b32 {%r2, %r3}, [pair];
        setp.gt.s32 %p1, %r1, %r2;
        @%p1 bra BIG;
        st.param.b32 [out+0], %r1;
        ret;
      BIG:
        st.param.b32 [out+0], %r3;
        ret;
      }
      .func put(.param .b64 to, .param .b32 index, .param .b32 n)
      {
        .reg .pred %p<2>; .reg .b32 %r<5>; .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [to];
        ld.param.u32 %r1, [index];
        ld.param.u32 %r2, [n];
        setp.ge.s32 %p1, %r1, %r2;
        @%p1 ret;
        mul.wide.s32 %rd2, %r1, 4;
        add.s64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r1;
        ret;
      }
      .func through(.param .b64 to, .param .b32 index)
      {
        .reg .b32 %r<5>; .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [to];
        ld.param.u32 %r1, [index];
        { .param .b64 a; st.param.b64 [a+0], %rd1; .param .b32 b; st.param.b32 [b+0], %r1;
          .param .b32 c; st.param.b32 [c+0], 20; call.uni put, (a, b, c); }
        ret;
      }
      .func (.param .b32 out) minus(.param .b32 byte)
      {
        .reg .b32 %r<5>;
        ld.param.s8 %r1, [byte];
        neg.s32 %r2, %r1;
        st.param.b32 [out+0], %r2;
        ret;
      }
      .func again(.param .b64 to)
      {
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [to];
        { .param .b64 a; st.param.b64 [a+0], %rd1; call.uni again, (a); }
        ret;
      }
      """;

  private static String put(String function, String index, String more) {
    return "{ .param .b64 a; st.param.b64 [a+0], %rd1; .param .b32 b; st.param.b32 [b+0], "
        + index
        + ";"
        + (more.isEmpty() ? "" : " .param .b32 c; st.param.b32 [c+0], " + more + ";")
        + " call.uni "
        + function
        + (more.isEmpty() ? ", (a, b); }\n" : ", (a, b, c); }\n");
  }

  @Test
  void aFunctionThatStoresIsFollowed() {
    KernelBounds bounds = bounds(FUNCTIONS, put("put", "%r4", "%r5"));
    isLimitedTo(bounds, new Shape(4, 32, 60), 0, 60 * 4);
    reaches(bounds, new Shape(4, 32, 60), 60 * 4);
    KernelBounds inner = bounds(FUNCTIONS, put("through", "%r4", ""));
    isLimitedTo(inner, new Shape(4, 32, 60), 0, 20 * 4);
    reaches(inner, new Shape(4, 32, 60), 20 * 4);
    KernelBounds both = bounds(FUNCTIONS, put("put", "%r4", "%r5") + put("put", "%r3", "7"));
    isLimitedTo(both, new Shape(4, 32, 60), 0, 60 * 4);
  }

  @Test
  void aNumberThatAFunctionReturnsIsFollowed() {
    String call =
        "{ .param .b32 a; st.param.b32 [a+0], %r3; .param .align 8 .b8 b[8];"
            + " st.param.v2.b32 [b+0], {9, 40}; .param .b32 c;"
            + " call.uni (c), most, (a, b); ld.param.b32 %r6, [c+0]; }\n";
    String store = storeAt("%r6");
    KernelBounds bounds = bounds(FUNCTIONS, call + store);
    isLimitedTo(bounds, new Shape(1, 32), 0, 41 * 4);
    reaches(bounds, new Shape(1, 32), 41 * 4);
    isLimitedTo(bounds, new Shape(1, 4), 0, 41 * 4);
    reaches(bounds, new Shape(1, 4), 4 * 4);
  }

  @Test
  void aByteIsPassedAsItIsRead() {
    String call =
        "mov.u16 %rs1, 456;\n{ .param .b32 a; st.param.b8 [a+0], %rs1; .param .b32 c;"
            + " call.uni (c), minus, (a); ld.param.b32 %r6, [c+0]; }\n";
    String store = storeAt("%r6");
    // 456 is 200 in a byte, which is -56 with a sign.
    isLimitedTo(bounds(FUNCTIONS, call + store), new Shape(1, 32), 56 * 4, 57 * 4);
  }

  @Test
  void aLongRowOfCallsIsFollowedOnlySoFar() {
    StringBuilder functions = new StringBuilder(".func f1500() { ret; }\n");
    for (int i = 1499; i >= 0; i--) {
      functions.append(".func f" + i + "() { call.uni f" + (i + 1) + "; ret; }\n");
    }
    KernelBounds bounds = bounds(functions.toString(), "call.uni f0;\n" + GUARDED_STORE);
    isLimitedTo(bounds, new Shape(4, 32, 60), 0, 60 * 4);
    reaches(bounds, new Shape(4, 32, 60), 60 * 4);
  }

  @Test
  void aFunctionThatCallsItselfIsNotFollowed() {
    String call = "{ .param .b64 a; st.param.b64 [a+0], %rd1; call.uni again, (a); }\n";
    assertThat(bounds(FUNCTIONS, call + GUARDED_STORE).arrays().get(0).reason())
        .isEqualTo("its address leaves the registers of the thread");
  }

  @Test
  void aLoopWithACallThatMayEndTheThreadIsCertainOfItsFirstIterationAlone() {
    String loop =
        """
        mov.u32 %r7, 0;
        L: mul.wide.s32 %rd2, %r7, 4;
        add.s64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r5;
        ld.global.u32 %r8, [%rd1];
        setp.eq.s32 %p1, %r8, 0;
        @%p1 bra GO;
        CALL
        GO: add.s32 %r7, %r7, 1;
        setp.lt.s32 %p2, %r7, %r5;
        @%p2 bra L;
        """;
    reaches(bounds(MAY_EXIT, loop.replace("CALL", "")), new Shape(1, 1, 10), 40);
    reaches(bounds(MAY_EXIT, loop.replace("CALL", CALL)), new Shape(1, 1, 10), 4);
  }

  @Test
  void aLoopWithAComparisonWithoutSignIsNotTheSameOneWithASign() {
    KernelBounds bounds =
        bounds(
            """
            cvt.s64.s32 %rd4, %r5;
            L: shl.b64 %rd5, %rd4, 2;
            add.s64 %rd6, %rd1, %rd5;
            st.global.u32 [%rd6+40], %r5;
            add.s64 %rd4, %rd4, 1;
            setp.lt.u64 %p1, %rd4, 10;
            @%p1 bra L;
            """);
    reaches(bounds, new Shape(1, 1, 5), 80);
    // Without a sign, -4 is not less than 10: the loop ends after its first iteration.
    reaches(bounds, new Shape(1, 1, -5), 24);
  }

  @Test
  void aGuardWithoutSignLimitsNothingWhereItsNumberHasTheSignBit() {
    KernelBounds bounds =
        bounds(
            """
            cvt.s64.s32 %rd4, %r5;
            cvt.u64.u32 %rd5, %r3;
            setp.ge.u64 %p1, %rd5, %rd4;
            @%p1 bra END;
            shl.b64 %rd6, %rd5, 2;
            add.s64 %rd7, %rd1, %rd6;
            st.global.u32 [%rd7], %r5;
            END:
            """);
    isLimitedTo(bounds, new Shape(1, 32, 10), 0, 40);
    isLimitedTo(bounds, new Shape(1, 32, -1), 0, 128);
  }

  @Test
  void aStepBeyond64BitsIsNotExact() {
    String loop =
        """
        ld.param.u32 %r6, [p2];
        mul.wide.s32 %rd4, %r5, %r5;
        mul.wide.s32 %rd5, %r6, %r6;
        STEP
        mov.u64 %rd7, %rd1;
        mov.u32 %r7, 0;
        L: st.global.u32 [%rd7], %r5;
        add.s64 %rd7, %rd7, %rd6;
        add.s32 %r7, %r7, 1;
        setp.lt.s32 %p1, %r7, 2;
        @%p1 bra L;
        """;
    KernelBounds sum = bounds(loop.replace("STEP", "add.s64 %rd6, %rd4, %rd5;"));
    reaches(sum, new Shape(1, 1, 3, 4), 29);
    Shape least = new Shape(1, 1, Integer.MIN_VALUE, Integer.MIN_VALUE);
    reachesOnlyTheFirstElement(sum, least);
    // One term alone exceeds 64 bits, whichever comes first.
    for (String step :
        List.of(
            "shl.b64 %rd9, %rd4, 2;\nsub.s64 %rd6, %rd5, %rd9;",
            "shl.b64 %rd9, %rd5, 2;\nsub.s64 %rd6, %rd4, %rd9;")) {
      reachesOnlyTheFirstElement(bounds(loop.replace("STEP", step)), least);
    }
  }

  @Test
  void eachOfTwoComparisonsThatBothHoldLimitsTheIndex() {
    KernelBounds bounds =
        bounds(
            """
            ld.param.u32 %r6, [p2];
            setp.lt.s32 %p1, %r4, %r5;
            setp.lt.s32 %p2, %r4, %r6;
            and.pred %p3, %p1, %p2;
            @!%p3 bra END;
            mul.wide.s32 %rd2, %r4, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r5;
            END:
            """);

    isLimitedTo(bounds, new Shape(4, 256, 100, 500), 0, 400);
    isLimitedTo(bounds, new Shape(4, 256, 500, 100), 0, 400);
  }

  @Test
  void aLoopThatMayEndEarlierIsCertainOfItsFirstIterationAlone() {
    KernelBounds bounds =
        bounds(
            """
            mov.u32 %r6, 0;
            L:
            mul.wide.s32 %rd2, %r6, 4;
            add.s64 %rd3, %rd1, %rd2;
            ld.global.u32 %r7, [%rd3];
            setp.eq.s32 %p1, %r7, 0;
            @%p1 bra END;
            add.s32 %r6, %r6, 1;
            setp.lt.s32 %p2, %r6, %r5;
            @%p2 bra L;
            END:
            """);

    reachesOnlyTheFirstElement(bounds, new Shape(1, 1, 100));
  }

  private static void reachesOnlyTheFirstElement(KernelBounds bounds, Shape launch) {
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    assertThat(evaluator.reach(0, launch)).isTrue();
    assertThat(evaluator.reachedBegin()).isZero();
    assertThat(evaluator.reachedEnd()).isEqualTo(4);
  }

  @Test
  void eachWayBackToTheBeginOfALoopHasItsOwnGuard() {
    String loop =
        """
        mov.u32 %r7, 0;
        L: mul.wide.s32 %rd2, %r7, 4;
        add.s64 %rd3, %rd1, %rd2;
        ld.global.u32 %r8, [%rd3];
        setp.eq.s32 %p1, %r8, 0;
        @%p1 bra OTHER;
        add.s32 %r7, %r7, 1;
        setp.lt.s32 %p2, %r7, LEFT;
        @%p2 bra L;
        bra END;
        OTHER: add.s32 %r7, %r7, 1;
        setp.lt.s32 %p3, %r7, RIGHT;
        @%p3 bra L;
        END:
        """;
    for (String first : List.of("10", "%r5")) {
      String second = first.equals("10") ? "%r5" : "10";
      KernelBounds bounds = bounds(loop.replace("LEFT", first).replace("RIGHT", second));
      BoundsEvaluator evaluator = bounds.launches().evaluator();
      evaluator.limit(new Shape(1, 1, 100));
      assertThat(evaluator.mayEnd(0)).isGreaterThanOrEqualTo(400);
    }
  }

  @Test
  void ofAnAlternativeNeitherSideIsKnownToHold() {
    String text =
        """
        setp.lt.s32 %p1, %r4, 10;
        setp.lt.s32 %p2, %r4, %r5;
        OPERATION.pred %p3, %p1, %p2;
        @!%p3 bra END;
        mul.wide.s32 %rd2, %r4, 4;
        add.s64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r4;
        END:
        """;
    isLimitedTo(bounds(text.replace("OPERATION", "or")), new Shape(1, 32, 5), 0, 128);
    isLimitedTo(bounds(text.replace("OPERATION", "and")), new Shape(1, 32, 5), 0, 20);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "an address | setp.eq.s64 %p2, %rd1, 0;",
        "the iterations of a loop that ends by what it loads | mov.u32 %r6, 0; L: add.s32 %r6, %r6,"
            + " 1; ld.global.u32 %r7, [%rd1]; setp.ne.s32 %p3, %r7, 0; @%p3 bra L; setp.eq.s32 %p2,"
            + " %r6, 9;",
        "the iterations of a loop up to what is loaded | mov.u32 %r6, 0; ld.global.u32 %r7, [%rd1];"
            + " L: add.s32 %r6, %r6, 1; setp.lt.s32 %p3, %r6, %r7; @%p3 bra L; setp.eq.s32 %p2,"
            + " %r6, 9;",
        "a choice by what is loaded | ld.global.u32 %r6, [%rd1]; setp.ne.s32 %p3, %r6, 0; mov.u32"
            + " %r7, 1; @%p3 bra L; mov.u32 %r7, 2; L: setp.eq.s32 %p2, %r7, 1;",
      })
  void anAccessThatDependsOnWhatNoLaunchShowsIsNotCalledChecked(String what, String condition) {
    String text =
        HEAD
            + ".visible .entry k(.param .u64 p0, .param .u32 p1, .param .u64 p2) {\n"
            + ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;\n"
            + INDEX
            + "ld.param.u64 %rd7, [p2]; "
            + condition
            + " @%p2 bra END; st.global.u32 [%rd7], %r4; END: ret; }";
    PtxModule module = PtxModule.parse(text);
    List<ArrayPlace> places = List.of(new ArrayPlace(0, 0), new ArrayPlace(2, 0));

    KernelBounds bounds = KernelBounds.of(module, module.entries().get(0), places);

    assertThat(bounds.arrays().get(1).isLimited()).as(what).isTrue();
    assertThat(bounds.isChecked(1)).as(what).isFalse();
  }

  @Test
  void whatALoopLeavesBehindIsThatOfItsLastIteration() {
    String text =
        """
        mov.u32 %r7, 0;
        L: add.s32 %r7, %r7, 3;
        setp.COMPARISON.s32 %p1, %r7, %r5;
        @%p1 bra L;
        mul.wide.s32 %rd2, %r7, 4;
        add.s64 %rd3, %rd1, %rd2;
        st.global.u32 [%rd3], %r4;
        """;
    KernelBounds less = bounds(text.replace("COMPARISON", "lt"));
    reaches(less, new Shape(1, 1, 10), 4 * 12 + 4);
    reaches(less, new Shape(1, 1, -5), 4 * 3 + 4);
    KernelBounds different = bounds(text.replace("COMPARISON", "ne"));
    reaches(different, new Shape(1, 1, 9), 4 * 9 + 4);
    // It passes by 10, and comes there after it has wrapped around.
    reachesNothing(different, new Shape(1, 1, 10));
  }

  @Test
  void arithmeticIsThatOfTheDevice() {
    assertThat(element("div.s32 %r8, %r5, %r6;", 8, 2)).isEqualTo(4);
    assertThat(element("shl.b32 %r8, %r5, %r6;", 5, 1)).isEqualTo(10);
    assertThat(element("shl.b32 %r8, %r5, %r6;", 5, 64)).isZero();
    assertThat(element("shr.s32 %r8, %r5, %r6;", -5, 64)).isEqualTo(-1);
    assertThat(element("shr.u32 %r8, %r5, %r6;", -5, 64)).isZero();
    assertThat(element("min.u32 %r8, %r5, %r6;", -1, 3)).isEqualTo(3);
    assertThat(element("min.s32 %r8, %r5, %r6;", -1, 3)).isEqualTo(-1);
    assertThat(element("max.u32 %r8, %r5, %r6;", -1, 3)).isEqualTo(-1);
    assertThat(element("div.u32 %r8, %r5, %r6;", -2, 1 << 30)).isEqualTo(3);
    assertThat(element("rem.u32 %r8, %r5, %r6;", -1, 10)).isEqualTo(5);
    reachesNothing(indexed("div.s32 %r8, %r5, %r6;"), new Shape(1, 1, 8, 0));
    reachesNothing(indexed("rem.u32 %r8, %r5, %r6;"), new Shape(1, 1, 8, 0));
  }

  private static KernelBounds indexed(String instruction) {
    return bounds("ld.param.u32 %r6, [p2];\n" + instruction + storeAt("%r8"));
  }

  /** The element that is touched where an instruction computes the index from two numbers. */
  private static long element(String instruction, long a, long b) {
    BoundsEvaluator evaluator = indexed(instruction).launches().evaluator();
    assertThat(evaluator.reach(0, new Shape(1, 1, a, b))).isTrue();
    assertThat(evaluator.reachedEnd()).isEqualTo(evaluator.reachedBegin() + 4);
    return evaluator.reachedBegin() / 4;
  }

  @Test
  void bitsThatOverlapAreNoSum() {
    KernelBounds bounds =
        bounds(
            """
            and.b32 %r7, %r5, 16;
            sub.s32 %r8, %r3, 1;
            shl.b32 %r8, %r8, 4;
            or.b32 %r8, %r8, %r7;
            cvt.s64.s32 %rd2, %r8;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u8 [%rd3], %r5;
            """);
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    evaluator.limit(new Shape(1, 32, 16));
    assertThat(evaluator.mayBegin(0)).isLessThanOrEqualTo(-16);
  }

  @Test
  void whatALaterIterationDoesIsNotClaimedOfTheFirstOne() {
    KernelBounds bounds =
        bounds(
            """
            mov.u32 %r7, 0;
            H: setp.lt.s32 %p1, %r7, 7;
            @%p1 bra L;
            mul.wide.s32 %rd2, %r7, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3+-8], %r5;
            setp.ge.s32 %p2, %r7, %r5;
            @%p2 bra END;
            L: add.s32 %r7, %r7, 1;
            bra H;
            END:
            """);
    reachesNothing(bounds, new Shape(1, 32, 100));
  }

  @Test
  void twoWaysIntoALoopAreNotItsFirstIteration() {
    KernelBounds bounds =
        bounds(
            """
            ld.param.u32 %r6, [p2];
            mov.u32 %r8, 500;
            setp.gt.s32 %p1, %r5, 5;
            @%p1 bra H;
            mov.u32 %r8, 3;
            H: mul.wide.s32 %rd2, %r8, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r5;
            add.s32 %r8, %r8, 1;
            setp.lt.s32 %p2, %r8, %r6;
            @%p2 bra H;
            """);
    reaches(bounds, new Shape(1, 32, 6, 0), 2004);
    reaches(bounds, new Shape(1, 32, 5, 0), 16);
  }

  @Test
  void waysThatDifferInMoreThanOneBranchAreNotJoined() {
    KernelBounds bounds =
        bounds(
            """
            ld.param.u32 %r6, [p2];
            setp.gt.s32 %p1, %r5, 5;
            setp.gt.s32 %p2, %r6, 5;
            setp.gt.s32 %p3, %r3, 100;
            @!%p1 bra END;
            @!%p2 bra F;
            @%p3 st.global.u32 [%rd1+400], %r5;
            bra END;
            F: @%p1 st.global.u32 [%rd1+400], %r5;
            END:
            """);
    reachesNothing(bounds, new Shape(1, 32, 6, 6));
    reaches(bounds, new Shape(1, 32, 6, 5), 404);
  }

  @Test
  void arithmeticIn64BitsThatMayWrapAroundIsNoNumber() {
    KernelBounds bounds =
        bounds(
            """
            cvt.s64.s32 %rd2, %r5;
            mul.lo.s64 %rd3, %rd2, 6364136223846793005;
            rem.u64 %rd4, %rd3, 100;
            add.s64 %rd5, %rd1, %rd4;
            st.global.u8 [%rd5], %r5;
            """);
    isLimitedTo(bounds, new Shape(1, 1, 7), 0, 100);
  }

  @Test
  void aParameterThatIsReadAsAVectorOrThroughItsAddressIsFollowedNoFurther() {
    KernelBounds bounds =
        bounds(
            """
            mov.b64 %rd2, p0;
            ld.param.u64 %rd3, [%rd2];
            st.global.u32 [%rd3+4000], %r5;
            """);
    assertThat(bounds.arrays().get(0).isLimited()).isFalse();
    KernelBounds vector =
        bounds(
            "ld.param.v2.u32 {%r7, %r8}, [p0];\nmov.b64 %rd3, {%r7, %r8};\n"
                + "st.global.u32 [%rd3+4000], %r5;\n");
    assertThat(vector.arrays().get(0).isLimited()).isFalse();
  }

  @Test
  void codeThatIsNeverReachedIsReadAsWell() {
    KernelBounds bounds =
        bounds(
            """
            bra END;
            mov.u32 %r7, 1;
            X: add.s32 %r7, %r7, 1;
            bra X;
            END: st.global.u32 [%rd1], %r5;
            """);
    reaches(bounds, new Shape(1, 1, 7), 4);
  }

  @Test
  void valuesThatShareOperandsTakeNoExponentialTime() {
    StringBuilder body = new StringBuilder("mov.u32 %r6, %r5;\nmov.u32 %r8, %r3;\n");
    for (int i = 0; i < 60; i++) {
      body.append("shl.b32 %r7, %r6, 3;\nxor.b32 %r6, %r6, %r7;\n");
    }
    body.append("H: setp.ge.s32 %p1, %r8, %r5;\n@%p1 bra END;\nmul.wide.s32 %rd2, %r8, 4;\n");
    body.append("add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r5;\n");
    body.append("add.s32 %r8, %r8, %r6;\nbra H;\nEND:\n");
    long begin = System.nanoTime();
    bounds(body.toString());
    assertThat(System.nanoTime() - begin).isLessThan(20_000_000_000L);
  }

  @Test
  void codeThatJumpsThroughATableIsUnknown() {
    KernelBounds bounds =
        bounds("ts: .branchtargets A, B;\nbrx.idx %r4, ts;\nA:\nB:\nst.global.u32 [%rd1], %r4;\n");
    assertThat(bounds.arrays().get(0).isLimited()).isFalse();
    assertThat(bounds.isChecked(0)).isFalse();
    assertThat(bounds.arrays().get(0).reason()).contains("jumps through a table");
  }

  /** The number of iterations of each loop depends on what the loop before it has computed. */
  private static KernelBounds loopsInARow(int loops, int operations) {
    StringBuilder body = new StringBuilder("mov.u32 %r6, %r5;\n");
    for (int i = 0; i < loops; i++) {
      body.append("mov.u32 %r7, 0;\nL" + i + ":\nadd.s32 %r7, %r7, 1;\n");
      body.append("setp.lt.s32 %p2, %r7, %r6;\n@%p2 bra L" + i + ";\nmov.u32 %r6, %r7;\n");
      for (int j = 0; j < operations; j++) {
        body.append("xor.b32 %r6, %r6, %r5;\nand.b32 %r6, %r6, 255;\n");
      }
    }
    body.append("mul.wide.s32 %rd2, %r6, 4;\nadd.s64 %rd3, %rd1, %rd2;\n");
    body.append("st.global.u32 [%rd3], %r4;\n");
    return bounds(body.toString());
  }

  @Test
  void loopsThatDependOnEachOtherAreFollowed() {
    reaches(loopsInARow(2, 1), new Shape(1, 1, 100), 408);
    reaches(loopsInARow(20, 4), new Shape(1, 1, 100), 404);
  }

  /** Frames on the stack, at most, while a launch follows a row of loops. */
  private static long deepest(int loops) {
    AtomicLong deepest = new AtomicLong();
    LaunchNumbers launch =
        new LaunchNumbers() {
          @Override
          public long argument(int argument) {
            long frames = StackWalker.getInstance().walk(Stream::count);
            deepest.accumulateAndGet(frames, Math::max);
            return 100;
          }

          @Override
          public int block(int dimension) {
            return 1;
          }

          @Override
          public int grid(int dimension) {
            return 1;
          }
        };
    loopsInARow(loops, 0).launches().evaluator().reach(0, launch);
    return deepest.get();
  }

  @Test
  @Tag("long") // Mutation tests need more of the stack.
  void aLongRowOfLoopsIsNotFollowedToTheEndOfTheStack() {
    assertThat(deepest(100)).isLessThan(600);
    // Followed to the end, it would be more than 3,000.
    assertThat(deepest(600)).isLessThan(2_600);
  }

  /** How far a grid of one block reaches in elements of which {@code %r6} is the index. */
  private static long endOfGrid(String code, int threads) {
    String body = code + storeAt("%r6");
    return bounds(body).launches().evaluator().endOfGrid(0, new Shape(1, threads));
  }

  @Test
  void theEndOfAGridIsFollowedThroughFewSteps() {
    String step = "add.s32 %r6, %r6, %r3;\n";
    assertThat(endOfGrid("mov.u32 %r6, %r3;\n" + step.repeat(50), 32)).isEqualTo(31 * 51 * 4 + 4);
    assertThat(endOfGrid("mov.u32 %r6, %r3;\n" + step.repeat(300), 32)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aShiftByMoreThanTheWidthIsNoEndOfAGrid() {
    String shift = "mov.u32 %r6, 1;\nshl.b32 %r6, %r6, %r3;\n";
    assertThat(endOfGrid(shift, 10)).isEqualTo((1 << 9) * 4 + 4);
    // Smaller blocks reach farther than the last of these threads.
    assertThat(endOfGrid(shift, 65)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aGuardedAssignmentKeepsWhatOtherBlocksLeft() {
    KernelBounds bounds =
        bounds(
            """
            mov.u32 %r6, 0;
            setp.lt.s32 %p1, %r3, 10;
            @%p1 bra JOIN;
            mov.u32 %r6, 100;
            JOIN:
            setp.lt.s32 %p2, %r3, 5;
            @%p2 mov.u32 %r6, 3;
            mul.wide.s32 %rd2, %r6, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r4;
            """);
    isLimitedTo(bounds, new Shape(1, 32), 0, 404);
  }

  @Test
  void formulasThatExplodeEndInBoundedTime() {
    StringBuilder body = new StringBuilder("mov.u32 %r6, %r4;\n");
    for (int i = 0; i < 3000; i++) {
      body.append(
          "mad.lo.s32 %r6, %r6, %r6, %r5;\nand.b32 %r7, %r6, %r4;\nxor.b32 %r6, %r7, %r6;\n");
    }
    body.append(storeAt("%r6"));
    long begin = System.nanoTime();
    KernelBounds bounds = bounds(body.toString());
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    evaluator.limit(new Shape(2, 32, 100, 5));
    evaluator.reach(0, new Shape(2, 32, 100, 5));
    assertThat(System.nanoTime() - begin).isLessThan(20_000_000_000L);
  }
}
