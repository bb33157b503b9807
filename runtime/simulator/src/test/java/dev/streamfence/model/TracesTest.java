package dev.streamfence.model;

import static dev.streamfence.model.Program.steps;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Effort;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The real classes behave like the model: the driver calls of a run, whose interleaving a seed
 * draws, are those of an interleaving of the model. So the results of {@link InterleavingsTest}
 * hold for the code, as far as these programs reach.
 */
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TracesTest {
  /** As many events as a stream has. */
  private static final int RING = 32;

  private static final List<Program> PROGRAMS = Corpus.onRingsOf(RING);

  /** 30 are enough for some ten different traces of a program. */
  private static final int SEEDS = Effort.of(3, 18);

  /** The rarest flaw shows up within about a third of them. */
  private static final int SEEDS_TO_FIND_A_FLAW = 50;

  @Test
  void everyTraceOfTheRealClassesIsOneOfTheModel() {
    long start = System.nanoTime();
    int different = 0;
    for (Program program : PROGRAMS) {
      Set<Trace> traces = new HashSet<>();
      for (int seed = 0; seed < SEEDS; seed++) {
        Trace trace = RealRun.of(program, seed);
        if (traces.add(trace)) {
          assertThat(TraceSearch.finds(program, trace))
              .as("%s, seed %d: %s", program, seed, trace)
              .isTrue();
        }
      }
      different += traces.size();
    }
    System.out.printf(
        "%d programs, %d runs, %d different traces, %.1f s%n",
        PROGRAMS.size(), PROGRAMS.size() * SEEDS, different, (System.nanoTime() - start) / 1e9);
    assertThat(different).isGreaterThan(Effort.of(2, 4) * PROGRAMS.size());
  }

  /**
   * The traces reveal code with one of the flaws; here the model with the flaw stands for that
   * code. One program has a ring of one, since in a larger ring a slot that keeps its ticket is
   * skipped for the one that was recorded after it.
   */
  @Tag("exhaustive")
  @ParameterizedTest
  @EnumSource(Flaw.class)
  void aFlawInTheCodeMakesTracesThatTheModelCannotMake(Flaw flaw) {
    assertThat(Stream.of(RING, 1).map(Corpus::onRingsOf))
        .anyMatch(programs -> makesAnotherTrace(programs, flaw));
  }

  private static boolean makesAnotherTrace(List<Program> programs, Flaw flaw) {
    for (int seed = 0; seed < SEEDS_TO_FIND_A_FLAW; seed++) {
      for (Program program : programs) {
        if (!TraceSearch.finds(program, ModelRun.of(program, Set.of(flaw), seed))) {
          return true;
        }
      }
    }
    return false;
  }

  @Test
  void aTraceThatLacksACallIsNotOneOfTheModel() {
    Program program =
        Program.named("two writers of one allocation")
            .thread(steps().run(1, 0, 1).run(0, 0, 1))
            .thread(steps().run(2, 0, 1))
            .build()
            .finest(RING);
    Trace whole = RealRun.of(program, 0);
    assertThat(TraceSearch.finds(program, whole)).isTrue();
    for (int i = 0; i < whole.size(); i++) {
      Trace shorter = whole.without(i);
      assertThat(TraceSearch.finds(program, shorter)).as("%s", shorter).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {RING - 1, RING + 1})
  void aRingOfAnotherSizeMakesOtherTraces(int slots) {
    Program full = PROGRAMS.get(PROGRAMS.size() - 1);
    // Threads that wait make runs of one seed differ: by chance, no run of a few fills the ring.
    assertThat(
            IntStream.range(0, 20 * SEEDS_TO_FIND_A_FLAW)
                .mapToObj(seed -> RealRun.of(full, seed))
                .anyMatch(trace -> !TraceSearch.finds(full.finest(slots), trace)))
        .isTrue();
  }
}
