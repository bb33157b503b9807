package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Accesses outside of a tile of 256 floats that every launch makes in a loop's first iteration. */
final class TileOverrunTest {
  /** A tree of sums; {@code %r3} is half of the block, {@code %r7} a number of the launch. */
  private static final String TREE =
      """
      mov.u32 %r4, %r3;
      L: setp.ge.u32 %p1, %r0, %r4;
      @%p1 bra NEXT;
      add.s32 %r5, %r0, %r4;
      mad.lo.s32 %r6, %r5, 4, %r2;
      ld.shared.f32 %f1, [%r6];
      NEXT: bar.sync 0;
      shr.u32 %r4, %r4, 1;
      setp.ne.s32 %p2, %r4, 0;
      @%p2 bra L;
      """;

  private static Optional<TileOverrun> of(String body, int threads) {
    PtxModule module =
        PtxModule.parse(
            """
            .version 7.0
            .target sm_75
            .address_size 64
            .visible .entry k(.param .u32 n)
            {
            .shared .align 4 .b8 part[1024];
            .reg .pred %p<9>; .reg .b32 %r<20>; .reg .f32 %f<3>;
            mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, part; shr.u32 %r3, %r1, 1;
            ld.param.u32 %r7, [n];
            """
                + body
                + "ret;\n}\n");
    return TileOverrun.of(module, module.entries().get(0), new BlockLimit(threads, 1, 1, true));
  }

  @Test
  void aTreeOfSumsBeginsWithHalfOfTheBlock() {
    TileOverrun found = of(TREE, 512).orElseThrow();
    assertThat(found.instruction().opcode()).isEqualTo("ld");
    assertThat(found.x()).isZero();
    assertThat(found.offset()).isEqualTo(1024);
    assertThat(of(TREE, 256)).isEmpty();
  }

  /** {@code if (tid < 128) part[tid] += part[tid + 128]} with twice the threads of the tile. */
  @Test
  void anAccessThatFewThreadsGetToHidesNoOther() {
    String step =
        """
        mad.lo.s32 %r6, %r0, 4, %r2;
        setp.gt.u32 %p1, %r0, 127;
        @%p1 bra NEXT;
        ld.shared.f32 %f1, [%r6+512];
        NEXT: st.shared.f32 [%r6], %f1;
        """;
    TileOverrun found = of(step, 512).orElseThrow();
    assertThat(found.instruction().opcode()).isEqualTo("st");
    assertThat(found.x()).isEqualTo(256);
    assertThat(of(step, 256)).isEmpty();
  }

  /** However many of them there are. */
  @Test
  void manyAccessesThatFewThreadsGetToHideNoOther() {
    String guarded =
        "mad.lo.s32 %r6, %r0, 4, %r2; setp.lt.u32 %p1, %r0, 256;\n"
            + "@%p1 ld.shared.f32 %f1, [%r6];\n".repeat(40)
            + "st.shared.f32 [%r6], %f1;\n";
    assertThat(of(guarded, 1024)).hasValueSatisfying(found -> assertThat(found.x()).isEqualTo(256));
  }

  /** Each is outside for every thread, and the way to it is looked at for the first of them. */
  @Test
  void accessesThatNoThreadGetsToLeaveWorkForOthers() {
    String body =
        "mad.lo.s32 %r6, %r0, 4, %r2; setp.gt.u32 %p1, %r0, 5000; setp.gt.u32 %p2, %r0, 6000;\n"
            + "@%p2 bra END;\n".repeat(60)
            + "@%p1 ld.shared.f32 %f1, [%r6+4096];\n".repeat(40)
            + "st.shared.f32 [%r6], %f1;\nEND: ";
    assertThat(of(body, 1024)).hasValueSatisfying(found -> assertThat(found.x()).isEqualTo(256));
  }

  @Test
  void whatALaunchMayLeaveOutInTheFirstIterationIsNotCertain() {
    String guarded =
        TREE.replace("add.s32 %r5", "setp.eq.s32 %p3, %r7, 0; @%p3 bra NEXT; add.s32 %r5");
    assertThat(of(guarded, 512)).isEmpty();
  }

  @Test
  void whatALoopLeavesBehindIsNotThatOfItsFirstIteration() {
    String after = "mad.lo.s32 %r6, %r4, 4, %r2; ld.shared.f32 %f1, [%r6];\n";
    String loop = TREE.replace("ld.shared.f32 %f1, [%r6];\n", "");
    assertThat(of(loop + after, 512)).isEmpty();
    assertThat(of("mov.u32 %r4, %r1;\n" + after, 512)).isPresent();
  }

  @Test
  void valuesOnTheWayToOneThatTakesTooManyStepsAreKnown() {
    String steps = "add.s32 %r4, %r4, %r1;\n".repeat(400);
    String far = "mov.u32 %r4, %r2;\n" + steps + "mov.u32 %r5, %r4;\n" + steps;

    assertThat(of(far + "ld.shared.f32 %f1, [%r4];\n", 32)).isEmpty();
    assertThat(of(far + "ld.shared.f32 %f1, [%r4];\nld.shared.f32 %f2, [%r5];\n", 32))
        .hasValueSatisfying(found -> assertThat(found.offset()).isEqualTo(400 * 32));
  }
}
