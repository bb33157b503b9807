package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.bounds.IndexBounds.Launch;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Indexes that are quotients and remainders by constants, as compilers compute them. */
final class ConstantDivisorsTest {
  private static final String KERNEL =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry k(.param .u64 x, .param .u32 n)
      {
        .reg .pred %%p<4>; .reg .b16 %%rs<4>; .reg .b32 %%r<20>; .reg .b64 %%rd<9>;
        ld.param.u64 %%rd1, [x]; ld.param.u32 %%r1, [n];
        mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ntid.x; mov.u32 %%r4, %%tid.x;
        mad.lo.s32 %%r5, %%r2, %%r3, %%r4; setp.ge.s32 %%p1, %%r5, %%r1; @%%p1 bra END;
        %s
        mul.wide.s32 %%rd2, %%r9, 4; add.s64 %%rd3, %%rd1, %%rd2; st.global.u32 [%%rd3], 7;
      END: ret;
      }
      """;

  /** Of 1,000 threads, those up to n. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "i / 3 | mul.hi.s32 %r6, %r5, 1431655766; shr.u32 %r7, %r6, 31; add.s32 %r9, %r6, %r7;"
            + " | 900 | 0..1200",
        "i / 7, by a factor of 32 bits | mul.hi.s32 %r6, %r5, -1840700269; add.s32 %r6, %r6, %r5;"
            + " shr.u32 %r7, %r6, 31; shr.s32 %r8, %r6, 2; add.s32 %r9, %r8, %r7; | 900 | 0..516",
        "i % 101 | mul.hi.s32 %r6, %r5, 680390859; shr.u32 %r7, %r6, 31; shr.s32 %r8, %r6, 4;"
            + " add.s32 %r10, %r8, %r7; mul.lo.s32 %r11, %r10, 101; sub.s32 %r9, %r5, %r11;"
            + " | 900 | 0..404",
        "i % 101, of few | mul.hi.s32 %r6, %r5, 680390859; shr.u32 %r7, %r6, 31;"
            + " shr.s32 %r8, %r6, 4; add.s32 %r10, %r8, %r7;"
            + " mad.lo.s32 %r9, %r10, -101, %r5; | 50 | 0..200",
        "unsigned tid / 10, in 16 bits | cvt.u16.u32 %rs1, %r4; mul.wide.u16 %r6, %rs1, 52429;"
            + " shr.u32 %r9, %r6, 19; | 900 | 0..52",
      })
  void theCompilersProductIsTheQuotient(String what, String code, String count, String expected) {
    IndexBounds bounds = IndexBounds.of(KERNEL.formatted(code), "k", 1, Map.of());

    assertThat(bounds.touched(0, Launch.of("8x125 lengths 1 numbers " + count)))
        .as(what)
        .isEqualTo(expected);
  }
}
