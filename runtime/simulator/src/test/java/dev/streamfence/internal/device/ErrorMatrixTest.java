package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Timeout.ThreadMode.SEPARATE_THREAD;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.corpus.Effort;
import dev.streamfence.internal.device.FailureWorld.PlannedError;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.transfer.DeviceCopies;
import dev.streamfence.memory.AllocationLog;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
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
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A Java {@link Error} at every possible position: from each driver call of each scenario, and from
 * each record of an allocation log. Either the operation can be repeated or the device is lost; the
 * data is right, closing ends, and nothing is left on the device except objects that the failed
 * call was to remove.
 */
@Tag("search")
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = SEPARATE_THREAD)
final class ErrorMatrixTest {
  /** The calls of which an error leaves open whether they have removed their object. */
  private static final Set<String> REMOVERS =
      Set.of(
          "freeAsync",
          "free",
          "freeHost",
          "destroyStream",
          "destroyEvent",
          "unloadModule",
          "close");

  private static final Logger REPORTS = Logger.getLogger("dev.streamfence");
  private static ExecutorService other;
  private static Level reported;
  private static long positions;

  /** Throws at one call, before the driver is reached. */
  private static final class Trap {
    private final long position;
    private long calls;
    private String sprungAt = "";

    Trap(long position) {
      this.position = position;
    }

    CudaDriver on(CudaDriver driver) {
      return InterceptedDriver.of(
          driver,
          (method, call) -> {
            if (!method.equals("properties")
                && !method.equals("launchObserver")
                && !method.equals("hostRanges")
                && count() == position) {
              sprungAt = method;
              throw new PlannedError("call " + position + ", " + method);
            }
            return call.proceed();
          });
    }

    private synchronized long count() {
      return ++calls;
    }
  }

  @BeforeAll
  static void open() {
    other = Executors.newSingleThreadExecutor();
    reported = REPORTS.getLevel();
    REPORTS.setLevel(Level.OFF);
  }

  @AfterAll
  static void report() {
    other.shutdown();
    REPORTS.setLevel(reported);
    System.out.println("an Error at " + positions + " positions of driver calls");
  }

  @ParameterizedTest
  @EnumSource
  void anErrorOutOfAnyDriverCallLeavesNothingHalfDone(FailureScenario scenario) {
    List<String> broken = new ArrayList<>();
    for (long position = 1; ; position += Effort.of(5, 1)) {
      Trap trap = new Trap(position);
      try {
        run(scenario, trap);
      } catch (RuntimeException | AssertionError e) {
        broken.add("call " + position + ", " + trap.sprungAt + ": " + e);
      }
      if (trap.sprungAt.isEmpty()) {
        break;
      }
      positions++;
    }
    assertThat(broken).isEmpty();
  }

  private static void run(FailureScenario scenario, Trap trap) {
    List<SimulatedDevice> machine = scenario.machine();
    FailureWorld world;
    try {
      world = new FailureWorld(machine, scenario.options(), Set.of(999), 1, other, trap::on);
    } catch (PlannedError unopened) {
      assertThat(machine.get(0).liveObjects()).isZero();
      return;
    }
    try {
      scenario.run(world);
      if (scenario.closesArrays() && !REMOVERS.contains(trap.sprungAt)) {
        world.closeAll();
      }
    } catch (FailureWorld.Over lost) {
      assertThat(world.isLost()).isTrue();
    } catch (AssertionError e) {
      // Memory that may be free, or may not, counts as lost: a small device has too little then.
      if (!(REMOVERS.contains(trap.sprungAt)
          && e.getCause() instanceof OutOfMemoryBudgetException)) {
        throw e;
      }
    }
    Throwable atClose = catchThrowable(world.gpu::close);
    assertThat(
            atClose == null
                || atClose instanceof PlannedError
                || atClose instanceof CudaDriverException)
        .as("closing: %s", atClose)
        .isTrue();
    assertThat(world.gpu.isOpen()).isFalse();
    if (!world.isLost()) {
      assertThat(world.device.findings()).isEmpty();
      assertThat(world.device.liveObjects()).isLessThanOrEqualTo(left(trap.sprungAt));
    }
  }

  /** A module's variables stay with it, and so do all objects of a device that is not let go. */
  private static int left(String sprungAt) {
    return REMOVERS.contains(sprungAt) ? 2 : 0;
  }

  static List<Error> errors() {
    return List.of(
        new OutOfMemoryError("as planned"),
        new StackOverflowError("as planned"),
        new AssertionError("as planned"),
        new LinkageError("as planned"),
        new Error("as planned"));
  }

  @ParameterizedTest
  @MethodSource("errors")
  void anErrorOutOfAnAllocationLogNeverReachesTheCaller(Error error) {
    SimulatedDevice device = SimulatedDevice.builder().build();
    AllocationLog log =
        record -> {
          throw error;
        };
    try (DeviceRuntime gpu =
        DeviceRuntime.simulated(device, RuntimeOptions.defaults().withAllocationLog(log))) {
      DeviceStream stream = gpu.streams().acquire();
      DeviceArray<int[]> array = gpu.memory().upload(stream, new int[] {1, 2});
      assertThat(array.download(stream)).containsExactly(1, 2);
      array.close();
      gpu.synchronize();
      assertThat(gpu.memory().reap()).isEqualTo(8);
      assertThat(gpu.memory().statistics().droppedLogRecords()).isEqualTo(3);
      assertThat(gpu.memory().bytesOutstanding()).isZero();
    }
    assertThat(device.liveObjects()).isZero();
    // It can be opened again, so that it was let go.
    DeviceRuntime.simulated(device).close();
  }

  @Test
  void anErrorWhileTheRuntimeClosesIsThrownAndTheRestIsClosed() {
    SimulatedDevice device = SimulatedDevice.builder().build();
    boolean[] armed = {false};
    CudaDriver driver =
        InterceptedDriver.of(
            Inside.open(device),
            (method, call) -> {
              if (armed[0] && method.equals("synchronizeStream")) {
                throw new PlannedError(method);
              }
              return call.proceed();
            });
    DeviceRuntime gpu =
        Opening.of(driver, true, RuntimeOptions.defaults())
            .withCopies(pool -> new DeviceCopies(pool, 1 << 10, 1))
            .open();
    gpu.memory().upload(gpu.streams().acquire(), new int[5]);
    armed[0] = true;
    assertThat(catchThrowable(gpu::close)).isInstanceOf(PlannedError.class);
    assertThat(device.liveObjects()).isZero();
    gpu.close();
    DeviceRuntime.simulated(device).close();
  }
}
