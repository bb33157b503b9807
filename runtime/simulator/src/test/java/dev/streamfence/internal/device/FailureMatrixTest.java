package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import dev.streamfence.CudaDriverException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.corpus.Effort;
import dev.streamfence.simulation.DriverCall;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every driver call of every scenario fails in turn, with the kinds of errors in turn. The errors
 * are the documented ones, a failed operation works when it is repeated, the data is right, nothing
 * races, no byte is counted wrongly, and nothing is left on the device. A lost device refuses every
 * operation immediately.
 */
@Tag("search")
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = SEPARATE_THREAD)
final class FailureMatrixTest {
  private static final int STICKY = 700;
  private static final int[] CODES = {1, 2, STICKY, 999};
  private static final long PAIR_SEED = 20_250_611;
  private static final int PAIRS = Effort.of(100, 250);

  /** The waits that are useless when a lost device is closed. */
  private static final List<DriverCall> WAITS =
      List.of(
          DriverCall.SYNCHRONIZE_STREAM,
          DriverCall.SYNCHRONIZE_EVENT,
          DriverCall.SYNCHRONIZE_DEVICE);

  /** The calls that leave their object on the device when they fail. */
  private static final Set<String> REMOVERS =
      Set.of(
          "cuStreamDestroy",
          "cuEventDestroy",
          "cuMemFree",
          "cuMemFreeHost",
          "cuModuleUnload",
          "cuGraphExecDestroy",
          "cuGraphDestroy");

  private static final Logger REPORTS = Logger.getLogger("dev.streamfence");
  private static ExecutorService other;
  private static Level reported;
  private static int scenarios;
  private static long positions;
  private static long runs;
  private static long seen;

  @BeforeAll
  static void open() {
    other = Executors.newSingleThreadExecutor();
    reported = REPORTS.getLevel();
    // Some scenarios leave arrays open on purpose, thousands of times.
    REPORTS.setLevel(Level.OFF);
  }

  @AfterAll
  static void report() {
    other.shutdown();
    REPORTS.setLevel(reported);
    System.out.printf(
        "failure matrix: %d scenarios, %d positions, %d runs, of which %d showed an error%n",
        scenarios, positions, runs, seen);
  }

  @ParameterizedTest
  @EnumSource
  void everyDriverCallMayFail(FailureScenario scenario) {
    failEach(scenario, scenario.options(), 1);
  }

  @ParameterizedTest
  @EnumSource
  void everyDriverCallWithACachingPoolMayFail(FailureScenario scenario) {
    failEach(scenario, scenario.options().withCachingPool(true), Effort.of(5, 2));
  }

  /** Fails each of so many calls, with the codes in turn. */
  private static void failEach(FailureScenario scenario, RuntimeOptions options, int step) {
    long calls = count(scenario, options);
    scenarios++;
    positions += calls;
    List<String> broken = new ArrayList<>();
    for (int nth = 1; nth <= calls; nth += step) {
      int code = CODES[nth / step % CODES.length];
      try {
        failOnce(scenario, options, nth, code);
      } catch (RuntimeException | AssertionError e) {
        broken.add("call " + nth + " of " + calls + ", code " + code + ": " + inWords(e));
      }
      runs++;
    }
    assertThat(broken).as("%s of the runs", broken.size()).isEmpty();
  }

  @Test
  void pairsOfFailuresNeitherHangNorRace() {
    Random random = new Random(PAIR_SEED);
    FailureScenario[] all = FailureScenario.values();
    long[] calls = new long[all.length];
    for (FailureScenario scenario : all) {
      calls[scenario.ordinal()] = count(scenario, scenario.options());
    }
    List<String> broken = new ArrayList<>();
    for (int pair = 0; pair < PAIRS; pair++) {
      FailureScenario scenario = all[random.nextInt(all.length)];
      int range = (int) calls[scenario.ordinal()];
      int first = 1 + random.nextInt(range);
      // Half of them close together, where the second one meets the handling of the first.
      int second = random.nextBoolean() ? first + 1 + random.nextInt(4) : 1 + random.nextInt(range);
      int code = CODES[random.nextInt(CODES.length)];
      int secondCode = CODES[random.nextInt(CODES.length)];
      try {
        failTwice(scenario, first, code, second, secondCode);
      } catch (RuntimeException | AssertionError e) {
        broken.add(
            String.format(
                "%s, call %d code %d and call %d code %d: %s",
                scenario, first, code, second, secondCode, inWords(e)));
      }
    }
    assertThat(broken).as("of %s pairs with seed %s", PAIRS, PAIR_SEED).isEmpty();
  }

