package dev.streamfence.internal.ptx.races;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Restriction;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.symbolic.NumberLimits;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What kernels show of their races. Each begins with the thread's number in {@code %r4}, the block
 * in {@code %r1}, its size in {@code %r2}, the thread in {@code %r0} and {@code n} in {@code %r5};
 * {@code %rd1} and {@code %rd2} are the arrays.
 */
final class KernelRacesTest {
  static final LaunchSpace LINES = new LaunchSpace(0, 0, 0, true, false);

  /** Accesses to the element with this index, in the first array. */
  static String at(String index) {
    return "mul.wide.s32 %rd4, " + index + ", 4; add.s64 %rd5, %rd1, %rd4; ";
  }

  static final String STORE = "st.global.u32 [%rd5], %r4; ";
  static final String LOAD = "ld.global.u32 %r10, [%rd5]; ";
  static final String TILE = "shl.b32 %r11, %r0, 2; mov.u32 %r12, tile; add.s32 %r13, %r12, %r11; ";
  static final String PUT = "st.shared.u32 [%r13], %r4; ";
  static final String GET = "ld.shared.u32 %r10, [%r13+4]; ";

  private static KernelRaces of(String code) {
    return of(code, LINES);
  }

  static KernelRaces of(String code, LaunchSpace space) {
    return of(code, Map.of(), space);
  }

  static KernelRaces of(String code, Map<Integer, Integer> distinct, LaunchSpace space) {
    return of(code, distinct, Map.of(), space);
  }

