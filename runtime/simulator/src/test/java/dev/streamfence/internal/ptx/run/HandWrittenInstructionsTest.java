package dev.streamfence.internal.ptx.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Instructions and syntax that the compiler does not write for the kernels of the corpus. */
class HandWrittenInstructionsTest {
  private static long[] first(int count, String body) {
    return Arrays.copyOf(HandWritten.run(1, body), count);
  }

  /** Returns result {@code k} of each of a warp's lanes. */
  private static long[] lanes(int k, long[] results) {
    long[] column = new long[results.length / HandWritten.RESULTS];
    for (int i = 0; i < column.length; i++) {
      column[i] = results[i * HandWritten.RESULTS + k];
    }
    return column;
  }

  @Test
  void fieldsAreExtendedAndMasksMade() {
    assertThat(
            first(
                6,
                """
                szext.wrap.s32 %r1, 0x1FF, 8;   st.global.u32 [%out], %r1;
                szext.clamp.u32 %r1, 0x1FF, 8;  st.global.u32 [%out+8], %r1;
                szext.clamp.s32 %r1, 5, 40;     st.global.u32 [%out+16], %r1;
                bmsk.clamp.b32 %r1, 4, 8;       st.global.u32 [%out+24], %r1;
                bmsk.wrap.b32 %r1, 36, 3;       st.global.u32 [%out+32], %r1;
                bmsk.clamp.b32 %r1, 28, 50;     st.global.u32 [%out+40], %r1;
                """))
        .containsExactly(0xFFFF_FFFFL, 0xFF, 5, 0xFF0, 0x70, 0xF000_0000L);
  }

  @Test
  void integersAreNarrowedAndPacked() {
    assertThat(
            first(
                3,
                """
                cvt.pack.sat.s16.s32 %r1, 40000, -7;  st.global.u32 [%out], %r1;
                cvt.pack.sat.u8.s32.b32 %r1, -1, 300, 0x1234; st.global.u32 [%out+8], %r1;
                cvt.s64.s8 %rd1, 0x80; cvt.s16.s8 %rs1, 0xFE; st.global.u64 [%out+16], %rd1;
                """))
        .containsExactly(0x7FFF_FFF9L, 0x1234_00FFL, -128);
  }

  @Test
  void shortsPackAndUnpack() {
    assertThat(
            first(
                4,
                """
                mov.b32 {%rs1, %rs2}, 0x12345678;
                mov.b32 %r1, {%rs2, %rs1};              st.global.u32 [%out], %r1;
                mov.b64 %rd1, {%r1, 7};                 st.global.u64 [%out+8], %rd1;
                mov.b64 {_, %r2}, %rd1;                 st.global.u32 [%out+16], %r2;
                mov.b64 %rd2, {%rs1, %rs2, %rs1, 1};    st.global.u64 [%out+24], %rd2;
                """))
        .containsExactly(0x5678_1234L, 0x7_5678_1234L, 7, 0x0001_5678_1234_5678L);
  }

  @Test
  void vectorRegistersHaveElements() {
    assertThat(
            first(
                3,
                """
                .reg .v4 .b32 %v; .reg .v2 .b64 %w;
                mov.b32 %v.x, 1; mov.b32 %v.y, 2; mov.b32 %v.z, 3; add.u32 %v.w, %v.y, %v.z;
                st.global.v4.u32 [%out], %v;
                ld.global.v2.u64 %w, [%out];
                st.global.u64 [%out+16], %w.y;
                """))
        .containsExactly(0x2_0000_0001L, 0x5_0000_0003L, 0x5_0000_0003L);
  }

  @Test
  void literalsOfAllBasesMeanTheSame() {
    assertThat(
            first(
                5,
                """
                mov.u32 %r1, 0x1F;   st.global.u32 [%out], %r1;
                mov.u32 %r1, 037U;   st.global.u32 [%out+8], %r1;
                mov.u32 %r1, 0b11111; st.global.u32 [%out+16], %r1;
                mov.f32 %f1, 0d3FF8000000000000; st.global.f32 [%out+24], %f1;
                mov.f64 %fd1, 0f3FC00000; st.global.f64 [%out+32], %fd1;
                """))
        .containsExactly(31, 31, 31, Float.floatToIntBits(1.5f), Double.doubleToLongBits(1.5));
  }

