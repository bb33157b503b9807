package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.streamfence.internal.driver.jcuda.BlockedLaunch.Figures;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A launch that blocks in the driver stalls no other thread, measured with the real binding.
 *
 * <p>A busy machine delays threads as well, so a gap counts as a stall if it is longer than 50 ms
 * and the longest gap of the same threads without the blocked launch together; and since other
 * processes can only make gaps longer, one quiet run out of several is proof enough. A stall that
 * the launch caused would last as long as the launch, in every run, as the control shows.
 */
@Tag("exhaustive")
final class BlockedLaunchOverStandInTest {
  private static final int RUNS = 10;
  private static final double STALL_MILLIS = 50;

  /** A gap of half the launch is a stall even on a busy machine. */
  private static final double LONGEST_GAP_MILLIS = BlockedLaunch.HELD_MILLIS / 2.0;

  /** Far fewer than usual, and enough for some to run during the launch. */
  private static final long FEWEST_COLLECTIONS = 10;

  enum Collector {
    G1("-XX:+UseG1GC", 22),
    PARALLEL("-XX:+UseParallelGC", Integer.MAX_VALUE);

    private final String flag;
    private final int pinsRegionsSince;

    Collector(String flag, int pinsRegionsSince) {
      this.flag = flag;
      this.pinsRegionsSince = pinsRegionsSince;
    }

    boolean pinsRegions() {
      return Runtime.version().feature() >= pinsRegionsSince;
    }
  }

  /** One process: the figures without the blocked launch, and with it. */
  private record Run(Figures undisturbed, Figures held) {
    static Run of(Collector collector, String arguments) {
      Path folder = StandIn.folder();
      String output =
          Shell.java(
                  folder.toString(),
                  BlockedLaunch.class,
                  collector.flag,
                  "-Xmx64m",
                  "-Xmn16m",
                  "-XX:ParallelGCThreads=1",
                  "-D" + BlockedLaunch.ARGUMENTS + "=" + arguments)
              .run();
      Run run = new Run(figures(output, "undisturbed "), figures(output, "held "));
      System.out.println(collector + ", arguments " + arguments + ": " + run);
      return run;
    }

    private static Figures figures(String output, String title) {
      return output
          .lines()
          .filter(line -> line.startsWith(title))
          .map(Figures::parse)
          .findFirst()
          .orElseThrow(() -> new AssertionError(output));
    }

    boolean isWithoutStall() {
      return held.collections() >= FEWEST_COLLECTIONS
          && held.allocatingMillis() < limit(undisturbed.allocatingMillis())
          && held.launchingMillis() < limit(undisturbed.launchingMillis());
    }

    private static double limit(double undisturbedMillis) {
      return Math.min(STALL_MILLIS + undisturbedMillis, LONGEST_GAP_MILLIS);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLaunchThatBlocksStallsNeitherTheCollectorNorAnotherStream(Collector collector) {
    Run run = Run.of(collector, BlockedLaunch.RECORDED);
    for (int i = 1; i < RUNS && !run.isWithoutStall(); i++) {
      run = Run.of(collector, BlockedLaunch.RECORDED);
    }

    assertThat(run).matches(Run::isWithoutStall, "is without a stall");
    assertThat(run.held.launchMillis()).isGreaterThanOrEqualTo(BlockedLaunch.HELD_MILLIS);
  }

  /** Proves that the test above detects a binding that passes arguments in Java arrays. */
  @ParameterizedTest
  @EnumSource
  void aBlockedLaunchWithItsArgumentsInJavaArraysStallsTheCollector(Collector collector) {
    assumeFalse(collector.pinsRegions(), "this collector goes on beside pinned arrays");

    Run run = Run.of(collector, BlockedLaunch.PINNED);

    assertThat(run.held.allocatingMillis()).isGreaterThan(LONGEST_GAP_MILLIS);
  }
}
