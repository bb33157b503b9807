package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The values that each kind of instruction passes on. The verdicts on p, q, t and n follow the
 * arrow: W for writes, R for reads, B for both, ? for unknown, and - for no access.
 */
class AccessInstructionsTest {
  private static void assertVerdicts(String sample) {
    String[] parts = sample.split(" => ");
    AnalysedKernel kernel = AnalysedKernel.of(parts[0]);
    String verdicts =
        kernel.verdicts().stream()
            .map(AccessInstructionsTest::letter)
            .collect(Collectors.joining());

    assertThat(verdicts).as(parts[0]).isEqualTo(parts[1]);
  }

  private static String letter(ParameterAccess.Verdict verdict) {
    return switch (verdict) {
      case NONE -> "-";
      case READS -> "R";
      case WRITES -> "W";
      case READS_WRITES -> "B";
      case UNKNOWN -> "?";
    };
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cvt.u64.u64 %rd9, %rd1; st.global.u32 [%rd9], 1; => W---",
        "cvt.u64.u32 %rd9, %rd1; st.global.u32 [%rd9], 1; => ?---",
        "cvt.rn.f64.u64 %fd1, %rd1; mov.b64 %rd9, %fd1; st.global.u32 [%rd9], 1; => ?---",
        "shr.u64 %rd9, %rd1, 3; st.global.u32 [%rd9], 1; => ?---",
        "bfe.u64 %rd9, %rd1, 0, 48; st.global.u32 [%rd9], 1; => ?---",
        "bfi.b64 %rd9, %rd1, %rd2, 0, 32; st.global.u32 [%rd9], 1; => ??--",
        "mov.b64 {%r5, %r6}, %rd1; st.global.u32 [%r5], 1; => ?---",
        "mov.b64 {%r5, %r6}, %rd1; st.global.u32 [%r6], 1; => ?---",
        "mov.b64 {%r5, %r6}, %rd1; add.u32 %r7, %r5, %r5; st.global.u32 [%r7], 1; => ?---",
        "mov.b64 {%r5, %r6}, %rd1; and.b32 %r7, %r5, -16; st.global.u32 [%r7], 1; => ?---",
        "mov.b64 {%r5, %r6}, %rd1; or.b32 %r7, %r5, %r6; st.global.u32 [%r7], 1; => ?---",
        "mov.b64 {%r5, %r6}, %rd1; neg.s32 %r7, %r5; st.global.u32 [%r7], 1; => ?---",
        "mov.b64 {%r5, %r6}, %rd1; xor.b32 %r7, %r5, %r1; st.global.u32 [%r7], 1; => ?---",
        "mov.b64 {%r5, %r6}, %rd1; mov.b32 %f1, %r5; cvt.rn.f16x2.f32 %r7, %f2, %f1;"
            + "st.global.u32 [%r7], 1; => ?---",
        "div.u64 %rd9, %rd1, 3; st.global.u32 [%rd9], 1; => ?---"
      })
  void aPartOfAPointerIsNoPointer(String sample) {
    assertVerdicts(sample);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "min.u64 %rd9, %rd1, %rd1; st.global.u32 [%rd9], 1; => W---",
        "max.u64 %rd9, %rd1, %rd2; st.global.u32 [%rd9], 1; => ??--",
        "selp.b64 %rd9, %rd1, %rd1, %p1; st.global.u32 [%rd9], 1; => W---",
        "cvta.global.u64 %rd9, %rd1; st.u32 [%rd9], 1; => W---",
        "cvta.shared.u64 %rd9, %rd1; st.u32 [%rd9], 1; => ?---",
        "cvta.to.shared.u64 %rd9, %rd1; st.u32 [%rd9], 1; => W---",
        "mul.lo.u64 %rd8, %rd4, 8; add.s64 %rd9, %rd8, %rd1; st.global.u32 [%rd9], 1; => W---",
        "mul.hi.u64 %rd8, %rd4, 8; add.s64 %rd9, %rd8, %rd1; st.global.u32 [%rd9], 1; => W---",
        "mad.lo.u64 %rd9, %rd4, 8, %rd1; st.global.u32 [%rd9], 1; => W---",
        "mad.hi.u64 %rd9, %rd4, 8, %rd1; st.global.u32 [%rd9], 1; => W---",
        "neg.s64 %rd5, %rd1; add.s64 %rd9, %rd5, %rd2; st.global.u32 [%rd9], 1; => -W--",
        "neg.s64 %rd5, %rd1; neg.s64 %rd9, %rd5; st.global.u32 [%rd9], 1; => W---",
        "brev.b64 %rd9, %rd1; st.global.u32 [%rd9], 1; => W---",
        "popc.b64 %r5, %rd1; cvt.u64.u32 %rd8, %r5; add.s64 %rd9, %rd8, %rd2;"
            + "st.global.u32 [%rd9], 1; => -W--",
        "mov.u64 %rd9, 4096; st.global.u32 [%rd9], 1; => ----",
        "add.s64 %rd9, %rd1; st.global.u32 [%rd9], 1; => W---",
        "add.s64 %rd9, %rd1, %rd20; st.global.u32 [%rd9], 1; => W---",
        ".local .b64 l; ld.local.u64 %rd5, [l]; add.s64 %rd9, %rd1, %rd5;"
            + "st.global.u32 [%rd9], 1; => W---",
        "mov.b64 {%r5, %r6}; mov; st.global.u32 [%rd1], 1; => W---"
      })
  void aPointerIsFollowedThroughArithmetic(String sample) {
    assertVerdicts(sample);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "add.f64 %fd1, %fd2, %fd3; mov.b64 %rd5, %fd1; add.s64 %rd9, %rd4, %rd5;"
            + "st.global.u32 [%rd9], 1; => ---?",
        "rcp.rn.f64 %fd1, %fd2; mov.b64 %rd5, %fd1; add.s64 %rd9, %rd4, %rd5;"
            + "st.global.u32 [%rd9], 1; => ---?",
        "add.s64 %rd5, %rd20, %rd21; add.s64 %rd9, %rd4, %rd5; st.global.u32 [%rd9], 1; => ---W",
        "mov.b64 %fd1, %rd1; add.f64 %fd2, %fd1, %fd3; mov.b64 %rd9, %fd2;"
            + "st.global.u32 [%rd9], 1; => W---",
        "mov.b64 %fd1, %rd1; add.f64 %fd2, %fd3, %fd1; mov.b64 %rd9, %fd2;"
            + "st.global.u32 [%rd9], 1; => W---",
        "mov.b64 %fd1, %rd1; neg.f64 %fd2, %fd1; mov.b64 %rd8, %fd2; add.s64 %rd9, %rd8, %rd2;"
            + "st.global.u32 [%rd9], 1; => ??--"
      })
  void bitsOfAPointerMaySurviveInFloatingPointNumbers(String sample) {
    assertVerdicts(sample);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mov.v2.u64 {%rd8, %rd9}, {%rd1, %rd2}; st.global.u32 [%rd9], 1; => -W--",
        ".reg .b128 %q1; mov.b128 %q1, {%rd1, %rd4}; mov.b128 {%rd9, %rd8}, %q1;"
            + "st.global.u32 [%rd9], 1; => W---",
        ".reg .v2 .b64 %v; mov.u64 %v.x, %rd1; mov.u64 %v.y, %rd2; mov.u64 %rd9, %v.x;"
            + "st.global.u32 [%rd9], 1; => W---",
        ".reg .v2 .b64 %v; mov.u64 %v.x, %rd1; mov.u64 %v.y, %rd2; mov.u64 %rd9, %v.y;"
            + "st.global.u32 [%rd9], 1; => -W--",
        ".reg .v2 .b64 %v; mov.v2.u64 %v, {%rd1, %rd2}; mov.u64 %rd9, %v.y;"
            + "st.global.u32 [%rd9], 1; => -W--",
        ".reg .v2 .b32 %v; mov.b64 %v, %rd1; mov.b64 %rd9, %v; st.global.u32 [%rd9], 1; => W---",
        ".reg .v2 .b64 %v; .local .align 16 .b64 l[2]; mov.u64 %v.x, %rd1; mov.u64 %v.y, %rd2;"
            + "st.local.v2.u64 [l], %v; ld.local.u64 %rd9, [l+8]; st.global.u32 [%rd9], 1; => -W--",
        ".reg .v2 .b64 %v; .local .align 16 .b64 l[2]; st.local.u64 [l], %rd1;"
            + "st.local.u64 [l+8], %rd2; ld.local.v2.u64 %v, [l]; mov.u64 %rd9, %v.y;"
            + "st.global.u32 [%rd9], 1; => -W--",
        ".local .align 16 .b64 l[2]; st.local.v2.u64 [l], {%rd1, %rd2}; ld.local.u64 %rd9, [l+8];"
            + "st.global.u32 [%rd9], 1; => -W--",
        ".local .align 16 .b64 l[2]; st.local.u64 [l], %rd1; st.local.u64 [l+8], %rd2;"
            + "ld.local.v2.u64 {%rd8, %rd9}, [l]; st.global.u32 [%rd9], 1; => -W--",
        ".shared .align 16 .b64 s[2]; st.shared.u64 [s], %rd1; st.shared.u64 [s+8], %rd2;"
            + "mov.u32 %r5, s; shfl.sync.idx.b32 %r7|%p1, %r5, 0, 31, -1;"
            + "ld.shared.u64 %rd9, [%r7+8]; st.global.u32 [%rd9], 1; => -W--"
      })
  void theElementsOfAVectorAreDistinguished(String sample) {
    assertVerdicts(sample);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "alloca.u64 %rd7, 16; alloca.u64 %rd8, 16; st.local.u64 [%rd7], %rd1;"
            + "st.local.u64 [%rd8], %rd2; ld.local.u64 %rd9, [%rd7]; st.global.u32 [%rd9], 1;"
            + " => W---",
        "st.local.u64 [%r6], %rd1; ld.local.u64 %rd9, [%r6]; st.global.u32 [%rd9], 1; => W---",
        "ld.const.u32 %r5, [%rd1]; => ----",
        "ld.shared.u32 %r5, [%rd1]; => ----",
        "ld.global.u32 %r5, [%rd1]; => R---",
        "ld.u32 %r5, [%rd1]; => R---",
        ".local .b64 l, m; st.local.u64 [l], %rd1; st.local.u64 [m], %rd2; mov.u64 %rd5, l;"
            + "and.b64 %rd6, %rd5, 15; mov.u64 %rd7, m; add.s64 %rd7, %rd7, %rd6;"
            + "ld.local.u64 %rd9, [%rd7]; st.global.u32 [%rd9], 1; => -W--",
        ".shared .align 8 .b64 s; .shared .align 8 .b64 bar;"
            + "st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [s], %rd1, [bar];"
            + "ld.shared.u64 %rd9, [bar]; st.global.u32 [%rd9], 1; => ----",
        ".shared .align 8 .b64 s; .shared .align 8 .b64 bar;"
            + "st.async.shared::cluster.mbarrier::complete_tx::bytes.u64 [s], %rd1, [bar];"
            + "ld.shared.u64 %rd9, [s]; st.global.u32 [%rd9], 1; => W---",
        ".shared .align 8 .b8 s[16]; st.shared.u64 [s], %rd2; st.shared.u64 [s+8], %rd1;"
            + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [s]; st.global.u32 [%r5], 1;"
            + " => ??--",
        ".shared .align 8 .b64 s; mov.u64 %rd8, %rd1; atom.shared.exch.b64 %rd8, [s], 7;"
            + "ld.shared.u64 %rd9, [s]; st.global.u32 [%rd9], 1; => ----",
        ".shared .align 8 .b64 s; neg.s64 %rd5, %rd1; st.shared.u64 [s], %rd5;"
            + "ld.shared.u64 %rd6, [s]; add.s64 %rd9, %rd6, %rd2; st.global.u32 [%rd9], 1; => -W--",
        ".shared .align 8 .b64 s; neg.s64 %rd5, %rd1; atom.shared.add.u64 %rd8, [s], %rd5;"
            + "ld.shared.u64 %rd6, [s]; add.s64 %rd9, %rd6, %rd2; st.global.u32 [%rd9], 1; => ??--",
        ".shared .align 8 .b64 s; st.shared.u64 [s], %rd1; st.bulk.weak.shared::cta [s], 8, 0;"
            + "ld.shared.u64 %rd9, [s]; st.global.u32 [%rd9], 1; => ?---"
      })
  void aStoredValueIsFoundAtItsPlaceAlone(String sample) {
    assertVerdicts(sample);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".shared .b64 s; cp.async.ca.shared.global [s], [%rd1], 8; ld.shared.u64 %rd8, [s];"
            + "add.s64 %rd9, %rd4, %rd8; st.global.u32 [%rd9], 1; => R--?",
        "cp.async.ca.shared [%rd2], [%rd1], 8; => RW--",
        "cp.async.ca.shared.global [%rd2], [%rd1], 8; => R---",
        "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%rd1], 16; => -W--",
        ".shared .b64 s; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s],"
            + "[%rd1], 16, [%rd2]; => RB--",
        ".shared .b64 s; st.shared.u64 [s], %rd1;"
            + "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r6], 16; => ?W--",
        ".shared .b64 s; .shared .b64 bar;"
            + "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [s],"
            + "[%rd1, {%r5}], [bar]; ld.shared.u64 %rd8, [s]; add.s64 %rd9, %rd4, %rd8;"
            + "st.global.u32 [%rd9], 1; => ?--?",
        ".shared .b64 s; st.shared.u64 [s], %rd1; tcgen05.cp.cta_group::1.128x256b [%r1], %rd5;"
            + " => ?---",
        "mov.b64 {%r5, %r6}, %rd1; mov.b32 %f1, %r5;"
            + "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd5, %rd6,"
            + " 1, 1, 1, 0, 0; mov.b32 %r7, %f2; st.global.u32 [%r7], 1; => ?---",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd5, %rd6,"
            + " 1, 1, 1, 0, 0; mov.b64 %rd7, {%f1, %f2}; add.s64 %rd9, %rd4, %rd7;"
            + "st.global.u32 [%rd9], 1; => ---?",
        "st.global.L2::cache_hint.u32 [%rd1], 7, %rd5; => W---",
        "atom.global.add.u32 [%rd1], 1; => B---",
        "ld.global.u32; st.global.u32; atom; ld.global.u32 %r5, [%rd1]; => R---"
      })
  void copiesAndTensorsReachWhatTheirOperandsSay(String sample) {
    assertVerdicts(sample);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "frobnicate %r5, [%rd1]; => ?---",
        "frobnicate %r5, [%rd5, {%rd1, %rd2}]; => ??--",
        "frobnicate %r5, [%rd5, %rd1]; => ?---",
        "frobnicate %r5, {%rd1, %rd2}; => ??--",
        "frobnicate %r5|%p1, %rd1; => ?---",
        "frobnicate (%r5), (%rd1, %rd2); => ??--",
        ".reg .v2 .b64 %v; mov.u64 %v.x, %rd1; mov.u64 %v.y, %rd2; frobnicate %v; => ??--",
        "frobnicate %rd4; => ---?",
        ".local .b64 l; st.local.u64 [l], %rd1; mov.u64 %rd5, l; frobnicate %rd5; => ?---",
        "frobnicate [%rd8], %r5; add.s64 %rd9, %rd4, %rd8; st.global.u32 [%rd9], 1; => ---?",
        "frobnicate %r5, {%rd7, %rd8}; add.s64 %rd9, %rd4, %rd8; st.global.u32 [%rd9], 1; => ---?",
        "st.global.u32 [%rd1, {%r1}], 7; => ?---",
        "ld.global.u32 %r5, [%rd1, {%r1}]; => ?---",
        "ld.global.frobnicated.u32 %r5, [%rd1]; => ?---",
        "ld.global.u32 %r5, %rd1; => ?---",
        "add.s64 %rd9, [%rd1], 8; => ?---"
      })
  void anUnknownOpcodeMayDoAnythingWithItsOperands(String sample) {
    assertVerdicts(sample);
  }
}
