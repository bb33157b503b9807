package dev.streamfence.internal.ptx.races;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Restriction;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.random.RandomKernel;
import dev.streamfence.internal.ptx.random.RandomLaunch;
import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.run.PtxProgram;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.run.order.ThreadConflict;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.Node.Special;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Compares what the analysis says of the races of random kernels with their runs. */
final class RaceClaims {
  static final long FIRST = 1L << 40;
  static final long SECOND = 1L << 42;

  private static final long INSTRUCTIONS = 300_000;

  /** Launches of usual size come to an end. */
  private static final long MANY_INSTRUCTIONS = 5_000_000;

  private static final int USUAL_LAUNCHES = 3;

  final Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
  int launches;
  int completed;
  int conflicting;

  /** Launches of kernels with a certain conflict that came to their end. */
  int certain;

  /** What a launch did until it ended. */
  private record Observed(boolean completed, List<ThreadConflict> conflicts) {}

  /** Runs random launches of a random kernel, each of which follows from the seed. */
  void compare(long seed, int count) {
    Random random = RandomKernel.random(seed);
    RandomKernel kernel = new RandomKernel(random);
    String text = kernel.write(random.nextInt(4));
    LaunchSpace space = space(kernel, random);
    PtxModule module = PtxModule.parse(text);
    KernelRaces races =
        KernelRaces.of(
            module,
            module.entries().get(0),
            List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0), new ArrayPlace(4, 0)),
            List.of(),
            random.nextBoolean() ? Map.of(2, 4) : Map.of(),
            space);
    verdicts.merge(races.verdict(), 1, Integer::sum);
    PtxProgram program = PtxProgram.translate(module);
    if (races.verdict() == Verdict.CERTAIN) {
      for (int i = 0; i < USUAL_LAUNCHES; i++) {
        RandomLaunch launch = usual(kernel, space, random);
        Observed observed = observe(program, launch, MANY_INSTRUCTIONS);
        certain += observed.completed() ? 1 : 0;
        assertThat(observed.completed() && observed.conflicts().isEmpty())
            .as(
                "kernel %s has a certain conflict, %s\n%s\n%s",
                seed, races.conflict(), launch, text)
            .isFalse();
      }
    }
    int[] most = most(kernel, races.restrictions());
    for (int i = 0; i < count; i++) {
      int[] shape = fixed(RandomLaunch.shape(random, most), space);
      RandomLaunch launch = RandomLaunch.of(random, kernel.isNatural(), shape);
      Observed observed = observe(program, launch, INSTRUCTIONS);
      launches++;
      completed += observed.completed() ? 1 : 0;
      conflicting += observed.conflicts().isEmpty() ? 0 : 1;
      if (races.verdict() == Verdict.PROVED) {
        assertThat(observed.conflicts()).as("kernel %s\n%s\n%s", seed, launch, text).isEmpty();
      }
    }
  }

  /** One of the launches that a certain conflict is about. */
  private static RandomLaunch usual(RandomKernel kernel, LaunchSpace space, Random random) {
    Set<Special> read = EnumSet.noneOf(Special.class);
    Special.ALL.stream()
        .filter(special -> special.dimension < kernel.dimensions())
        .forEach(read::add);
    TrialLaunch trial =
        new TrialLaunch(
            read, space, random.nextInt(TrialLaunch.SHAPES), random.nextInt(TrialLaunch.SEEDS));
    int[] shape = new int[6];
    for (int i = 0; i < 3; i++) {
      shape[i] = (int) trial.special(Special.gridSize(i), 0);
      shape[3 + i] = (int) trial.special(Special.blockSize(i), 0);
    }
    int[] numbers = new int[4];
    Arrays.setAll(numbers, i -> (int) trial.argument(i));
    return RandomLaunch.of(shape, numbers, random.nextLong());
  }

  /** What is declared of a kernel's launches: usually nothing. */
  private static LaunchSpace space(RandomKernel kernel, Random random) {
    int dimensions = kernel.dimensions();
    int y = dimensions > 1 ? 2 : 1;
    int z = dimensions > 2 ? 2 : 1;
    return switch (random.nextInt(8)) {
      case 0 -> new LaunchSpace(random.nextBoolean() ? 32 : 48, y, z, false, false);
      case 1 -> new LaunchSpace(0, 0, 0, dimensions == 1, false);
      default -> LaunchSpace.ANY;
    };
  }

  /** A launch with blocks of the size that is declared. */
  private static int[] fixed(int[] shape, LaunchSpace space) {
    int[] found = shape.clone();
    for (int i = 0; i < 3 && space.x() > 0; i++) {
      found[3 + i] = space.threads(i);
    }
    return found;
  }

  /** The largest launch that a proof is about, as the lengths of its grid and of its blocks. */
  private static int[] most(RandomKernel kernel, List<Restriction> restrictions) {
    int[] most = new int[6];
    for (int i = 0; i < most.length; i++) {
      most[i] = i % 3 < kernel.dimensions() ? 1024 : 1;
    }
    for (Restriction restriction : restrictions) {
      int dimension = "xyz".indexOf(restriction.size().charAt(restriction.size().length() - 1));
      int at = restriction.size().startsWith("gridDim") ? dimension : 3 + dimension;
      most[at] = Math.min(most[at], restriction.most());
    }
    return most;
  }

  private static Observed observe(PtxProgram program, RandomLaunch launch, long instructions) {
    WatchedMemory memory = new WatchedMemory(launch.data());
    PtxInstance instance =
        program.instantiate(memory, new long[0]).withInstructionLimit(instructions);
    byte[] parameters = launch.parameters(instance, FIRST, SECOND, WatchedMemory.DISTINCT);
    boolean completed = false;
    try {
      instance.run("k", launch.grid(), parameters, memory);
      completed = true;
    } catch (PtxFault e) {
      // What threads did until then counts.
    }
    return new Observed(completed, memory.order().conflicts());
  }

  @Override
  public String toString() {
    return verdicts
        + "; launches: "
        + launches
        + ", completed: "
        + completed
        + ", with a conflict: "
        + conflicting
        + "; of usual size: "
        + certain;
  }
}
