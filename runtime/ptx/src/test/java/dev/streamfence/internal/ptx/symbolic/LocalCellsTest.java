package dev.streamfence.internal.ptx.symbolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.bounds.KernelBounds;
import dev.streamfence.internal.ptx.races.KernelRaces;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.races.LaunchSpace;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is known of values that a thread keeps in its own memory. Each kernel stores the thread's
 * number, {@code %r4}, to an array at the index {@code %r20}, which is below n, {@code %r5}.
 */
final class LocalCellsTest {
  private static final LaunchSpace LINES = new LaunchSpace(0, 0, 0, true, false);
  private static final String KEEP = "st.local.u32 [kept+4], %r4; ";
  private static final String TAKE = "ld.local.u32 %r20, [kept+4]; ";

  private static PtxModule module(String code) {
    return PtxModule.parse(
        """
        .version 7.0
        .target sm_80
        .address_size 64
        .func use(.param .u64 p) { ret; }
        .extern .func other(.param .u64 p);
        .visible .entry k(.param .u64 a, .param .u32 n, .param .u64 b)
        {
        .local .align 16 .b8 kept[64];
        .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>; .reg .b16 %rs<4>; .reg .f32 %f<4>;
        ld.param.u64 %rd1, [a]; ld.param.u32 %r5, [n]; ld.param.u64 %rd2, [b];
        mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;
        mad.lo.s32 %r4, %r1, %r2, %r0;
        mov.u64 %rd10, kept; cvta.local.u64 %rd11, %rd10; setp.lt.s32 %p1, %r5, 7;
        """
            + code
            + """
            setp.ge.s32 %p8, %r20, %r5; @%p8 bra END; setp.lt.s32 %p7, %r20, 0; @%p7 bra END;
            mul.wide.s32 %rd4, %r20, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r4;
            END: ret; }
            """);
  }