  static KernelRaces of(
      String code,
      Map<Integer, Integer> distinct,
      Map<Integer, NumberLimits> limits,
      LaunchSpace space) {
    PtxModule module =
        PtxModule.parse(
            """
            .version 7.0
            .target sm_75
            .address_size 64
            .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .u32 m)
            {
            .shared .align 4 .b8 tile[4096];
            .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>;
            ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];
            ld.param.u32 %r5, [n]; ld.param.u32 %r6, [m];
            mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
            mov.u32 %r3, %nctaid.x; mad.lo.s32 %r4, %r1, %r2, %r0;
            """
                + code
                + " END: ret; }");
    return KernelRaces.of(
        new KernelFlow(module, module.entries().get(0)),
        List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0)),
        List.of(),
        distinct,
        limits,
        space);
  }

  static Verdict verdict(String code) {
    return of(code).verdict();
  }

  @Test
  void aKernelThatStoresNothingHasNoRaces() {
    assertThat(verdict(at("0") + LOAD)).isEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "an element of its own | mov.u32 %r20, %r4; | PROVED",
        "every second one | mad.lo.s32 %r20, %r4, 2, 1; | PROVED",
        "from the end | sub.s32 %r20, %r5, %r4; | PROVED",
        "one per block | mov.u32 %r20, %r0; | CERTAIN",
        "one for two threads | shr.u32 %r20, %r4, 1; | CERTAIN",
        "one of sixteen | and.b32 %r20, %r4, 15; | CERTAIN",
        "the same one | mov.u32 %r20, 7; | CERTAIN",
        "an element of its block | add.s32 %r20, %r1, 3; | CERTAIN",
        "at a distance from the launch | mul.lo.s32 %r20, %r4, %r5; | UNKNOWN",
        "shifted by a number of the launch | shl.b32 %r20, %r4, %r5; | UNKNOWN",
        "shifted back by it | shr.u32 %r20, %r4, %r5; | UNKNOWN",
        "the bits of a number of the launch | and.b32 %r20, %r4, %r5; | UNKNOWN",
        "shifted beyond its bits | shl.b32 %r20, %r4, 40; | CERTAIN",
      })
  void aStoreToAnElement(String what, String code, Verdict expected) {
    assertThat(verdict(code + at("%r20") + STORE)).as(what).isEqualTo(expected);
  }

  @Test
  void whatTheNeighbourReadsIsARace() {
    KernelRaces races = of(at("%r4") + "ld.global.u32 %r10, [%rd5+4]; " + STORE);
    assertThat(races.verdict()).isEqualTo(Verdict.CERTAIN);
    assertThat(races.conflict().orElseThrow().first().opcode()).isEqualTo("st");
    assertThat(races.conflict().orElseThrow().second().opcode()).isEqualTo("ld");
    assertThat(races.conflict().orElseThrow().array()).isZero();
  }

  @Test
  void storesOfOneValueToOneElementAreNotCertain() {
    assertThat(verdict(at("0") + "st.global.u32 [%rd5], 1;")).isEqualTo(Verdict.UNKNOWN);
    assertThat(verdict(at("0") + "st.global.u32 [%rd5], %r5;")).isEqualTo(Verdict.UNKNOWN);
    String square = "mul.lo.s32 %r20, %r5, %r5; add.s32 %r20, %r20, 1; ";
    assertThat(verdict(square + at("0") + "st.global.u32 [%rd5], %r20;"))
        .isEqualTo(Verdict.UNKNOWN);
  }

  @ParameterizedTest
  @CsvSource({"%r4, 8, PROVED", "%r4, 3, CERTAIN", "%r5, 8, UNKNOWN"})
  void quotientAndRemainderOfANumberThatIsNotNegativeAreItsDigits(
      String number, int width, Verdict expected) {
    // Division of a number with a sign by four: what is negative is rounded up.
    String code =
        "add.s32 %r15, NUMBER, %r4; shr.s32 %r16, %r15, 31; shr.u32 %r17, %r16, 30; add.s32 %r18,"
            + " %r15, %r17; shr.s32 %r19, %r18, 2; and.b32 %r21, %r18, -4; sub.s32 %r22, %r15,"
            + " %r21; mad.lo.s32 %r20, %r19, WIDTH, %r22; ";
    String written =
        number.equals("%r4") ? code.replace("NUMBER", "0") : code.replace("NUMBER", number);

    assertThat(verdict(written.replace("WIDTH", "" + width) + at("%r20") + STORE))
        .isEqualTo(expected);
  }

  @Test
  void theSignOfANumberThatMayBeNegativeIsNotZero() {
    // Of the numbers -1 and 4, both threads store at 4.
    String code =
        "sub.s32 %r15, %r4, %r5; shr.s32 %r16, %r15, 31; mad.lo.s32 %r20, %r16, -5, %r15; ";

    assertThat(verdict(code + at("%r20") + STORE)).isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void aNumberBelowALargeOneWithoutASignMayBeAny() {
    // Read with a sign, no number without one is below it.
    String code = "ld.global.u64 %rd20, [%rd2]; setp.gt.u64 %p1, %rd20, -5; @%p1 bra END; ";

    assertThat(verdict(code + at("0") + STORE)).isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void oneThreadOfTheGridMayStore() {
    assertThat(verdict("setp.ne.s32 %p1, %r4, 0; @%p1 bra END; " + at("3") + STORE))
        .isEqualTo(Verdict.PROVED);
  }

  @Test
  void oneThreadOfEachBlockMayStoreToAnElementOfTheBlock() {
    String first = "setp.ne.s32 %p1, %r0, 0; @%p1 bra END; ";
    assertThat(verdict(first + at("%r1") + STORE)).isEqualTo(Verdict.PROVED);
    assertThat(verdict(first + at("5") + STORE)).isEqualTo(Verdict.CERTAIN);
  }

  @Test
  void aLaneOfEachWarpMayStoreToAnElementOfTheWarp() {
    String lane = "and.b32 %r20, %r4, 31; shr.u32 %r21, %r4, 5; ";
    assertThat(verdict(lane + "setp.ne.s32 %p1, %r20, 0; @%p1 bra END; " + at("%r21") + STORE))
        .isEqualTo(Verdict.PROVED);
    assertThat(verdict(lane + "setp.gt.s32 %p1, %r20, 1; @%p1 bra END; " + at("%r21") + STORE))
        .isEqualTo(Verdict.CERTAIN);
  }

  @ParameterizedTest
  @CsvSource({"%r2 | %r3, PROVED", "%r2 | 1, UNKNOWN"})
  void aGridStrideLoopTakesEachElementOnce(String strides, Verdict expected) {
    String[] factors = strides.split(" \\| ");
    String loop =
        "mul.lo.s32 %r7, "
            + factors[0]
            + ", "
            + factors[1]
            + "; mov.u32 %r20, %r4;"
            + " setp.ge.s32 %p1, %r20, %r5; @%p1 bra END; L: "
            + at("%r20")
            + STORE
            + "add.s32 %r20, %r20, %r7; setp.lt.s32 %p1, %r20, %r5; @%p1 bra L; ";
    // Whether a smaller stride meets another thread depends on how long the array is.
    assertThat(verdict(loop)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"true, PROVED", "false, UNKNOWN"})
  void rowsAreApartIfTheColumnIsComparedWithTheWidth(boolean compared, Verdict expected) {
    String code =
        "mov.u32 %r14, %tid.y; mov.u32 %r15, %ctaid.y; mov.u32 %r16, %ntid.y;"
            + " mad.lo.s32 %r17, %r15, %r16, %r14; "
            + (compared ? "setp.ge.s32 %p1, %r4, %r5; @%p1 bra END; " : "")
            + "mad.lo.s32 %r20, %r17, %r5, %r4; "
            + at("%r20")
            + STORE;
    KernelRaces races = of(code, LaunchSpace.ANY);
    assertThat(races.verdict()).isEqualTo(expected);
    if (compared) {
      assertThat(races.restrictions())
          .containsExactly(
              new Restriction("blockDim.z", 1, false), new Restriction("gridDim.z", 1, false));
    }
  }

  @ParameterizedTest
  @CsvSource({"u32, PROVED", "s32, UNKNOWN"})
  void aColumnThatMayBeNegativeIsInAnotherRow(String comparison, Verdict expected) {
    String code =
        "mov.u32 %r14, %tid.y; mov.u32 %r15, %ctaid.y; mov.u32 %r16, %ntid.y;"
            + " mad.lo.s32 %r17, %r15, %r16, %r14; sub.s32 %r18, %r4, %r5; setp.ge."
            + comparison
            + " %p1, %r18, %r6; @%p1 bra END; mad.lo.s32 %r20, %r17, %r6, %r18; "
            + at("%r20")
            + STORE;
    assertThat(of(code, LaunchSpace.ANY).verdict()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "of a number without a sign | sub.s32 %r22, %r5, %r21; rem.u32 %r23, %r22, 4; | PROVED",
        "of the thread's number | rem.s32 %r23, %r4, 4; | PROVED",
        // With n = 3, or 35 threads, two threads have the same element.
        "of a number | sub.s32 %r22, %r5, %r21; rem.s32 %r23, %r22, 4; | UNKNOWN",
        "of a distance | sub.s32 %r22, %r2, %r21; rem.s32 %r23, %r22, 4; | UNKNOWN",
      })
  void aRemainderIsADigitUnlessItMayBeNegative(String what, String code, Verdict expected) {
    String index = "shl.b32 %r21, %r4, 2; " + code + " add.s32 %r20, %r21, %r23; ";
    assertThat(verdict(index + at("%r20") + STORE)).as(what).isEqualTo(expected);
  }

  @Test
  void blocksInTheSecondDimensionThatStoreToTheSameElementsAreARace() {
    String code = "mov.u32 %r15, %ctaid.y; " + at("%r4") + "st.global.u32 [%rd5], %r15;";
    assertThat(of(code, LaunchSpace.ANY).verdict()).isEqualTo(Verdict.CERTAIN);
    assertThat(of(code, LINES).verdict()).isEqualTo(Verdict.PROVED);
  }

  @Test
  void anIndexThatIsLoadedMakesItAQuestionOfData() {
    String code =
        "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r20, [%rd7]; ";
    KernelRaces races = of(code + at("%r20") + STORE);
    assertThat(races.verdict()).isEqualTo(Verdict.DATA);
    assertThat(races.reason()).isEqualTo("the index is loaded");
    // Atomic operations do not race with each other.
    assertThat(verdict(code + at("%r20") + "red.global.add.u32 [%rd5], 1;"))
        .isEqualTo(Verdict.PROVED);
    for (String scope : List.of("cta", "cluster")) {
      assertThat(verdict(code + at("%r20") + "red." + scope + ".global.add.u32 [%rd5], 1;"))
          .as(scope)
          .isEqualTo(Verdict.DATA);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ld.volatile.global.u32 %r22, PROVED",
    "ld.relaxed.gpu.global.u32 %r22, PROVED",
    "ld.acquire.sys.global.u32 %r22, PROVED",
    "ld.relaxed.cta.global.u32 %r22, DATA",
    "ld.volatile.global.u16 %rs1, DATA",
    "ld.global.u32 %r22, DATA"
  })
  void strongLoadsDoNotRaceWithAtomicOperations(String load, Verdict expected) {
    String code =
        "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r20, [%rd7]; ";
    String claim = load + ", [%rd5]; atom.global.cas.b32 %r23, [%rd5], 0, 1;";
    assertThat(verdict(code + at("%r20") + claim)).as(load).isEqualTo(expected);
  }

  @Test
  void aStrongLoadOfAVectorRacesWithAnAtomicOperationOnAllOfIt() {
    String code =
        "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r20, [%rd7]; ";
    String claim =
        "ld.volatile.global.v2.u32 {%r22, %r24}, [%rd5]; atom.global.exch.b64 %rd8, [%rd5], %rd6;";
    assertThat(verdict(code + at("%r20") + claim)).isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void strongStoresRaceWithAtomicOperations() {
    String code =
        "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r20, [%rd7]; ";
    String stores = "st.volatile.global.u32 [%rd5], %r4; atom.global.cas.b32 %r23, [%rd5], 0, 1;";
    assertThat(verdict(code + at("%r20") + stores)).isEqualTo(Verdict.DATA);
  }

  @Test
  void aBarrierKeepsStoresAndLoadsOfATileApart() {
    assertThat(verdict(TILE + PUT + "bar.sync 0; " + GET)).isEqualTo(Verdict.PROVED);
    assertThat(verdict(TILE + PUT + "bar.sync 0; ld.shared.u32 %r10, [tile+8];"))
        .as("all threads load the same element")
        .isEqualTo(Verdict.PROVED);
    assertThat(verdict(TILE + PUT + GET)).isEqualTo(Verdict.CERTAIN);
    // Who reads the tile must have done so before it is written again.
    assertThat(verdict(TILE + PUT + "bar.sync 0; " + GET + PUT)).isEqualTo(Verdict.CERTAIN);
    assertThat(verdict(TILE + PUT + "bar.sync 0; " + GET + "bar.sync 0; " + PUT))
        .isEqualTo(Verdict.PROVED);
  }

  @Test
  void aBarrierOfAWarpLeavesOpenWhetherItsThreadsRace() {
    String put = TILE + PUT;
    String partner =
        "xor.b32 %r14, %r11, 4; add.s32 %r15, %r12, %r14; ld.shared.u32 %r10, [%r15]; ";
    assertThat(verdict(put + partner)).isEqualTo(Verdict.CERTAIN);
    assertThat(verdict(put + "bar.warp.sync -1; " + partner)).isEqualTo(Verdict.UNKNOWN);
    // The first thread reads what a thread of another warp has put there.
    String distant =
        "setp.ne.s32 %p1, %r0, 0; @%p1 bra END; add.s32 %r15, %r2, -1; shl.b32 %r15, %r15, 2;"
            + " add.s32 %r15, %r12, %r15; ld.shared.u32 %r10, [%r15]; ";
    LaunchSpace fixed = new LaunchSpace(64, 1, 1, true, false);
    assertThat(of(put + "bar.warp.sync -1; " + distant, fixed).verdict())
        .isEqualTo(Verdict.CERTAIN);
  }

  @ParameterizedTest
  @CsvSource({"6, CERTAIN", "7, UNKNOWN"})
  void onlyTheFirstThreadsAreInEveryBlockOfCodeThatDoesNotReadItsSize(int last, Verdict expected) {
    // All threads from this one on store to one element.
    String code =
        ".shared .align 4 .b8 tile[4096]; mov.u32 %r0, %tid.x; min.u32 %r11, %r0, "
            + last
            + "; shl.b32 %r11, %r11, 2;"
            + " mov.u32 %r12, tile; add.s32 %r13, %r12, %r11; st.shared.u32 [%r13], %r0; ";
    assertThat(onlyThreads(code, LINES).verdict()).isEqualTo(expected);
  }

  @Test
  void aBarrierThatNotAllThreadsComeToKeepsNothingApart() {
    String some = "setp.gt.s32 %p1, %r0, 15; @%p1 bra A; bar.sync 0; bra B; A: bar.sync 0; B: ";
    assertThat(verdict(TILE + PUT + some + GET)).isEqualTo(Verdict.UNKNOWN);
    String uniform = "setp.gt.s32 %p1, %r5, 15; @%p1 bra A; bar.sync 0; bra B; A: bar.sync 0; B: ";
    assertThat(verdict(TILE + PUT + uniform + GET)).isEqualTo(Verdict.PROVED);
  }

  @Test
  void aTreeOfSumsNeedsABarrierInEachStep() {
    String step =
        "mov.u32 %r20, 64; L: setp.ge.s32 %p1, %r0, %r20; @%p1 bra N;"
            + " shl.b32 %r21, %r20, 2; add.s32 %r22, %r13, %r21; ld.shared.u32 %r10, [%r22];"
            + " ld.shared.u32 %r14, [%r13]; add.s32 %r14, %r14, %r10; st.shared.u32 [%r13], %r14;"
            + " N: %s shr.u32 %r20, %r20, 1; setp.gt.s32 %p2, %r20, 0; @%p2 bra L;";
    assertThat(verdict(TILE + PUT + "bar.sync 0; " + step.replace("%s", "bar.sync 0;")))
        .isEqualTo(Verdict.PROVED);
    assertThat(verdict(TILE + PUT + "bar.sync 0; " + step.replace("%s", "")))
        .isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void aKernelForOneBlockSizeIsProvedForSmallerBlocks() {
    String code = "mad.lo.s32 %r20, %r1, 256, %r0; " + at("%r20") + STORE;
    KernelRaces races = onlyThreads("mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; " + code, LINES);
    assertThat(races.verdict()).isEqualTo(Verdict.PROVED);
    assertThat(races.restrictions()).containsExactly(new Restriction("blockDim.x", 256, true));
  }

  @ParameterizedTest
  @CsvSource({"256, 64", "512, 128", "132, 0", "4, 0"})
  void aTileIsForBlocksThatFitBetweenItsAccesses(int bytes, int most) {
    String put =
        "mov.u32 %r0, %tid.x; mov.u32 %r4, 5; .shared .align 4 .b8 tile[4096]; " + TILE + PUT;
    String load = "ld.shared.u32 %r10, [%r13+" + bytes + "]; ";
    KernelRaces races = onlyThreads(put + load, LINES);
    assertThat(races.verdict() == Verdict.PROVED).isEqualTo(most > 0);
    assertThat(races.restrictions().contains(new Restriction("blockDim.x", most, true)))
        .isEqualTo(most > 0);
    // A barrier makes it one for all blocks, and a kernel that reads their size is for all.
    assertThat(onlyThreads(put + "bar.sync 0; " + load, LINES).restrictions()).isEmpty();
    assertThat(verdict(TILE + PUT + load)).isNotEqualTo(Verdict.PROVED);
  }

  @Test
  void aTileIsForBlocksThatFitIntoItsRows() {
    String row = "mov.u32 %r14, %tid.y; mov.u32 %r12, tile; mad.lo.s32 %r15, %r14, 72, %r12; ";
    String put = "mad.lo.s32 %r13, %r0, 4, %r15; st.shared.u32 [%r13+76], %r4; ";
    assertThat(of(row + put, LaunchSpace.ANY).restrictions())
        .contains(new Restriction("blockDim.x", 18, true));
    LaunchSpace wide = new LaunchSpace(32, 8, 1, false, false);
    assertThat(of(row + put, wide).verdict()).isEqualTo(Verdict.CERTAIN);
  }

  /** A kernel that reads no more of its launch than its code says. */
  static KernelRaces onlyThreads(String code, LaunchSpace space) {
    PtxModule module =
        PtxModule.parse(
            ".version 7.0\n.target sm_75\n.address_size 64\n"
                + ".visible .entry k(.param .u64 a) {"
                + " .reg .b32 %r<30>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [a]; "
                + code
                + " ret; }");
    return KernelRaces.of(
        module, module.entries().get(0), List.of(new ArrayPlace(0, 0)), List.of(), Map.of(), space);
  }

  @Test
  void aHashThatWrapsAroundTellsNoThreadsApart() {
    String hash = "mul.lo.s32 %r20, %r4, -1640531527; shr.u32 %r20, %r20, 8; ";
    assertThat(verdict(hash + at("%r20") + STORE)).isEqualTo(Verdict.UNKNOWN);
    String narrow = "cvt.u16.u32 %rs1, %r4; cvt.u32.u16 %r20, %rs1; ";
    assertThat(verdict(".reg .b16 %rs<3>; " + narrow + at("%r20") + STORE))
        .isNotEqualTo(Verdict.PROVED);
  }

  @Test
  void aLaunchMayHaveSeveralBlocksAlthoughTheCodeReadsOnlyTheThread() {
    String code = "mov.u32 %r4, 5; mov.u32 %r0, %tid.x; " + at("%r0") + STORE;
    assertThat(onlyThreads(code, LINES).verdict()).isEqualTo(Verdict.UNKNOWN);
    KernelRaces shaped = onlyThreads(code, LaunchSpace.ANY);
    assertThat(shaped.verdict()).isEqualTo(Verdict.PROVED);
    assertThat(shaped.restrictions()).contains(new Restriction("gridDim.x", 1, false));
    // A block of a fixed size has several threads, whatever the code reads.
    String block = "mov.u32 %r4, 5; mov.u32 %r0, %ctaid.x; " + at("%r0") + STORE;
    LaunchSpace fixed = new LaunchSpace(64, 1, 1, false, false);
    assertThat(onlyThreads(block, fixed).verdict()).isEqualTo(Verdict.UNKNOWN);
    assertThat(onlyThreads(block, LaunchSpace.ANY).restrictions())
        .contains(new Restriction("blockDim.x", 1, false));
  }

  @Test
  void nothingIsCertainAfterACallThatMayEndTheThread() {
    String store = at("7") + STORE;
    assertThat(calling("add.s32 %x, %x, 1; ret;", store).verdict()).isEqualTo(Verdict.CERTAIN);
    assertThat(calling("exit;", store).verdict())
        .as("no thread comes to the store")
        .isEqualTo(Verdict.PROVED);
    String mayCall = "setp.ne.s32 %p, %r4, 77; @%p call f; ";
    assertThat(calling("exit;", mayCall + store).verdict()).isEqualTo(Verdict.UNKNOWN);
    assertThat(calling("call g; ret;", store).reason()).isEqualTo("it calls a function");
    assertThat(calling("st.global.u32 [%rd], 1; ret;", store).reason())
        .isEqualTo("it stores through an address that is not followed");
  }

  /** A kernel that calls a function with this body first, unless its code begins with a call. */
  static KernelRaces calling(String body, String code) {
    PtxModule module =
        PtxModule.parse(
            ".version 7.0\n.target sm_75\n.address_size 64\n"
                + ".extern .func g();\n.extern .func vprintf();\n.func f() { .reg .b32 %x; .reg .b64 %rd; "
                + body
                + " }\n.visible .entry k(.param .u64 a) {"
                + " .reg .pred %p; .reg .b32 %r<30>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [a];"
                + " mov.u32 %r4, %tid.x; "
                + (code.contains("call f") ? "" : "call f; ")
                + code
                + " ret; }");
    return KernelRaces.of(
        module, module.entries().get(0), List.of(new ArrayPlace(0, 0)), List.of(), Map.of(), LINES);
  }

  @ParameterizedTest
  @CsvSource({"100, 100, PROVED", "100, 99, UNKNOWN", "20, 20, PROVED", "20, 19, CERTAIN"})
  void aThreadMayTakeManyElements(int count, int stride, Verdict expected) {
    StringBuilder code = new StringBuilder("mul.lo.s32 %r20, %r4, " + stride + "; " + at("%r20"));
    for (int i = 0; i < count; i++) {
      // As in an unrolled loop whose end is compared with n.
      code.append("add.s32 %r21, %r20, ").append(i).append("; setp.lt.s32 %p1, %r21, %r5; ");
      code.append("@%p1 ld.global.u32 %r10, [%rd5+").append(4 * i).append("]; ");
      code.append("@%p1 st.global.u32 [%rd5+").append(4 * i).append("], %r4; ");
    }
    assertThat(verdict(code.toString())).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "distinct | | 4 | PROVED",
        "distinct, as numbers without a sign | u | 4 | PROVED",
        "of halves of it | | 8 | UNKNOWN",
        "not declared | | 0 | DATA",
      })
  void storesAtNumbersThatAreLoaded(String what, String unsigned, int size, Verdict expected) {
    String load =
        "mul.wide.s32 %rd4, %r4, 4; add.s64 %rd6, %rd2, %rd4; ld.global.u32 %r20, [%rd6]; ";
    String index = unsigned == null ? at("%r20") : at("%r20").replace("s32", "u32");
    assertThat(of(load + index + STORE, size == 0 ? Map.of() : Map.of(1, size), LINES).verdict())
        .as(what)
        .isEqualTo(expected);
  }

  @Test
  void distinctNumbersTellNoThreadsApartThatLoadTheSameOne() {
    String load =
        "shr.u32 %r21, %r4, 1; mul.wide.s32 %rd4, %r21, 4; add.s64 %rd6, %rd2, %rd4;"
            + " ld.global.u32 %r20, [%rd6]; ";
    assertThat(of(load + at("%r20") + STORE, Map.of(1, 4), LINES).verdict())
        .isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void aPartOfADistinctNumberIsNotDistinct() {
    String load =
        "mul.wide.s32 %rd4, %r4, 8; add.s64 %rd6, %rd2, %rd4;"
            + " ld.global.v2.u32 {%r20, %r21}, [%rd6]; ";
    assertThat(of(load + at("%r20") + STORE, Map.of(1, 8), LINES).verdict())
        .isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void distinctNumbersAreNoneIfTheKernelStoresThere() {
    String load =
        "mul.wide.s32 %rd4, %r4, 4; add.s64 %rd6, %rd2, %rd4; ld.global.u32 %r20, [%rd6];"
            + " st.global.u32 [%rd6], 3; ";
    assertThat(of(load + at("%r20") + STORE, Map.of(1, 4), LINES).verdict())
        .isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void arraysThatMayOverlapLeaveItOpen() {
    KernelRaces races = of(at("%r4") + STORE, new LaunchSpace(0, 0, 0, true, true));
    assertThat(races.verdict()).isEqualTo(Verdict.UNKNOWN);
    assertThat(races.reason()).isEqualTo("its arrays may overlap");
  }

  @Test
  void aThreadOfAnotherBlockPassesNoBarrier() {
    // The element after its own belongs to the next block for the last thread.
    assertThat(verdict(at("%r4") + STORE + "bar.sync 0; ld.global.u32 %r10, [%rd5+4];"))
        .isEqualTo(Verdict.CERTAIN);
  }

  @ParameterizedTest
  @CsvSource({"5, PROVED", "6, UNKNOWN"})
  void theFirstLaneOfAWarpIsOneThreadOfIt(int shift, Verdict expected) {
    String lane = "mov.u32 %r20, %laneid; setp.ne.s32 %p1, %r20, 0; @%p1 bra END; ";
    String warp = "shr.u32 %r21, %r0, " + shift + "; mad.lo.s32 %r13, %r21, 4, %r12; ";
    assertThat(verdict(lane + "mov.u32 %r12, tile; " + warp + PUT)).isEqualTo(expected);
  }

  @Test
  void aWarpHasConsecutiveThreadsOfAllRows() {
    String lane = "mov.u32 %r20, %laneid; setp.ne.s32 %p1, %r20, 0; @%p1 bra END; ";
    String row = "mov.u32 %r14, %tid.y; mov.u32 %r12, tile; ";
    String put = "mad.lo.s32 %r13, %r21, 4, %r12; st.shared.u32 [%r13], %r4; ";
    String warp = "mad.lo.s32 %r15, %r14, %r2, %r0; shr.u32 %r21, %r15, 5; ";
    assertThat(of(row + warp + lane + put, LaunchSpace.ANY).verdict()).isEqualTo(Verdict.PROVED);
    // A row of 64 threads has two warps.
    assertThat(of(row + "mov.u32 %r21, %r14; " + lane + put, LaunchSpace.ANY).verdict())
        .isNotEqualTo(Verdict.PROVED);
    // A kernel for blocks of one size that is not known.
    String unread = "mov.u32 %r2, 32; " + row + "shl.b32 %r21, %r14, 0; " + lane + put;
    assertThat(of(unread, LaunchSpace.ANY).verdict()).isNotEqualTo(Verdict.PROVED);
  }

  /** A loop over the rows of a matrix with n columns, in the column of the thread. */
  private static String rows(String label, String first, String access) {
    return "mov.u32 %r20, "
        + first
        + "; "
        + label
        + ": mad.lo.s32 %r21, %r20, %r5, %r4; "
        + at("%r21")
        + access
        + "add.s32 %r20, %r20, 1; setp.lt.s32 %p2, %r20, %r6; @%p2 bra "
        + label
        + "; ";
  }

  @ParameterizedTest
  @CsvSource({"%r5, PROVED", "%r6, UNKNOWN"})
  void columnsAreApartInWhateverRowsTwoLoopsAre(String width, Verdict expected) {
    String guard = "setp.ge.s32 %p1, %r4, " + width + "; @%p1 bra END; ";
    assertThat(verdict(guard + rows("L", "0", STORE) + rows("M", "1", LOAD))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "all | and.b32 %r21, %r5, 3; | setp.lt.s32 %p2, %r5, 4; | PROVED",
        "as a remainder | rem.u32 %r21, %r5, 4; | setp.lt.s32 %p2, %r5, 4; | PROVED",
        "from one on | and.b32 %r21, %r5, 3; | setp.lt.s32 %p2, %r5, 1; | UNKNOWN",
        "no multiple of four | and.b32 %r21, %r5, 1; | setp.lt.s32 %p2, %r5, 4; | UNKNOWN",
        "without a guard | and.b32 %r21, %r5, 3; | setp.gt.s32 %p2, %r6, 4; | UNKNOWN",
      })
  void aLoopThatCountsInFoursToZeroStaysInItsRow(
      String what, String rest, String guard, Verdict expected) {
    String row = "mul.lo.s32 %r20, %r4, %r5; " + at("%r20");
    String loop =
        "sub.s32 %r22, %r5, %r21; L: st.global.u32 [%rd5+12], %r4; add.s64 %rd5, %rd5, 16;"
            + " add.s32 %r22, %r22, -4; setp.ne.s32 %p1, %r22, 0; @%p1 bra L; ";
    assertThat(verdict(rest + guard + " @%p2 bra END; " + row + loop)).as(what).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | %r5 | true",
        "0 | %r7 | false",
        "-1 | %r5 | false",
      })
  void eachChoiceOfAColumnHasToBeInTheRow(String first, String limit, boolean isProved) {
    String loaded =
        "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r22, [%rd7];"
            + " setp.lt.s32 %p2, %r22, 9; ";
    // The other choice is the number m where it is a column.
    String column =
        "add.s32 %r7, %r5, 1; mov.u32 %r20, "
            + first
            + "; @%p2 bra L; setp.lt.s32 %p1, %r6, 0; @%p1 bra L; setp.ge.s32 %p1, %r6, "
            + limit
            + "; @%p1 bra END; mov.u32 %r20, %r6; L: ";
    String index = "mad.lo.s32 %r21, %r4, %r5, %r20; ";
    String guard = "setp.lt.s32 %p3, %r5, 1; @%p3 bra END; ";
    assertThat(verdict(guard + loaded + column + index + at("%r21") + STORE) == Verdict.PROVED)
        .isEqualTo(isProved);
    String selected =
        "add.s32 %r7, %r5, 1; add.s32 %r23, "
            + limit
            + ", -1; selp.b32 %r20, %r23, "
            + first
            + ", %p2; ";
    assertThat(verdict(guard + loaded + selected + index + at("%r21") + STORE) == Verdict.PROVED)
        .isEqualTo(isProved);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a quotient | shr.u32 %r11, WHOLE, 4; and.b32 %r12, %r4, 15; | 16",
        "a quotient with a sign | div.s32 %r11, WHOLE, 16; rem.s32 %r12, %r4, 16; | 16",
        "without the last bits | and.b32 %r11, WHOLE, -4; and.b32 %r12, WHOLE, 3; | 1",
      })
  void aQuotientOfANumberWithFewerBitsIsNotThatOfTheWholeOne(String what, String code, int weight) {
    // Threads 0 and 65,536 have the same last 16 bits.
    String narrow = ".reg .b16 %rs<2>; cvt.u16.u32 %rs1, %r4; cvt.u32.u16 %r10, %rs1; ";
    String index = "mad.lo.s32 %r20, %r11, " + weight + ", %r12; " + at("%r20") + STORE;
    assertThat(verdict(code.replace("WHOLE", "%r4") + index)).as(what).isEqualTo(Verdict.PROVED);
    assertThat(verdict(narrow + code.replace("WHOLE", "%r10") + index))
        .as(what)
        .isEqualTo(Verdict.UNKNOWN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "the whole number | mov.u32 %r10, %r4; | PROVED",
        "16 bits | cvt.u32.u16 %r10, %rs1; | UNKNOWN",
        "8 bits | .local .u8 kept; st.local.u8 [kept], %r4; ld.local.u8 %r10, [kept]; | UNKNOWN",
      })
  void aNumberIsNotSmallWhereThatOfItsLastBitsIs(String what, String last, Verdict expected) {
    // Threads 0 and 65,536 have the same last bits.
    String narrow = ".reg .b16 %rs<2>; cvt.u16.u32 %rs1, %r4; ";
    String first = "shr.u32 %r11, %r10, 2; setp.ne.s32 %p1, %r11, 0; @%p1 bra END; ";
    String index = "and.b32 %r20, %r4, 3; " + at("%r20") + STORE;
    assertThat(verdict(narrow + last + first + index)).as(what).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"'mov.u32 %r20, 0; ', UNKNOWN", "'', UNKNOWN", "'mov.u32 %r20, %r4; ', PROVED"})
  void anythingIsInARegisterThatOnlyAGuardedAssignmentGaveAValue(String first, Verdict expected) {
    String guarded = "setp.lt.s32 %p1, %r4, %r5; @%p1 mov.u32 %r20, %r4; ";
    assertThat(verdict(first + guarded + at("%r20") + STORE)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"'mov.u32 %r10, %r5;', PROVED", "'cvt.u32.u16 %r10, %rs1;', UNKNOWN"})
  void aRemainderByTheLastBitsOfANumberIsNotBelowThatNumber(String last, Verdict expected) {
    // The last bits of -1 are 65,535, so that all threads below that store to one element. A number
    // by which the kernel itself divides without a sign is assumed not to be negative.
    String narrow = ".reg .b16 %rs<2>; cvt.u16.u32 %rs1, %r5; ";
    String index = "rem.u32 %r11, %r4, %r10; mad.lo.s32 %r20, %r4, %r5, %r11; ";
    assertThat(verdict(narrow + last + index + at("%r20") + STORE)).isEqualTo(expected);
  }

  /** A row of some elements, in steps of some, until none of them is left. */
  private static String stepsOfARow(int step, String elements) {
    return elements
        + " setp.lt.s32 %p2, %r22, 1; @%p2 bra END;"
        + " mul.lo.s32 %r20, %r4, %r22; "
        + at("%r20")
        + "L: st.global.u32 [%rd5], %r4; add.s64 %rd5, %rd5, BYTES; add.s32 %r22, %r22, -STEP;"
            .replace("BYTES", "" + 4 * step)
            .replace("STEP", "" + step)
        + " setp.lt.s32 %p3, %r22, -90; @%p3 bra END; setp.ne.s32 %p1, %r22, 0; @%p1 bra L; ";
  }

  @Test
  void aRowWithoutTheUnsignedRemainderOfANegativeNumberIsNoMultipleOfThree() {
    // Of 12 columns, -12 is 4,294,967,284 without a sign, whose remainder by 3 is 1.
    String row = "sub.s32 %r10, 0, %r5; REST add.s32 %r22, %r5, %r21;";
    assertThat(verdict(stepsOfARow(4, row.replace("REST", "and.b32 %r21, %r10, 3;"))))
        .isEqualTo(Verdict.PROVED);
    assertThat(verdict(stepsOfARow(4, row.replace("REST", "rem.u32 %r21, %r10, 4;"))))
        .isEqualTo(Verdict.PROVED);
    assertThat(verdict(stepsOfARow(3, row.replace("REST", "rem.u32 %r21, %r10, 3;"))))
        .isEqualTo(Verdict.UNKNOWN);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cvt.u16.u32 %rs1, %r5; cvt.u32.u16 %r10, %rs1; rem.u32 %r21, %r10, 3; | UNKNOWN",
        "cvt.u16.u32 %rs1, %r5; cvt.u32.u16 %r10, %rs1; rem.s32 %r21, %r10, 3; | UNKNOWN",
        "rem.s32 %r21, %r5, 3; | PROVED",
      })
  void aRowWithoutTheRemainderOfItsLastBitsIsNoMultipleOfThree(String rest, Verdict expected) {
    // Of 70,000 columns, the last 16 bits are 4,464, which is a multiple of 3.
    String row = ".reg .b16 %rs<2>; " + rest + " sub.s32 %r22, %r5, %r21;";
    assertThat(verdict(stepsOfARow(3, row))).isEqualTo(expected);
  }

  @Test
  void distinctNumbersAreDistinctAfterTheyAreKeptInLocalMemory() {
    String load = "mul.wide.s32 %rd6, %r4, 4; add.s64 %rd7, %rd2, %rd6; ld.global.u32 %r9, [%rd7];";
    String keep =
        " .local .u32 kept; st.local.u32 [kept], %r9; ld.local.u32 %r20, [kept]; " + at("%r20");
    assertThat(of(load + keep + STORE, Map.of(1, 4), LINES).verdict()).isEqualTo(Verdict.PROVED);
  }

  @ParameterizedTest
  @CsvSource({"'mov.u32 %r10, %r4;', PROVED", "'cvt.u32.u16 %r10, %rs1;', UNKNOWN"})
  void anIndexWithFewerBitsIsNotTheWholeOne(String index, Verdict expected) {
    String narrow = ".reg .b16 %rs<2>; cvt.u16.u32 %rs1, %r4; " + index;
    // Thread 65,536 stores to two elements, the second one that of thread 0.
    assertThat(verdict(narrow + at("%r4") + STORE + at("%r10") + STORE)).isEqualTo(expected);
    // It loads a number of its own.
    String loaded =
        "sub.s32 %r11, %r4, %r10; mul.wide.s32 %rd6, %r11, 4; add.s64 %rd7, %rd2, %rd6;"
            + " ld.global.u32 %r12, [%rd7]; add.s32 %r20, %r4, %r12; ";
    assertThat(verdict(narrow + loaded + at("%r20") + STORE) == Verdict.PROVED)
        .isEqualTo(expected == Verdict.PROVED);
  }
}
