package dev.streamfence.internal.ptx.races;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.run.PtxProgram;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.symbolic.NumberLimits;
import dev.streamfence.internal.ptx.symbolic.NumberLimits.PassedNumber;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Runs kernels that store at sums of their index and of a loaded number with a declared limit, in
 * launches whose numbers keep to it: none that is proved has a conflict there.
 */
@Tag("search")
final class LimitedRacesSimulationTest {
  private static final int KERNELS = Effort.of(400, 6000);
  private static final int LAUNCHES = 6;

  /** The greatest number that {@link WatchedMemory} holds. */
  private static final int MOST_LOADED = 15;

  private static final List<String> FACTORS = List.of("%r5", "%r5", "%r6", "%r7", "16", "15", "1");
  private static final List<String> PLACES =
      List.of("%r4", "%r4", "shr.u32 1", "mov.u32 0", "and.b32 7");

  private static final String KERNEL =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .u32 m)
      {
      .reg .b32 %%r<30>; .reg .b64 %%rd<30>;
      ld.param.u64 %%rd1, [a]; ld.param.u64 %%rd2, [b];
      ld.param.u32 %%r5, [n]; ld.param.u32 %%r6, [m]; add.s32 %%r7, %%r5, 1;
      mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x;
      mad.lo.s32 %%r4, %%r1, %%r2, %%r0;
      %s
      mul.wide.s32 %%rd6, %%r10, 4; add.s64 %%rd7, %%rd2, %%rd6; ld.global.u32 %%r16, [%%rd7];
      mul.lo.s32 %%r17, %%r16, %d; mad.lo.s32 %%r20, %%r4, %s, %%r17;
      mul.wide.s32 %%rd8, %%r20, 4; add.s64 %%rd9, %%rd1, %%rd8;
      st.global.u32 [%%rd9], %%r0; %s
      ret; }
      """;

  @Test
  void kernelsWithLimitedNumbersConflictOnlyWhereThatIsNotDisproved() throws Exception {
    int proved = 0;
    int conflicting = 0;
    int kept = 0;
    for (int seed = 0; seed < KERNELS; seed++) {
      Random random = new Random(seed);
      String text = kernel(random);
      int limit = random.nextInt(2);
      boolean isBelow = random.nextBoolean();
      PtxModule module = PtxModule.parse(text);
      NumberLimits numbers =
          new NumberLimits(
              4, 0, List.of(new PassedNumber(new NumberPlace(2 + limit, 0, 4), isBelow)));
      Verdict verdict =
          KernelRaces.of(
                  new KernelFlow(module, module.entries().get(0)),
                  List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0)),
                  List.of(),
                  Map.of(),
                  Map.of(1, numbers),
                  LaunchSpace.ANY)
              .verdict();
      proved += verdict == Verdict.PROVED ? 1 : 0;
      PtxProgram program = PtxProgram.translate(module);
      for (int i = 0; i < LAUNCHES; i++) {
        int[] passed = {14 + random.nextInt(5), 14 + random.nextInt(5)};
        if (MOST_LOADED > passed[limit] - (isBelow ? 1 : 0)) {
          continue;
        }
        kept++;
        boolean conflicts = conflicts(program, passed, random);
        conflicting += conflicts ? 1 : 0;
        if (verdict == Verdict.PROVED) {
          assertThat(conflicts)
              .as("kernel %s, n = %s, m = %s\n%s", seed, passed[0], passed[1], text)
              .isFalse();
        }
      }
    }
    System.out.printf(
        "Races with limited numbers: %d of %d kernels proved; launches: %d, with a conflict: %d%n",
        proved, KERNELS, kept, conflicting);
    assertThat(proved).isBetween(KERNELS / 40, KERNELS / 3);
    assertThat(conflicting).isGreaterThan(KERNELS / 4);
  }

  private static String kernel(Random random) {
    String place = PLACES.get(random.nextInt(PLACES.size()));
    String[] words = place.split(" ", -1);
    String index =
        words.length == 1
            ? "mov.u32 %r10, " + place + ";"
            : words[0].startsWith("mov")
                ? place.replace(" ", " %r10, ") + ";"
                : words[0] + " %r10, %r4, " + words[1] + ";";
    int times = List.of(1, 1, 1, 2, -1).get(random.nextInt(5));
    String second = random.nextInt(3) == 0 ? "st.global.u32 [%rd9+4], %r1;" : "";
    return KERNEL.formatted(index, times, FACTORS.get(random.nextInt(FACTORS.size())), second);
  }

  private static boolean conflicts(PtxProgram program, int[] passed, Random random)
      throws Exception {
    WatchedMemory memory = new WatchedMemory(random.nextLong());
    PtxInstance instance = program.instantiate(memory, new long[0]);
    ByteBuffer parameters =
        ByteBuffer.allocate(instance.parameterSpaceSize("k")).order(ByteOrder.LITTLE_ENDIAN);
    parameters.putLong(0, RaceClaims.FIRST).putLong(8, RaceClaims.SECOND);
    parameters.putInt(16, passed[0]).putInt(20, passed[1]);
    PtxGrid grid = new PtxGrid(1 + random.nextInt(3), 1, 1, 1 << random.nextInt(7), 1, 1, 0);
    instance.run("k", grid, parameters.array(), memory);
    return !memory.order().conflicts().isEmpty();
  }
}
