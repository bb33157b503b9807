package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The threads that come farthest where guards compare indices of several dimensions. */
final class LastThreadsTest {
  /** The place of a thread in its block, and that of its block in the grid, in y and x. */
  private static final String PLACES =
      "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ctaid.y;"
          + " mov.u32 %r5, %ntid.x; mov.u32 %r6, %ntid.y; mov.u32 %r7, %nctaid.x; ";

  private record Launch(List<Integer> shape, List<Long> numbers) implements LaunchNumbers {
    @Override
    public long argument(int argument) {
      return numbers.get(argument);
    }

    @Override
    public int grid(int dimension) {
      return dimension == 2 ? 1 : shape.get(dimension);
    }

    @Override
    public int block(int dimension) {
      return dimension == 2 ? 1 : shape.get(2 + dimension);
    }
  }

  private static KernelBounds bounds(String index) {
    PtxModule module =
        PtxModule.parse(
            """
            .version 8.0
            .target sm_80
            .address_size 64
            .visible .entry k(.param .u64 a, .param .u32 m, .param .u32 n)
            {
            .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
            ld.param.u64 %rd1, [a]; ld.param.u32 %r8, [m]; ld.param.u32 %r9, [n];
            """
                + PLACES
                + index
                + " mul.wide.s32 %rd2, %r10, 4; add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1;"
                + " END: ret; }");
    return KernelBounds.of(module, module.entries().get(0), List.of(new ArrayPlace(0, 0)));
  }

  private static final String ROWS_OF_A_BLOCK =
      "mad.lo.s32 %r11, %r2, %r5, %r1; mul.lo.s32 %r12, %r5, %r6; mad.lo.s32 %r10, %r3, %r12, %r11;"
          + " setp.ge.s32 %p1, %r10, %r8; @%p1 bra END; ";

  private static final String ROWS_OF_A_GRID =
      "mad.lo.s32 %r11, %r4, %r7, %r3; mad.lo.s32 %r10, %r11, %r5, %r1;"
          + " setp.ge.s32 %p1, %r10, %r8; @%p1 bra END; ";

  private static final String TRANSPOSED =
      "mad.lo.s32 %r11, %r4, 16, %r1; mad.lo.s32 %r12, %r3, 16, %r2; setp.ge.s32 %p1, %r11, %r8;"
          + " @%p1 bra END; setp.ge.s32 %p1, %r12, %r9; @%p1 bra END;"
          + " mad.lo.s32 %r10, %r12, %r8, %r11; ";

  @ParameterizedTest
  @CsvSource({
    // The last full row of threads in the last block, and of blocks in the grid.
    "rows of a block, 8, 1, 16, 8, 1000, 0, 992",
    "rows of a block, 8, 1, 16, 8, 1024, 0, 1024",
    "rows of a block, 8, 1, 16, 8, 10, 0, 10",
    "rows of a grid, 3, 4, 128, 1, 1000, 0, 768",
    "rows of a grid, 3, 4, 128, 1, 100, 0, 100",
    "transposed, 1, 1, 16, 16, 10, 10, 100",
    "transposed, 3, 3, 16, 16, 40, 40, 1592",
  })
  void theLastThreadOfAFullRowIsFollowed(
      String kernel, int gridX, int gridY, int blockX, int blockY, long m, long n, long elements) {
    KernelBounds bounds =
        bounds(
            switch (kernel) {
              case "rows of a block" -> ROWS_OF_A_BLOCK;
              case "rows of a grid" -> ROWS_OF_A_GRID;
              default -> TRANSPOSED;
            });
    Launch launch = new Launch(List.of(gridX, gridY, blockX, blockY), List.of(m, n));

    for (LaunchBounds each :
        List.of(bounds.launches(), RecordedBounds.of(bounds.launches().compact()))) {
      BoundsEvaluator evaluator = each.evaluator();
      assertThat(evaluator.reach(0, launch)).isTrue();
      assertThat(evaluator.reachedEnd()).isEqualTo(4 * elements);
    }
  }
}