  /** Whether the index is known to be the thread's number. */
  private static boolean isKnown(String code) {
    PtxModule module = module(code);
    KernelRaces races =
        KernelRaces.of(
            module,
            module.entries().get(0),
            List.of(new ArrayPlace(0, 0), new ArrayPlace(2, 0)),
            List.of(),
            Map.of(),
            LINES);
    return races.verdict() == Verdict.PROVED;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "by its name | st.local.u32 [kept+4], %r4; ld.local.u32 %r20, [kept+4]; | true",
        "by an address | st.u32 [%rd11+4], %r4; add.u64 %rd12, %rd11, 4; ld.u32 %r20, [%rd12]; | true",
        "by bits that an aligned address lacks | st.u32 [%rd11+4], %r4; or.b64 %rd12, %rd11, 4;"
            + " ld.u32 %r20, [%rd12]; | true",
        "by bits that it may have | st.u32 [%rd11+16], %r4; or.b64 %rd12, %rd11, 16;"
            + " ld.u32 %r20, [%rd12]; | false",
        "of a vector | st.v2.u32 [%rd11], {%r1, %r4}; ld.u32 %r20, [%rd11+4]; | true",
        "into a vector | st.u32 [%rd11+4], %r4; ld.v2.u32 {%r9, %r20}, [%rd11]; | true",
        "into a vector without its first element | st.v2.u32 [%rd11], {%r4, %r1};"
            + " ld.v2.u32 {_, %r20}, [%rd11]; | false",
        "into an element of a vector | .reg .v2 .b32 %v; st.u32 [%rd11], %r4;"
            + " ld.u32 %v.x, [%rd11]; mov.u32 %r20, %v.x; | false",
        "another one | st.u32 [%rd11+4], %r4; ld.u32 %r20, [%rd11+8]; | false",
        "another of a vector | st.v2.u32 [%rd11], {%r1, %r4}; ld.u32 %r20, [%rd11]; | false",
        "a part | st.u32 [%rd11+4], %r4; ld.u16 %r20, [%rd11+4]; | false",
        "over it | st.u32 [%rd11+4], %r4; st.u16 [%rd11+6], %r1; ld.u32 %r20, [%rd11+4]; | false",
        "over it and a part of another one | st.u32 [%rd11], %r4; st.v2.u32 [%rd11], {%r1, %r1};"
            + " st.u16 [%rd11+6], %r1; ld.u32 %r20, [%rd11]; | false",
        "few bits | st.u8 [%rd11+4], %r4; ld.u8 %r20, [%rd11+4]; | false",
        "twice | st.u32 [%rd11+4], %r1; st.u32 [%rd11+4], %r4; ld.u32 %r20, [%rd11+4]; | true",
        "the first | st.u32 [%rd11+4], %r4; st.u32 [%rd11+4], %r1; ld.u32 %r20, [%rd11+4]; | false",
        "under a guard | st.u32 [%rd11+4], %r1; @%p1 st.u32 [%rd11+4], %r4; ld.u32 %r20, [%rd11+4]; | false",
        "first under a guard | @%p1 st.u32 [%rd11+4], %r4; ld.u32 %r20, [%rd11+4]; | false",
        "on one way | @%p1 bra A; st.u32 [%rd11+4], %r4; A: ld.u32 %r20, [%rd11+4]; | false",
        "after it is read | ld.u32 %r20, [%rd11+4]; st.u32 [%rd11+4], %r4; | false",
        "an atomic sum | st.u32 [%rd11+4], %r4; atom.add.u32 %r9, [%rd11+4], %r1;"
            + " ld.u32 %r20, [%rd11+4]; | false",
      })
  void aPlaceHoldsWhatWasStoredThereAsAWhole(String what, String code, boolean expected) {
    assertThat(isKnown(code)).as(what).isEqualTo(expected);
  }

  @Test
  void anAddressThatIsKeptLeadsToItsPlace() {
    String pointer = "st.u64 [%rd11+16], %rd12; ld.u64 %rd13, [%rd11+16]; ld.u32 %r20, [%rd13]; ";
    assertThat(isKnown(KEEP + "add.u64 %rd12, %rd11, 4; " + pointer)).isTrue();
    assertThat(isKnown(KEEP + "add.u64 %rd12, %rd11, 8; " + pointer)).isFalse();
    String stored = "st.u64 [%rd11+16], %rd12; ld.u64 %rd13, [%rd11+16]; st.u32 [%rd13], %r1; ";
    assertThat(isKnown(KEEP + "add.u64 %rd12, %rd11, 8; " + stored + TAKE)).isTrue();
    assertThat(isKnown(KEEP + "add.u64 %rd12, %rd11, 4; " + stored + TAKE)).isFalse();
  }

  @Test
  void anAddressIsKeptAtAPlaceThatIsComputed() {
    // As of an element of a local array of pointers, with -G.
    String place = "mov.u64 %rd14, 2; mul.lo.s64 %rd15, %rd14, 8; add.s64 %rd16, %rd11, %rd15; ";
    String pointer = "st.u64 [%rd16], %rd12; ld.u64 %rd13, [%rd16]; ld.u32 %r20, [%rd13]; ";
    assertThat(isKnown(KEEP + place + "add.u64 %rd12, %rd11, 4; " + pointer)).isTrue();
    assertThat(isKnown(KEEP + place + "add.u64 %rd12, %rd11, 8; " + pointer)).isFalse();
  }

  @Test
  void aStoreAtAnIndexMayBeToAnyPlace() {
    String place = "and.b32 %r9, %r0, 12; cvt.u64.u32 %rd12, %r9; add.u64 %rd12, %rd11, %rd12; ";
    assertThat(isKnown(place + KEEP + "st.u32 [%rd12], %r1; " + TAKE)).isFalse();
    assertThat(isKnown(place + "st.u32 [%rd12], %r1; " + KEEP + TAKE)).isTrue();
    assertThat(isKnown(place + KEEP + "ld.u32 %r9, [%rd12]; " + TAKE)).isTrue();
  }

  @Test
  void aPlaceChangesInALoopThatStoresThere() {
    String loop =
        "mov.u32 %r21, 0; L: %s add.s32 %r21, %r21, 1; setp.lt.s32 %p2, %r21, 3; @%p2 bra L; ";
    assertThat(isKnown(KEEP + loop.replace("%s", TAKE))).isTrue();
    assertThat(isKnown(KEEP + loop.replace("%s", TAKE + "st.local.u32 [kept+4], %r1;"))).isFalse();
    assertThat(isKnown(KEEP + loop.replace("%s", "st.local.u32 [kept+8], %r1;") + TAKE)).isTrue();
    String place = "and.b32 %r9, %r0, 12; cvt.u64.u32 %rd12, %r9; add.u64 %rd12, %rd11, %rd12; ";
    String indexed = loop.replace("%s", "ld.local.u32 %r20, [kept+4]; st.u32 [%rd12], %r1;");
    assertThat(isKnown(place + KEEP + indexed)).isFalse();
  }

  @Test
  void onBothWaysOfABranchAPlaceHoldsOneOfTwoValues() {
    String branch = "@%p1 bra A; st.local.u32 [kept+4], OTHER; bra B; A: " + KEEP + "B: " + TAKE;
    assertThat(isKnown(branch.replace("OTHER", "%r4"))).isTrue();
    assertThat(isKnown(branch.replace("OTHER", "%r1"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "'st.global.u64 [%rd2], %rd11;', false",
    "'st.global.u64 [%rd2], %rd2;', true",
    "'{ .param .u64 q; st.param.u64 [q], %rd11; call other, (q); }', false",
    "'{ .param .u64 q; st.param.u64 [q], %rd11; call use, (q); }', true",
    "'atom.global.exch.b64 %rd9, [%rd2], %rd11;', false",
  })
  void anAddressThatGetsOutOfSightLeavesAllPlacesOpen(String code, boolean expected) {
    // Bounds are about one thread, so that what others do to b is of no matter.
    String guard = "ld.local.u32 %r20, [kept+4]; ";
    PtxModule module = module("st.local.u32 [kept+4], 5; " + code + guard);
    KernelBounds bounds =
        KernelBounds.of(module, module.entries().get(0), List.of(new ArrayPlace(0, 0)));
    assertThat(bounds.isChecked(0)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"'{%r20, %r9}', true", "'{_, %r20}', false"})
  void noLaunchIsSaidToReachTheIndexThatALoadLeavesOut(String loaded, boolean expected) {
    String code = "mov.u32 %r9, 3; mov.u32 %r8, 5; st.v2.u32 [%rd11], {%r9, %r8}; ";
    PtxModule module = module(code + "ld.v2.u32 " + loaded + ", [%rd11]; ");
    KernelBounds bounds =
        KernelBounds.of(module, module.entries().get(0), List.of(new ArrayPlace(0, 0)));
    assertThat(bounds.isChecked(0)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "'ld.u64 %rd13, [%rd11];', true",
    "'ld.u64 %rd13, [%rd12];', false",
    "'st.u64 [%rd12], %rd9; ld.u64 %rd13, [%rd11];', false",
  })
  void theAddressOfAnArrayMayBeInAnyPlaceThatItCanBeIn(String code, boolean expected) {
    String place = "and.b32 %r9, %r0, 8; cvt.u64.u32 %rd12, %r9; add.u64 %rd12, %rd11, %rd12; ";
    String keep = "mov.u64 %rd9, 0; st.u64 [%rd11], %rd1; st.u64 [%rd11+8], %rd2; mov.u32 %r20, 0;";
    PtxModule module = module(place + keep + code + " st.u32 [%rd13+4000], %r4; ");
    var array =
        KernelBounds.of(
                module,
                module.entries().get(0),
                List.of(new ArrayPlace(0, 0), new ArrayPlace(2, 0)))
            .arrays()
            .get(0);
    assertThat(array.isLimited()).isEqualTo(expected);
  }

  /** Otherwise the kernel is evaluated again, which takes as long. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "st.local.u32 [kept+4], %r4; ld.local.u32 %r20, [kept+4]; | true",
        "st.u32 [%rd11+4], %r4; add.u64 %rd12, %rd11, 4; ld.u32 %r20, [%rd12]; | true",
        "st.u32 [%rd11+4], %r4; or.b64 %rd12, %rd11, 4; ld.u32 %r20, [%rd12]; | true",
        "st.v2.u32 [%rd11], {%r1, %r4}; @%p1 ld.u32 %r20, [%rd11+4]; | true",
        "mul.wide.s32 %rd13, %r0, 4; add.s64 %rd14, %rd11, %rd13; st.u32 [%rd14], %r4;"
            + " ld.u32 %r20, [%rd11+4]; | true",
        "mul.wide.s32 %rd13, %r0, 4; add.s64 %rd14, %rd11, %rd13; st.u32 [%rd11+4], %r4;"
            + " ld.u32 %r20, [%rd14]; | true",
        // An address in a register that is assigned twice, or in a place.
        "mov.u64 %rd12, %rd11; add.u64 %rd12, %rd11, 4; st.u32 [%rd12], %r4;"
            + " ld.u32 %r20, [%rd11+4]; | false",
        "st.u64 [%rd11+8], %rd11; ld.u64 %rd12, [%rd11+8]; st.u32 [%rd12], %r4;"
            + " ld.u32 %r20, [%rd11]; | false",
      })
  void addressesInRegistersShowWhichPlacesThereAre(String code, boolean areForeseen) {
    PtxModule module = module(code);
    KernelFlow kernel = new KernelFlow(module, module.entries().get(0));
    NodeGraph nodes = new NodeGraph();
    List<ArrayPlace> arrays = List.of(new ArrayPlace(0, 0), new ArrayPlace(2, 0));
    KernelInputs inputs = new KernelInputs(arrays, List.of(), Map.of(), Set.of(), 3);
    KernelMemory memory = new KernelMemory(nodes, kernel.flow().function(), inputs);
    LocalCells foreseen = ForeseenCells.of(kernel.flow(), kernel.graph());
    KernelValues values = new KernelValues(kernel.flow(), kernel.graph(), nodes, memory, foreseen);
    values.evaluate();
    LocalCells found = LocalCells.of(values, new Dependences(nodes), memory.locals());

    assertThat(foreseen).isNotEqualTo(LocalCells.NONE);
    assertThat(foreseen.equals(found)).isEqualTo(areForeseen);
  }
}