  @Test
  void predicatesCombineAndNegate() {
    assertThat(
            first(
                5,
                """
                setp.eq.s32 %p1|%p2, 1, 1;
                selp.u32 %r1, 10, 20, %p2;         st.global.u32 [%out], %r1;
                and.pred %p3, %p1, !%p2;           selp.u32 %r1, 1, 0, %p3; st.global.u32 [%out+8], %r1;
                xor.pred %p3, %p1, %p1; not.pred %p3, %p3; mov.pred %p4, %p3;
                @%p4 mov.u32 %r1, 5; @!%p4 mov.u32 %r1, 6; st.global.u32 [%out+16], %r1;
                setp.gt.or.f64 _|%p5, 1.0, 2.0, %p2; selp.u32 %r1, 1, 0, %p5; st.global.u32 [%out+24], %r1;
                selp.f32 %f1, 1.0, 2.0, !%p1;      st.global.f32 [%out+32], %f1;
                """))
        .containsExactly(20, 1, 5, 1, Float.floatToIntBits(2f));
  }

  @Test
  void functionsTakeAndGiveRegistersAndMemory() {
    String functions =
        """
        .func (.reg .b32 sum) in_registers(.reg .b32 a, .reg .b32 b) { add.s32 sum, a, b; ret; }
        .func (.param .b64 r) mixed(.param .b32 a, .reg .b64 b)
        { .reg .b32 x; .reg .b64 y; ld.param.s32 y, [a]; add.s64 y, y, b; st.param.b64 [r], y; }
        .func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 a[16])
        { .reg .b64 x, y; ld.param.v2.u64 {x, y}, [a]; st.param.v2.b64 [r], {y, x}; ret.uni; }
        """;
    long[] results =
        HandWritten.runModule(
            1,
            HandWritten.module(
                functions,
                """
                call (%r1), in_registers, (40, 2);
                st.global.u32 [%out], %r1;
                { .param .b32 n; st.param.b32 [n], -5; call (%rd1), mixed, (n, %rd0); }
                st.global.u64 [%out+8], %rd1;
                { .param .align 8 .b8 s[16], t[16]; st.param.u64 [s], 1; st.param.u64 [s+8], 2;
                  call.uni (t), swap, (s); ld.param.b64 %rd1, [t]; ld.param.b64 %rd2, [t+8]; }
                st.global.v2.u64 [%out+16], {%rd1, %rd2};
                """));

    assertThat(Arrays.copyOf(results, 4)).containsExactly(42, -5, 2, 1);
  }

  @Test
  void shufflesAndVotesWithoutMasksTakeTheActiveLanes() {
    long[] results =
        HandWritten.run(
            32,
            """
            setp.lt.u32 %p1, %me, 8;
            @!%p1 bra OTHERS;
            shfl.bfly.b32 %r1, %me, 1, 31;
            st.global.u32 [%out], %r1;
            activemask.b32 %r2;
            st.global.u32 [%out+8], %r2;
            OTHERS:
            and.b32 %r3, %me, 1; setp.eq.u32 %p2, %r3, 1;
            vote.ballot.b32 %r4, %p2;
            st.global.u32 [%out+16], %r4;
            vote.any.pred %p3, %p2; selp.u32 %r5, 1, 0, %p3;
            st.global.u32 [%out+24], %r5;
            """);

    assertThat(Arrays.copyOf(lanes(0, results), 8)).containsExactly(1, 0, 3, 2, 5, 4, 7, 6);
    assertThat(Arrays.copyOf(lanes(1, results), 8)).containsOnly(0xFF);
    long all = 0;
    for (long ballot : lanes(2, results)) {
      all |= ballot;
    }
    assertThat(all).isEqualTo(0xAAAA_AAAAL);
    assertThat(lanes(3, results)).containsOnly(1);
  }

  @Test
  void oneLaneIsElected() {
    long[] results =
        HandWritten.run(
            32,
            """
            setp.ge.u32 %p1, %me, 4;
            @%p1 elect.sync %r1|%p2, 0xFFFFFFF0;
            @%p1 st.global.u32 [%out], %r1;
            selp.u32 %r2, 1, 0, %p2;
            st.global.u32 [%out+8], %r2;
            """);

    assertThat(lanes(0, results)).startsWith(0, 0, 0, 0, 4, 4).endsWith(4, 4);
    assertThat(Arrays.stream(lanes(1, results)).sum()).isEqualTo(1);
    assertThat(lanes(1, results)[4]).isEqualTo(1);
  }

  @Test
  void barriersReducePredicatesOfSomeWarps() {
    long[] results =
        HandWritten.run(
            96,
            """
            setp.lt.u32 %p1, %me, 64;
            setp.lt.u32 %p2, %me, 10;
            @!%p1 bra END;
            barrier.red.popc.u32 %r1, 4, 64, %p2; st.global.u32 [%out], %r1;
            bar.red.and.pred %p3, 4, 64, !%p2; selp.u32 %r2, 1, 0, %p3; st.global.u32 [%out+8], %r2;
            bar.red.or.pred %p4, 4, 64, %p2; selp.u32 %r3, 1, 0, %p4; st.global.u32 [%out+16], %r3;
            END:
            """);

    assertThat(Arrays.copyOf(lanes(0, results), 64)).containsOnly(10);
    assertThat(Arrays.copyOf(lanes(1, results), 64)).containsOnly(0);
    assertThat(Arrays.copyOf(lanes(2, results), 64)).containsOnly(1);
    assertThat(lanes(0, results)[70]).isZero();
  }

