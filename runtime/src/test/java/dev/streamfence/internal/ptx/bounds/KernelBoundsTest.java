package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import org.junit.jupiter.api.Test;

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

  private record Shape(int blocks, int threads, long... numbers) implements LaunchNumbers {
    @Override
    public long argument(int argument) {
      return numbers[argument];
    }

    @Override
    public int block(int dimension) {
      return dimension == 0 ? threads : 1;
    }

    @Override
    public int grid(int dimension) {
      return dimension == 0 ? blocks : 1;
    }
  }

  private static KernelBounds bounds(String body) {
    String text =
        HEAD
            + ".visible .entry k(.param .u64 p0, .param .u32 p1, .param .u32 p2) {\n"
            + ".reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .b16 %rs<9>;\n"
            + INDEX
            + body
            + "ret;\n}\n";
    PtxModule module = PtxModule.parse(text);
    PtxEntry entry = module.entries().get(0);
    return KernelBounds.of(module, entry, List.of(new ArrayPlace(0, 0)));
  }

  private static void isLimitedTo(KernelBounds bounds, Shape launch, long begin, long end) {
    BoundsEvaluator evaluator = bounds.evaluator();
    evaluator.limit(launch);
    assertThat(evaluator.mayBegin(0)).isEqualTo(begin);
    assertThat(evaluator.mayEnd(0)).isEqualTo(end);
  }

  private static void reaches(KernelBounds bounds, Shape launch, long end) {
    BoundsEvaluator evaluator = bounds.evaluator();
    assertThat(evaluator.reach(0, launch)).isTrue();
    assertThat(evaluator.reachedEnd()).isEqualTo(end);
  }

  private static void reachesNothing(KernelBounds bounds, Shape launch) {
    assertThat(bounds.evaluator().reach(0, launch)).isFalse();
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

  @Test
  void aGuardLimitsTheIndex() {
    KernelBounds bounds = bounds(GUARDED_STORE);
    isLimitedTo(bounds, new Shape(4, 32, 100), 0, 400);
    reaches(bounds, new Shape(4, 32, 100), 400);
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
    BoundsEvaluator evaluator = bounds.evaluator();
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
  void aGatherIsUnknownAndSaysSo() {
    KernelBounds bounds =
        bounds(
            """
            ld.global.u32 %r6, [%rd1];
            mul.wide.s32 %rd2, %r6, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd3], %r4;
            """);
    assertThat(bounds.arrays().get(0).isLimited()).isFalse();
    assertThat(bounds.arrays().get(0).reason()).contains("loads");
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
    assertThat(bounds.arrays().get(0).isChecked()).isFalse();
    assertThat(bounds.arrays().get(0).reason()).contains("jumps through a table");
  }

  @Test
  void formulasThatExplodeEndInBoundedTime() {
    StringBuilder body = new StringBuilder("mov.u32 %r6, %r4;\n");
    for (int i = 0; i < 3000; i++) {
      body.append(
          "mad.lo.s32 %r6, %r6, %r6, %r5;\nand.b32 %r7, %r6, %r4;\nxor.b32 %r6, %r7, %r6;\n");
    }
    body.append(
        "mul.wide.s32 %rd2, %r6, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r4;\n");
    long begin = System.nanoTime();
    KernelBounds bounds = bounds(body.toString());
    BoundsEvaluator evaluator = bounds.evaluator();
    evaluator.limit(new Shape(2, 32, 100, 5));
    evaluator.reach(0, new Shape(2, 32, 100, 5));
    assertThat(System.nanoTime() - begin).isLessThan(20_000_000_000L);
  }
}
