package dev.streamfence.internal.ptx.races;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.ptx.races.KernelRaces.Restriction;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.run.PtxProgram;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.run.order.ThreadConflict;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Runs kernels on the interpreter, which observes conflicts of threads: there is none in a kernel
 * that is proved to have none, and there is one in each kernel that has one for certain.
 */
final class RacesSimulationTest {
  private static final int KERNELS = Effort.of(250, 500);
  private static final int LAUNCHES = 4;
  private static final long FIRST = 1L << 40;
  private static final long SECOND = 1L << 42;

  @Test
  void randomKernelsConflictOnlyWhereThatIsNotDisproved() {
    check(0, KERNELS);
  }

  private static void check(int first, int count) {
    Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
    int conflicting = 0;
    int certain = 0;
    for (int seed = first; seed < first + count; seed++) {
      Random random = new Random(seed);
      String text = new RandomRaceKernel(random).write(2 + random.nextInt(6));
      PtxModule module = PtxModule.parse(text);
      KernelRaces races =
          KernelRaces.of(
              module,
              module.entries().get(0),
              List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0)),
              List.of(),
              LaunchSpace.ANY);
      verdicts.merge(races.verdict(), 1, Integer::sum);
      PtxProgram program = PtxProgram.translate(module);
      if (races.verdict() == Verdict.CERTAIN) {
        PtxGrid ordinary = new PtxGrid(3, 1, 1, 64, 1, 1, 0);
        Observed observed = observe(program, ordinary, 5000, 6000, 50_000_000);
        certain += observed.completed() ? 1 : 0;
        assertThat(observed.completed() && observed.conflicts().isEmpty())
            .as("kernel %s has a certain conflict, %s\n%s", seed, races.conflict(), text)
            .isFalse();
      }
      for (int i = 0; i < LAUNCHES; i++) {
        PtxGrid grid = grid(random, races.restrictions());
        int bound = random.nextInt(300);
        int other = random.nextInt(60);
        List<ThreadConflict> found = observe(program, grid, bound, other, 300_000).conflicts();
        conflicting += found.isEmpty() ? 0 : 1;
        if (races.verdict() == Verdict.PROVED) {
          assertThat(found)
              .as("kernel %s in %s with %s and %s\n%s", seed, grid, bound, other, text)
              .isEmpty();
        }
      }
    }
    System.out.println(
        "Races of random kernels: " + verdicts + "; launches with a conflict: " + conflicting);
    assertThat(verdicts.get(Verdict.PROVED)).isGreaterThan(count / 10);
    assertThat(verdicts.get(Verdict.CERTAIN)).isGreaterThan(count / 20);
    assertThat(certain).isGreaterThan(count / 20);
    assertThat(conflicting).isGreaterThan(count);
  }

  /** A launch of a shape that a proof is about. */
  private static PtxGrid grid(Random random, List<Restriction> restrictions) {
    int[] sizes = {
      1 + random.nextInt(3),
      1 + random.nextInt(2),
      1,
      1 << (2 + random.nextInt(5)),
      1 + random.nextInt(3),
      1
    };
    for (Restriction restriction : restrictions) {
      int dimension = "xyz".indexOf(restriction.size().charAt(restriction.size().length() - 1));
      int at = restriction.size().startsWith("gridDim") ? dimension : 3 + dimension;
      sizes[at] = Math.min(sizes[at], restriction.most());
    }
    return new PtxGrid(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], 0);
  }

  /** What a launch did until it ended. */
  private record Observed(boolean completed, List<ThreadConflict> conflicts) {}

  private static Observed observe(
      PtxProgram program, PtxGrid grid, int bound, int other, long instructions) {
    WatchedMemory memory = new WatchedMemory();
    PtxInstance instance =
        program.instantiate(memory, new long[0]).withInstructionLimit(instructions);
    ByteBuffer parameters =
        ByteBuffer.allocate(instance.parameterSpaceSize("k")).order(ByteOrder.LITTLE_ENDIAN);
    parameters.putLong(instance.parameterOffset("k", 0), FIRST);
    parameters.putLong(instance.parameterOffset("k", 1), SECOND);
    parameters.putInt(instance.parameterOffset("k", 2), bound);
    parameters.putInt(instance.parameterOffset("k", 3), other);
    boolean completed = false;
    try {
      instance.run("k", grid, parameters.array(), memory);
      completed = true;
    } catch (PtxFault e) {
      // What threads did until then counts.
    }
    return new Observed(completed, memory.order().conflicts());
  }
}
