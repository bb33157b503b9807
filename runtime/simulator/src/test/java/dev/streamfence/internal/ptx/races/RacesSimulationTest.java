package dev.streamfence.internal.ptx.races;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.ptx.CorpusKernels;
import dev.streamfence.internal.ptx.DamagedCode;
import dev.streamfence.internal.ptx.races.KernelRaces.Restriction;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.run.PtxProgram;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.run.order.ThreadConflict;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Runs kernels on the interpreter, which observes conflicts of threads: there is none in a kernel
 * that is proved to have none, and there is one in each kernel that has one for certain.
 */
@Tag("search")
final class RacesSimulationTest {
  private static final int KERNELS = Effort.of(500, 4000);
  private static final int LAUNCHES = 4;
  private static final Pattern BARRIER = Pattern.compile("(bar|barrier)(\\.cta)?\\.sync\\s+0;");

  @Test
  void randomKernelsConflictOnlyWhereThatIsNotDisproved() {
    RaceClaims claims = new RaceClaims();
    for (int seed = 0; seed < KERNELS; seed++) {
      claims.compare(seed, LAUNCHES);
    }
    System.out.println("Races of random kernels: " + claims);

    // Verdicts of nothing would be true as well.
    assertThat(claims.verdicts.get(Verdict.PROVED)).isBetween(KERNELS / 4, KERNELS * 3 / 4);
    assertThat(claims.verdicts.get(Verdict.CERTAIN)).isGreaterThan(KERNELS / 25);
    assertThat(claims.completed).isGreaterThan(claims.launches * 3 / 4);
    assertThat(claims.certain).isGreaterThan(KERNELS / 25);
    assertThat(claims.conflicting).isGreaterThan(KERNELS / 2);
  }

  @Test
  void kernelsOfTheCorpusConflictOnlyWhereThatIsNotDisproved() throws Exception {
    Tally tally = new Tally();
    List<Path> files = CorpusKernels.files();
    for (int i = 0; i < files.size(); i += Effort.of(5, 1)) {
      check(Files.readString(files.get(i)), files.get(i) + "", new Random(i), tally);
    }
    System.out.println("Races of the corpus: " + tally);
    assertThat(tally.launches).isGreaterThan(Effort.of(100, 500));
  }

  @Test
  void aKernelThatMissesABarrierIsNotProvedIfItsThreadsConflict() throws Exception {
    Tally tally = new Tally();
    for (Path file : CorpusKernels.files()) {
      String text = Files.readString(file);
      Matcher barrier = BARRIER.matcher(text);
      for (int i = 0; i < Effort.of(1, 2) && barrier.find(); i++) {
        String without = text.substring(0, barrier.start()) + text.substring(barrier.end());
        check(without, file + " without the barrier at " + barrier.start(), new Random(i), tally);
      }
    }
    System.out.println("Races without a barrier: " + tally);
    assertThat(tally.conflicting).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"rows.ptx, 6", "digits.ptx, 14"})
  void rowsAndColumnsWithOneChangeConflictOnlyWhereThatIsNotDisproved(String file, int step)
      throws Exception {
    Tally tally = new Tally();
    int[] seen = {0};
    DamagedCode.forEach(
        file,
        text -> {
          if (seen[0]++ % Effort.of(step, 1) == 0) {
            check(text, "change " + seen[0] + " of " + file, new Random(seen[0]), tally);
          }
        });
    System.out.println("Races of damaged " + file + ": " + tally);
    assertThat(tally.verdicts.get(Verdict.PROVED)).isPositive();
    assertThat(tally.conflicting).isPositive();
  }

  /** What was found of the kernels of some modules. */
  private static final class Tally {
    private final Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
    private int launches;
    private int conflicting;

    @Override
    public String toString() {
      return verdicts + "; launches: " + launches + ", with a conflict: " + conflicting;
    }
  }

  /** Launches the kernels of a module, of which those without a possible conflict have none. */
  private static void check(String text, String name, Random random, Tally tally) {
    try {
      PtxModule module = PtxModule.parse(text);
      PtxProgram program = PtxProgram.translate(module);
      for (PtxEntry entry : module.entries()) {
        KernelRaces races =
            KernelRaces.of(
                module, entry, CorpusKernels.arrays(entry), List.of(), Map.of(), LaunchSpace.ANY);
        tally.verdicts.merge(races.verdict(), 1, Integer::sum);
        for (int i = 0; i < LAUNCHES; i++) {
          PtxGrid grid = grid(random, races.restrictions());
          List<ThreadConflict> found = launched(program, entry, grid, random).conflicts();
          tally.launches++;
          tally.conflicting += found.isEmpty() ? 0 : 1;
          if (races.verdict() == Verdict.PROVED) {
            assertThat(found).as("%s of %s in %s", entry.name(), name, grid).isEmpty();
          }
        }
      }
    } catch (PtxException e) {
      // The interpreter does not know an instruction of the module.
    }
  }

  /** Launches a kernel with arrays that are far apart, and small numbers. */
  private static Observed launched(
      PtxProgram program, PtxEntry entry, PtxGrid grid, Random random) {
    WatchedMemory memory = new WatchedMemory(0);
    long[] globals = new long[program.globals().size()];
    Arrays.setAll(globals, i -> (1L << 50) + ((long) i << 32));
    PtxInstance instance =
        program.instantiate(memory, globals).withInstructionLimit(100_000).withOutput(text -> {});
    ByteBuffer parameters =
        ByteBuffer.allocate(instance.parameterSpaceSize(entry.name()))
            .order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < parameters.capacity() - 3; i += 4) {
      parameters.putInt(i, random.nextInt(130));
    }
    for (ArrayPlace array : CorpusKernels.arrays(entry)) {
      int at = instance.parameterOffset(entry.name(), array.parameter());
      parameters.putLong(at, RaceClaims.FIRST + array.parameter() * RaceClaims.SECOND);
    }
    return run(instance, entry.name(), grid, parameters, memory);
  }

  private static Observed run(
      PtxInstance instance,
      String entry,
      PtxGrid grid,
      ByteBuffer parameters,
      WatchedMemory memory) {
    boolean completed = false;
    try {
      instance.run(entry, grid, parameters.array(), memory);
      completed = true;
    } catch (PtxFault e) {
      // What threads did until then counts.
    }
    return new Observed(completed, memory.order().conflicts());
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
    return new PtxGrid(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], 4096);
  }

  /** What a launch did until it ended. */
  private record Observed(boolean completed, List<ThreadConflict> conflicts) {}
}
