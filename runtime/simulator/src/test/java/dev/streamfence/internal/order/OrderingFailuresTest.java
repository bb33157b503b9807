package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ordering when a driver call fails, and the exceptions of later calls. */
final class OrderingFailuresTest extends ThreeStreams {
  private static final CudaDriver SIMULATED =
      Inside.open(SimulatedDevice.builder().schedule(Schedule.LAZY).build());

  @Test
  void whenTheEventCannotBeRecordedTheStreamIsSynchronized() {
    DeviceArray<int[]> values = zeros(a);
    onB.increment(values, N);
    onB.increment(values, N);
    device.failCall(DriverCall.RECORD_EVENT, 1, 999);
    long before = device.calls(DriverCall.SYNCHRONIZE_STREAM);
    onB.increment(values, N);
    assertThat(device.calls(DriverCall.SYNCHRONIZE_STREAM) - before).isEqualTo(1);
    long waitsBefore = waits();
    onA.increment(values, N);
    assertThat(waits()).isEqualTo(waitsBefore);
    assertThat(values.download(a)).containsOnly(4);
    values.close();
  }

  @Test
  void whenNeitherEventNorSynchronizationWorksTheDeviceIsLost() {
    lost = true;
    DeviceArray<int[]> values = zeros(a);
    onB.increment(values, N);
    onB.increment(values, N);
    device.failCall(DriverCall.RECORD_EVENT, 1, 999);
    device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, 999);
    assertThatThrownBy(() -> onB.increment(values, N)).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(() -> onA.increment(values, N))
        .isInstanceOf(CudaDriverException.class)
        .hasMessageContaining("this lost the device");
    values.close();
  }

  @Test
  void theHostReplacesAWaitThatCannotBeQueued() {
    DeviceArray<int[]> values = zeros(a);
    onA.increment(values, N);
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, 999);
    assertThatThrownBy(() -> onB.increment(values, N))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> assertThat(e.purpose()).contains("increment on stream 2"));
    // The launch that failed is registered as the last write: whoever comes next relies on it
    // alone.
    onC.increment(values, N);
    assertThat(values.download(c)).containsOnly(2);
    values.close();
  }

  @Test
  void aWaitThatThrowsAnotherErrorLosesTheDeviceAndBlocksNoThread() {
    lost = true;
    CudaDriver refusing =
        InterceptedDriver.of(
            SIMULATED,
            (method, call) -> {
              if (method.equals("waitForEvent") || method.equals("synchronizeEvent")) {
                throw new IllegalStateException("an event that is gone");
              }
              return call.proceed();
            });
    StickyError faults = refusing.sticky();
    StreamPool pool = new StreamPool(refusing, 2);
    Timeline first = pool.acquire(0);
    Timeline second = pool.acquire(0);
    HazardState block = new HazardState(1, "a block", first, 1, () -> {});
    try (Submission open = first.begin(new NamedUse("the allocation"))) {
      open.preflight();
      open.commit();
    }
    assertThatThrownBy(
            () -> {
              try (Submission open = second.begin(new NamedUse("a launch"))) {
                open.use(block, false, true, 0);
                open.preflight();
              }
            })
        .isInstanceOf(IllegalStateException.class);
    assertThat(faults.error()).isNotNull();
    assertThat(second.submitted()).isEqualTo(1);
    assertThat(block.close(null)).isEqualTo(Closing.NOW);
  }

  @Test
  void aFaultNamesUnfinishedWorkOnEveryStreamAndFailsEveryLaterOperation() {
    lost = true;
    DeviceArray<int[]> values = gpu.memory().allocate(a, int[].class, N);
    DeviceArray<int[]> other = zeros(b);
    onC.increment(other, N);
    c.synchronize();
    onA.overrun(values, 4096);
    onB.increment(other, N);
    assertThatThrownBy(a::synchronize)
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.code()).isEqualTo(700);
              assertThat(e.outstanding())
                  .anyMatch(work -> work.startsWith("overrun on stream 1"))
                  .anyMatch(work -> work.startsWith("increment on stream 2"))
                  .noneMatch(work -> work.contains("stream 3"));
            });
    long before = device.calls();
    for (Runnable later :
        List.<Runnable>of(
            () -> onB.increment(other, N),
            () -> other.fill(b, 1),
            () -> other.download(b),
            () -> gpu.memory().allocate(b, int[].class, 1),
            () -> gpu.streams().acquire(),
            b::synchronize,
            () -> VectorKernels.on(b).increment(other, N))) {
      assertThatThrownBy(later::run)
          .isInstanceOfSatisfying(
              CudaDriverException.class,
              e -> {
                assertThat(e.code()).isEqualTo(700);
                assertThat(e).hasMessageContaining("overrun on stream 1");
              });
    }
    assertThat(device.calls()).isEqualTo(before);
    values.close();
    other.close();
  }

  @Test
  @Tag("long")
  void everyDriverCallMayFailWithoutALeakOrALostUpdate() {
    long calls = countCalls();
    assertThat(calls).isGreaterThan(20);
    for (long position = 1; position <= calls; position++) {
      for (int code : new int[] {1, 2, 999}) {
        SimulatedDevice failing = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
        DeviceRuntime runtime = DeviceRuntime.simulated(failing);
        failing.failCall(position, code);
        try {
          assertThat(program(runtime)).as("call %s, code %s", position, code).containsOnly(3);
        } catch (CudaDriverException e) {
          assertThat(e.code()).isEqualTo(code);
        } catch (OutOfMemoryBudgetException e) {
          assertThat(code).isEqualTo(2);
        }
        try {
          runtime.close();
        } catch (CudaDriverException e) {
          assertThat(e.code()).isEqualTo(code);
          continue;
        }
        assertThat(failing.liveObjects()).as("call %s, code %s", position, code).isZero();
      }
    }
  }

  private static long countCalls() {
    SimulatedDevice counting = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
    try (DeviceRuntime runtime = DeviceRuntime.simulated(counting)) {
      assertThat(program(runtime)).containsOnly(3);
      return counting.calls();
    }
  }

  private static int[] program(DeviceRuntime runtime) {
    try (DeviceStream first = runtime.streams().acquire();
        DeviceStream second = runtime.streams().acquire();
        DeviceArray<int[]> values = runtime.memory().upload(first, new int[] {1, 1});
        DeviceArray<int[]> sum = runtime.memory().allocateZeroed(second, int[].class, 2)) {
      VectorKernels.on(first).increment(values, 2);
      DeviceArray<int[]> copy = values.copy(second);
      VectorKernels.on(second).add(copy, values, sum, 2);
      copy.close();
      VectorKernels.on(first).increment(values, 2);
      assertThat(sum.download(first)).containsOnly(4);
      return values.download(second);
    }
  }
}