  /** How many driver calls a scenario makes when none fails. */
  private static long count(FailureScenario scenario, RuntimeOptions options) {
    FailureWorld world = open(scenario, options, Set.of(), 0);
    scenario.run(world);
    if (scenario.closesArrays()) {
      world.closeAll();
    }
    world.gpu.close();
    assertThat(world.device.findings()).isEmpty();
    assertThat(world.device.liveObjects()).isZero();
    return world.calls();
  }

  private static void failOnce(
      FailureScenario scenario, RuntimeOptions options, int nth, int code) {
    FailureWorld world = open(scenario, options, Set.of(code), 1);
    world.device.failCall(nth, code);
    try {
      scenario.run(world);
      if (scenario.closesArrays()) {
        world.closeAll();
      }
    } catch (FailureWorld.Over lost) {
      assertThat(code).as("the code of a lost device").isEqualTo(STICKY);
    }
    boolean met = world.calls() >= nth;
    if (met && code == STICKY) {
      closeLost(world);
      return;
    }
    assertThat(world.isLost()).isFalse();
    CudaDriverException failure = close(world);
    assertThat(world.calls()).isGreaterThanOrEqualTo(nth);
    if (code != STICKY) {
      assertThat(world.device.findings()).isEmpty();
      boolean isRemover = failure != null && REMOVERS.contains(failure.call());
      // A caching pool frees its segments once more.
      boolean isAgain =
          isRemover && failure.call().equals("cuMemFree") && options.cachingPool().isPresent();
      int least = isRemover && !isAgain ? 1 : 0;
      assertThat(world.device.liveObjects())
          .as("objects left after %s", failure)
          .isBetween(least, isRemover ? 1 : 0);
    }
    if (world.failures > 0 || failure != null) {
      seen++;
    }
  }

  private static void closeLost(FailureWorld world) {
    seen++;
    assertThat(world.isLost()).as("the device is lost").isTrue();
    world.requireFailsFast();
    // Before the close: what the simulated device still carries out then, a lost one does not.
    assertThat(world.device.findings()).isEmpty();
    long waits = waits(world);
    world.gpu.close();
    assertThat(waits(world)).as("waits of a close on a lost device").isEqualTo(waits);
    assertThat(world.gpu.isOpen()).isFalse();
  }

  private static long waits(FailureWorld world) {
    return WAITS.stream().mapToLong(world.device::calls).sum();
  }

  private static void failTwice(
      FailureScenario scenario, int first, int code, int second, int secondCode) {
    FailureWorld world =
        open(scenario, scenario.options(), new HashSet<>(List.of(code, secondCode)), 2);
    world.device.failCall(first, code);
    world.device.failCall(second, secondCode);
    try {
      scenario.run(world);
      if (scenario.closesArrays()) {
        world.closeAll();
      }
    } catch (FailureWorld.Over lost) {
      world.requireFailsFast();
    }
    if (world.isLost()) {
      assertThat(world.device.findings()).isEmpty();
      close(world);
      return;
    }
    close(world);
    if (!world.isLost()) {
      assertThat(world.device.findings()).isEmpty();
    }
  }

  /** Closes the runtime; returns its error, or null. */
  private static CudaDriverException close(FailureWorld world) {
    try {
      world.gpu.close();
      return null;
    } catch (CudaDriverException e) {
      world.requireDocumented("closing the runtime", e);
      return e;
    } finally {
      assertThat(world.gpu.isOpen()).isFalse();
    }
  }

  private static FailureWorld open(
      FailureScenario scenario, RuntimeOptions options, Set<Integer> codes, int retries) {
    return new FailureWorld(scenario.machine(), options, codes, retries, other);
  }

  private static String inWords(Throwable e) {
    StackTraceElement[] trace = e.getStackTrace();
    String where = "";
    for (StackTraceElement frame : trace) {
      if (frame.getClassName().startsWith("dev.streamfence")) {
        where = " at " + frame;
        break;
      }
    }
    return e + where;
  }
}
