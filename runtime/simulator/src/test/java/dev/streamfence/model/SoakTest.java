package dev.streamfence.model;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.streamfence.corpus.Effort;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random programs over the simulated device. {@code -Dstreamfence.soak.seconds=N} runs longer, from
 * a seed that differs every time; {@code -Dstreamfence.soak.seed=S} runs one program again.
 */
final class SoakTest {
  /** Enough for some seconds. */
  private static final int SEEDS = Effort.of(18, 90);

  /** A program takes milliseconds: one that is still running then has locked up. */
  private static final int LOCKED_UP_AFTER_SECONDS = 30;

  // As long as is asked for; each program has a limit of its own.
  @Test
  @Timeout(value = 7, unit = TimeUnit.DAYS)
  void randomProgramsEndWithTheResultsOfASequentialRun() throws Exception {
    Long seed = Long.getLong("streamfence.soak.seed");
    Long seconds = Long.getLong("streamfence.soak.seconds");
    if (seed != null) {
      run(seed);
      return;
    }
    long start = System.nanoTime();
    long end = seconds == null ? Long.MAX_VALUE : start + TimeUnit.SECONDS.toNanos(seconds);
    long first = seconds == null ? 1 : System.currentTimeMillis();
    long operations = 0;
    long seeds = 0;
    while (seconds == null ? seeds < SEEDS : System.nanoTime() < end) {
      operations += run(first + seeds++);
    }
    System.out.printf(
        "%d seeds, %d operations, %.1f s%n", seeds, operations, (System.nanoTime() - start) / 1e9);
  }

  private static long run(long seed) {
    try {
      return assertTimeoutPreemptively(
          Duration.ofSeconds(LOCKED_UP_AFTER_SECONDS), () -> SoakProgram.run(seed));
    } catch (Throwable e) {
      throw new AssertionError("replay with -Dstreamfence.soak.seed=" + seed, e);
    }
  }
}
