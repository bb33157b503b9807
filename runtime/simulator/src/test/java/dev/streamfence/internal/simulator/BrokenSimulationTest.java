package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.Undeclared;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.FunctionHandle;
import dev.streamfence.internal.driver.CudaDriver.ModuleHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemory;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.simulator.schedule.Scheduler;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The state of the device after a Java {@link Error} inside it, and after its close. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BrokenSimulationTest {
  private final FaultPlan plan = new FaultPlan();

  private static void fail(Throwable planned) {
    throw Undeclared.thrown(planned);
  }

  private void requireLost(DeviceState state, Throwable cause) {
    CudaDriverException lost =
        catchThrowableOfType(
            CudaDriverException.class, () -> state.enter(DriverCall.CREATE_STREAM));
    assertThat(lost.isSticky()).isTrue();
    assertThat(lost).hasRootCause(cause).hasMessageContaining(cause.toString());
  }

  @ParameterizedTest
  @EnumSource
  void anErrorInQueuedWorkEndsTheDeviceAndNotTheThreadThatRunsIt(Schedule schedule) {
    for (Throwable planned :
        List.of(
            new OutOfMemoryError("as planned"),
            new StackOverflowError(),
            new IllegalStateException("a mistake in the simulation"),
            new IOException("a kernel in Java"))) {
      Scheduler scheduler = new Scheduler(schedule, 0);
      DeviceState state = new DeviceState(plan, scheduler, new SubmissionOrder());
      SubmissionOrder order = new SubmissionOrder();
      Submissions submissions = new Submissions(state, scheduler, order, null, false, "");
      SimulatedStream stream = new SimulatedStream(order.newStream());
      scheduler.add(stream);
      Submitted op = submissions.submit(stream);
      boolean[] later = new boolean[1];
      submissions.instant(stream, op, () -> fail(planned));
      scheduler.drain(stream);
      submissions.instant(stream, op, () -> later[0] = state.isUsable());
      scheduler.drain(stream);

      requireLost(state, planned);
      assertThat(later[0]).isFalse();
    }
  }

  @Test
  void anErrorInACallIsThrownAndEndsTheDevice() {
    DeviceState state =
        new DeviceState(plan, new Scheduler(Schedule.LAZY, 0), new SubmissionOrder());
    DriverLock lock = new DriverLock(state, new WaitingThreads());
    Error planned = new OutOfMemoryError("as planned");
    assertThatThrownBy(() -> lock.run(() -> fail(planned))).isSameAs(planned);
    assertThat(Thread.holdsLock(lock)).isFalse();
    assertThat(state.isUsable()).isFalse();
    requireLost(state, planned);
  }

  @Test
  void aRefusalLeavesTheDeviceAsItIs() {
    DeviceState state =
        new DeviceState(plan, new Scheduler(Schedule.LAZY, 0), new SubmissionOrder());
    DriverLock lock = new DriverLock(state, new WaitingThreads());
    IllegalArgumentException refusal = new IllegalArgumentException("refused");
    assertThatThrownBy(() -> lock.run(() -> fail(refusal))).isSameAs(refusal);
    assertThat(lock.<Boolean>call(state::isUsable)).isTrue();
  }

  @Test
  void aCallThatWasSilentlyCutShortIsNoticedByTheNext() {
    DeviceState state =
        new DeviceState(plan, new Scheduler(Schedule.LAZY, 0), new SubmissionOrder());
    DriverLock lock = new DriverLock(state, new WaitingThreads());
    lock.run(() -> lock.run(() -> assertThat(state.isUsable()).isFalse()));
    assertThat(state.isUsable()).isFalse();
  }

  @Test
  void aStackOverflowAnywhereInTheDriverLeavesTheDeviceWholeOrLost() throws Exception {
    int[] outcomes = new int[2];
    Thread thread =
        new Thread(null, () -> overflowAtEachDepth(outcomes), "a small stack", 256 << 10);
    thread.start();
    thread.join();
    assertThat(outcomes[0]).as("devices that went on").isPositive();
    assertThat(outcomes[0] + outcomes[1]).isEqualTo(150);
  }

  private static void overflowAtEachDepth(int[] outcomes) {
    for (int left = 0; left < 150; left++) {
      SimulatedDevice device = SimulatedDevice.builder().build();
      CudaDriver driver = Inside.open(device);
      StreamHandle stream = driver.createStream(0);
      long array = driver.allocateAsync(64, stream);
      int depth = depth(0);
      try {
        at(depth - left, () -> driver.fillAsync(array, Byte.BYTES, 1, 64, stream));
      } catch (StackOverflowError e) {
        // What is asked is what the device is like now.
      }
      boolean usable;
      try {
        driver.fillAsync(array, Byte.BYTES, 2, 64, stream);
        driver.freeAsync(array, stream);
        driver.destroyStream(stream);
        usable = device.liveObjects() == 0;
      } catch (CudaDriverException lost) {
        usable = !lost.isSticky();
      }
      outcomes[usable ? 0 : 1]++;
      driver.close();
    }
  }

  private static int depth(int reached) {
    try {
      return reached < 0 ? 0 : depth(reached + 1);
    } catch (StackOverflowError e) {
      return reached;
    }
  }

  private static void at(int depth, Runnable action) {
    if (depth <= 0) {
      action.run();
    } else {
      at(depth - 1, action);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyCallAfterTheCloseIsRefusedAndLeavesNothingLive(Schedule schedule) {
    SimulatedDevice device = SimulatedDevice.builder().schedule(schedule).build();
    CudaDriver driver = Inside.open(device);
    StreamHandle stream = driver.createStream(0);
    EventHandle event = driver.createEvent();
    HostMemory host = driver.allocateHost(64);
    long array = driver.allocateAsync(64, stream);
    long direct = driver.allocate(64);
    byte[] ptx =
        ".version 7.0\n.target sm_75\n.address_size 64\n.global .u32 v;\n.visible .entry k() { ret; }\n"
            .getBytes(StandardCharsets.US_ASCII);
    ModuleHandle module = driver.loadModule("k.ptx", ptx);
    FunctionHandle function = driver.function(module, "k");
    int live = device.liveObjects();
    long calls = device.calls();
    driver.close();
    driver.close();

    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            driver::memoryInfo,
            () -> driver.keepFreedMemory(1),
            () -> driver.createStream(0),
            () -> driver.destroyStream(stream),
            () -> driver.synchronizeStream(stream),
            () -> driver.isStreamIdle(stream),
            () -> driver.waitForEvent(stream, event),
            driver::createEvent,
            () -> driver.destroyEvent(event),
            () -> driver.recordEvent(event, stream),
            () -> driver.synchronizeEvent(event),
            () -> driver.isEventComplete(event),
            () -> driver.allocateAsync(64, stream),
            () -> driver.freeAsync(array, stream),
            () -> driver.allocate(64),
            () -> driver.free(direct),
            () -> driver.allocateHost(64),
            () -> driver.freeHost(host),
            () -> driver.copyToDeviceAsync(array, host, 0, 64, stream),
            () -> driver.copyToHostAsync(host, 0, array, 64, stream),
            () -> driver.copyOnDeviceAsync(array, direct, 64, stream),
            () -> driver.fillAsync(array, Byte.BYTES, 0, 64, stream),
            () -> driver.fillAsync(array, Short.BYTES, 0, 32, stream),
            () -> driver.fillAsync(array, Integer.BYTES, 0, 16, stream),
            () -> driver.fill32StridedAsync(array, 8, 0, 8, stream),
            () -> driver.loadModule("k.ptx", ptx),
            () -> driver.unloadModule(module),
            () -> driver.function(module, "k"),
            () -> driver.variable(module, "v"),
            () -> driver.attributes(function),
            () -> driver.allowDynamicSharedBytes(function, 1),
            () -> driver.residentBlocksPerMultiprocessor(function, 1, 0),
            () -> driver.suggestedBlockSize(function, 0),
            () -> driver.launchKernel(new KernelLaunch(function, false, stream, host)),
            driver::synchronizeDevice)) {
      assertThatThrownBy(call)
          .isInstanceOfSatisfying(
              CudaDriverException.class,
              e -> assertThat(e.code()).isEqualTo(ResultCode.DEINITIALIZED));
    }
    host.buffer();
    assertThat(device.liveObjects()).isEqualTo(live);
    assertThat(device.calls()).isEqualTo(calls);
  }
}
