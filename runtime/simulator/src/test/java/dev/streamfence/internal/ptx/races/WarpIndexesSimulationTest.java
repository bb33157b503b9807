package dev.streamfence.internal.ptx.races;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.run.PtxProgram;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs kernels that store at quotients, remainders, sums and exchanged bits of their thread and
 * block, in blocks of a declared size: none that is proved has a conflict.
 */
@Tag("search")
final class WarpIndexesSimulationTest {
  private static final int KERNELS = Effort.of(600, 10_000);
  private static final List<Integer> BLOCKS = List.of(8, 16, 32, 32, 48, 64, 64, 96);

  private static final String KERNEL =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry k(.param .u64 a)%s
      {
      .reg .pred %%p<4>; .reg .b32 %%r<40>; .reg .b64 %%rd<9>;
      ld.param.u64 %%rd1, [a];
      mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x;
      mad.lo.s32 %%r3, %%r1, %%r2, %%r0;
      %s
      mul.wide.s32 %%rd2, %%r%d, 4; add.s64 %%rd3, %%rd1, %%rd2;
      st.global.u32 [%%rd3], %%r0;
      END: ret; }
      """;

  @Test
  void kernelsInBlocksOfADeclaredSizeConflictOnlyWhereThatIsNotDisproved() throws Exception {
    Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
    int conflicting = 0;
    for (int seed = 0; seed < KERNELS; seed++) {
      Random random = new Random(seed);
      int block = BLOCKS.get(random.nextInt(BLOCKS.size()));
      String text = kernel(random, block);
      PtxModule module = PtxModule.parse(text);
      Verdict verdict =
          KernelRaces.of(
                  new KernelFlow(module, module.entries().get(0)),
                  List.of(new ArrayPlace(0, 0)),
                  List.of(),
                  Map.of(),
                  Map.of(),
                  new LaunchSpace(block, 1, 1, true, false))
              .verdict();
      verdicts.merge(verdict, 1, Integer::sum);
      boolean conflicts = conflicts(text, block);
      conflicting += conflicts ? 1 : 0;
      assertThat(conflicts && verdict == Verdict.PROVED)
          .as("kernel %s in blocks of %s\n%s", seed, block, text)
          .isFalse();
    }
    System.out.println("Races of warps: " + verdicts + ", with a conflict: " + conflicting);
    assertThat(verdicts.get(Verdict.PROVED)).isGreaterThan(KERNELS / 20);
    assertThat(conflicting).isGreaterThan(KERNELS / 4);
  }

  /** Computes some values, each from two before it, and stores at the last one. */
  private static String kernel(Random random, int block) {
    StringBuilder code = new StringBuilder();
    int last = 3;
    for (int i = 2 + random.nextInt(4); i > 0; i--) {
      last++;
      code.append(instruction(random, last)).append('\n');
    }
    if (random.nextBoolean()) {
      int mask = List.of(31, 31, 15, 7).get(random.nextInt(4));
      code.append("and.b32 %r30, %r" + 3 * random.nextInt(2) + ", " + mask + ";");
      code.append("setp.ne.s32 %p1, %r30, " + random.nextInt(4) + "; @%p1 bra END;\n");
    }
    String required = random.nextBoolean() ? ".reqntid " + block : "";
    return KERNEL.formatted(required, code, last);
  }

  private static String instruction(Random random, int to) {
    String result = " %r" + to + ", ";
    String one = "%r" + random.nextInt(to);
    String other = "%r" + random.nextInt(to);
    int distance = List.of(5, 5, 4, 3, 2).get(random.nextInt(5));
    int mask = List.of(31, 31, 15, -32, -32, -16).get(random.nextInt(6));
    int divisor = List.of(32, 32, 6, 48).get(random.nextInt(4));
    return switch (random.nextInt(13)) {
      case 0, 1 -> "shr.u32" + result + one + ", " + distance + ";";
      case 2 -> "shl.b32" + result + one + ", " + distance + ";";
      case 3, 4 -> "and.b32" + result + one + ", " + mask + ";";
      case 5 -> "or.b32" + result + one + ", " + other + ";";
      case 6 -> "rem.u32" + result + one + ", " + divisor + ";";
      case 7 -> "div.s32" + result + one + ", " + divisor + ";";
      case 8 -> "xor.b32" + result + one + ", " + other + ";";
      case 9 -> "xor.b32" + result + one + ", " + (mask & 63) + ";";
      // A division by 6, as compilers carry it out.
      case 10 ->
          "mul.hi.s32 %r31, "
              + one
              + ", 715827883; shr.u32 %r32, %r31, 31; add.s32"
              + result
              + "%r31, %r32;";
      case 11 -> "mad.lo.s32" + result + "%r1, " + (1 << random.nextInt(4)) + ", " + one + ";";
      default -> "add.s32" + result + one + ", " + other + ";";
    };
  }

  private static boolean conflicts(String text, int block) throws Exception {
    WatchedMemory memory = new WatchedMemory(1);
    PtxInstance instance =
        PtxProgram.translate(PtxModule.parse(text)).instantiate(memory, new long[0]);
    ByteBuffer parameters =
        ByteBuffer.allocate(instance.parameterSpaceSize("k")).order(ByteOrder.LITTLE_ENDIAN);
    parameters.putLong(0, RaceClaims.FIRST);
    instance.run("k", new PtxGrid(4, 1, 1, block, 1, 1, 0), parameters.array(), memory);
    return !memory.order().conflicts().isEmpty();
  }
}
