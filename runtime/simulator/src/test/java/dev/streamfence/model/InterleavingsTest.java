package dev.streamfence.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Effort;
import dev.streamfence.model.Explorer.Outcome;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The protocol in every interleaving of small programs: it has no failure, and at least one program
 * fails for each flaw that is planted in it.
 */
final class InterleavingsTest {
  private static final List<Program> PROGRAMS = Corpus.programs();

  /** A flaw shows early: each program that reveals one does so within this many interleavings. */
  private static final long ENOUGH_TO_FIND_A_FLAW = 200_000;

  @Test
  void noInterleavingRacesOrDeadlocksOrLosesAClose() {
    long start = System.nanoTime();
    long interleavings = 0;
    for (int i = 0; i < PROGRAMS.size(); i += Effort.of(4, 2)) {
      Program program = PROGRAMS.get(i);
      Outcome outcome = Explorer.explore(program, Set.of(), Long.MAX_VALUE);
      assertThat(outcome.failure()).isEmpty();
      interleavings += outcome.interleavings();
    }
    System.out.printf(
        "%d programs, %d interleavings, %.1f million a second%n",
        PROGRAMS.size(), interleavings, interleavings * 1e3 / (System.nanoTime() - start));
    assertThat(PROGRAMS).hasSizeGreaterThanOrEqualTo(40);
    assertThat(interleavings).isGreaterThan(Effort.of(1_000_000, 8_000_000));
  }

  @Tag("exhaustive")
  @ParameterizedTest
  @EnumSource(Flaw.class)
  void aFlawInTheProtocolIsFound(Flaw flaw) {
    assertThat(PROGRAMS)
        .anyMatch(
            program -> Explorer.explore(program, Set.of(flaw), ENOUGH_TO_FIND_A_FLAW).failed());
  }
}
