package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.device.AllocatedBytes;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.simulation.DriverCall;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The context of each call, on any thread, and the cost of setting it. */
class DriverContextOverStandInTest {
  private static final int TASKS = 2000;

  private StandIn standIn;
  private List<CudaDriver> drivers = List.of();
  private List<SeamCalls> fixtures;

  @BeforeEach
  void open() {
    standIn = StandIn.loaded();
    drivers = List.of(JCudaDevices.open(0), JCudaDevices.open(1));
    fixtures = drivers.stream().map(SeamCalls::new).toList();
  }

  @AfterEach
  void close() {
    drivers.forEach(CudaDriver::close);
  }

  /** Except for the call that sets the context and does nothing else. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MAKE_CURRENT")
  void theContextIsSetDirectlyBeforeEveryCall(DriverCall call) {
    drivers.get(1).synchronizeDevice();

    List<String> trace = standIn.trace(() -> fixtures.get(0).make(call));

    assertThat(trace).isNotEmpty();
    for (int i = 0; i < trace.size(); i += 2) {
      assertThat(trace.get(i)).startsWith("cuCtxSetCurrent ").endsWith(" to=0");
      assertThat(trace.get(i + 1)).doesNotStartWith("cuCtxSetCurrent").contains(" context=0");
    }
    assertThat(trace).anyMatch(line -> line.startsWith(call.function() + " context=0"));
  }

  @Test
  @Timeout(60)
  void launchesGoWithoutJniWhereJavaCanSoonAfterTheFirst() {
    if (Runtime.version().feature() < 22) {
      assertThat(FastestLaunchCalls.now()).isInstanceOf(LaunchCalls.ThroughJCuda.class);
    } else {
      while (!(FastestLaunchCalls.now() instanceof ForeignLaunchCalls)) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void theContextOfAThreadOfOthersIsThereAgainAfterwards() {
    drivers.get(1).makeCurrent();

    List<String> trace =
        standIn.trace(
            () ->
                drivers
                    .get(0)
                    .inThreadOfOthers(
                        () ->
                            drivers
                                .get(0)
                                .recordEvent(fixtures.get(0).event, fixtures.get(0).stream)));

    assertThat(trace.get(0)).startsWith("cuCtxGetCurrent context=1");
    assertThat(trace.get(trace.size() - 1)).startsWith("cuCtxSetCurrent ").endsWith(" to=1");
    assertThat(standIn.wrongContexts()).isZero();
  }

  /** The context of other code may have errors of its own. */
  @Test
  void aContextOfOthersThatCannotBeSetAgainLosesNoDevice() {
    CudaDriver driver = drivers.get(0);
    standIn.fail("cuCtxSetCurrent", 700);
    assertThatThrownBy(() -> driver.inThreadOfOthers(() -> {}))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.call()).isEqualTo("cuCtxSetCurrent"));
    standIn.reset();
    assertThat(driver.sticky().error()).isNull();
    driver.recordEvent(fixtures.get(0).event, fixtures.get(0).stream);
  }

  @Test
  void noCallOfManyThreadsRunsWithTheOtherDevicesContext() throws Exception {
    runOnManyThreads(
        task -> {
          SeamCalls fixture = fixtures.get(task % 2);
          for (int round = 0; round < 4; round++) {
            fixture.driver.recordEvent(fixture.event, fixture.stream);
            Thread.yield();
            fixture.driver.waitForEvent(fixture.stream, fixture.event);
            fixture.launch(false, fixture.host);
            Thread.yield();
            assertThat(fixture.driver.memoryInfo().totalInBytes()).isEqualTo(80L + task % 2 << 30);
          }
        });

    assertThat(standIn.wrongContexts()).isZero();
  }

  /** Proves that the test above detects a driver that sets the context once per thread. */
  @Test
  void aContextSetOncePerVirtualThreadIsLost() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21");
    CUcontext[] contexts = {new CUcontext(), new CUcontext()};
    for (int i = 0; i < 2; i++) {
      CUdevice device = new CUdevice();
      JCudaDriver.cuDeviceGet(device, i);
      JCudaDriver.cuDevicePrimaryCtxRetain(contexts[i], device);
    }
    int[] wrong = new int[TASKS];

    runOnManyThreads(
        task -> {
          JCudaDriver.cuCtxSetCurrent(contexts[task % 2]);
          Thread.yield();
          long[] free = new long[1];
          long[] total = new long[1];
          JCudaDriver.cuMemGetInfo(free, total);
          wrong[task] = total[0] == 80L + task % 2 << 30 ? 0 : 1;
        });

    assertThat(IntStream.of(wrong).sum()).isPositive();
  }

  /** On virtual threads where there are any, else on a few ordinary ones. */
  private static void runOnManyThreads(IntConsumer task) throws Exception {
    ExecutorService threads =
        Runtime.version().feature() < 21
            ? Executors.newFixedThreadPool(8)
            : (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    try {
      List<Future<?>> tasks = new ArrayList<>();
      for (int i = 0; i < TASKS; i++) {
        int number = i;
        tasks.add(threads.submit(() -> task.accept(number)));
      }
      for (Future<?> one : tasks) {
        one.get();
      }
    } finally {
      threads.shutdown();
    }
  }

  @Test
  void theLaunchPathAllocatesNothing() {
    SeamCalls fixture = fixtures.get(0);
    KernelLaunch reused = new KernelLaunch(fixture.function, false, fixture.stream, fixture.host);

    assertThat(AllocatedBytes.leastOfFiveRounds(() -> launchOften(fixture, reused))).isZero();
  }

  private static void launchOften(SeamCalls fixture, KernelLaunch launch) {
    for (int i = 0; i < 5000; i++) {
      fixture.driver.waitForEvent(fixture.stream, fixture.event);
      fixture.driver.launchKernel(launch);
      fixture.driver.recordEvent(fixture.event, fixture.stream);
    }
  }
}