  @Test
  void hintsFencesAndPoliciesChangeNothing() {
    assertThat(
            first(
                2,
                """
                createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %rd1, 1.0;
                st.global.L2::cache_hint.u32 [%out], 3, %rd1;
                ld.global.L1::no_allocate.L2::cache_hint.L2::128B.u32 %r1, [%out], %rd1;
                prefetch.global.L1 [%out]; prefetchu.L1 [%out]; prefetch.global.L2::evict_last [%out];
                membar.gl; fence.sc.sys; fence.acq_rel.gpu; fence.proxy.alias;
                griddepcontrol.wait; griddepcontrol.launch_dependents; pmevent 7;
                ld.acquire.sys.global.u32 %r2, [%out]; ld.volatile.global.u32 %r3, [%out];
                add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
                st.mmio.relaxed.sys.global.u32 [%out+8], %r1;
                """))
        .containsExactly(3, 9);
  }

  @Test
  void atomicsWorkOnGenericAddressesAndOnShorts() {
    assertThat(
            first(
                5,
                """
                .shared .align 4 .b8 cell[8];
                mov.u64 %rd1, cell; cvta.shared.u64 %rd1, %rd1;
                st.u32 [%rd1], 0x00010005;
                atom.add.u32 %r1, [%rd1], 2; st.global.u32 [%out], %r1;
                mov.b16 %rs1, 7; mov.b16 %rs2, 9;
                atom.shared.cas.b16 %rs3, [cell], %rs1, %rs2; st.global.u16 [%out+8], %rs3;
                ld.shared.u32 %r2, [cell]; st.global.u32 [%out+16], %r2;
                red.shared.xor.b32 [cell], 0xFF; ld.u32 %r3, [%rd1]; st.global.u32 [%out+24], %r3;
                atom.acq_rel.cta.shared.exch.b64 %rd2, [cell], 1; ld.shared.b64 %rd3, [cell];
                st.global.u64 [%out+32], %rd3;
                """))
        .containsExactly(0x10005, 7, 0x10009, 0x100F6, 1);
  }

  @Test
  void addsToGlobalFloatsFlushSubnormalNumbersAndSharedOnesDoNot() {
    assertThat(
            first(
                2,
                """
                .shared .f32 cell;
                st.shared.b32 [cell], 1; st.global.b32 [%out], 1;
                mov.b32 %f1, 1;
                red.shared.add.f32 [cell], %f1; red.global.add.f32 [%out], %f1;
                ld.shared.b32 %r1, [cell]; st.global.b32 [%out+8], %r1;
                """))
        .containsExactly(0, 2);
  }

  @Test
  void unwrittenMemoryHoldsAFixedPattern() {
    assertThat(
            first(
                2,
                """
                .shared .b32 shared_word; .local .align 4 .b8 local_word[4];
                ld.shared.u32 %r1, [shared_word]; st.global.u32 [%out], %r1;
                ld.local.u32 %r1, [local_word]; st.global.u32 [%out+8], %r1;
                """))
        .containsExactly(0xCBCB_CBCBL, 0xCBCB_CBCBL);
  }

  @Test
  void parametersCanBeReadByAddress() {
    assertThat(
            first(
                1,
                """
                mov.b64 %rd1, out_param; cvta.param.u64 %rd2, %rd1;
                ld.param.u64 %rd3, [%rd1]; ld.u64 %rd4, [%rd2];
                setp.eq.u64 %p1, %rd3, %rd4; selp.u64 %rd5, 1, 0, %p1; st.global.u64 [%out], %rd5;
                """))
        .containsExactly(1);
  }

  @Test
  void newerSinglePrecisionFormsWork() {
    assertThat(
            first(
                4,
                """
                min.xorsign.abs.f32 %f1, -3.0, 2.0;     st.global.f32 [%out], %f1;
                max.f32 %f2, 1.0, 5.0, 3.0;             st.global.f32 [%out+8], %f2;
                min.s32.relu %r1, -4, 3;                st.global.u32 [%out+16], %r1;
                rcp.approx.ftz.f64 %fd1, 4.0;           st.global.f64 [%out+24], %fd1;
                """))
        .containsExactly(
            Float.floatToIntBits(-2f) & 0xFFFF_FFFFL,
            Float.floatToIntBits(5f),
            0,
            Double.doubleToLongBits(0.25));
  }
}
