package dev.streamfence.internal.device;

import static java.lang.Thread.State.TERMINATED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.UseLabels;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thread that is interrupted while it waits for another one: it continues to wait, completes its
 * operation, and stays interrupted.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class InterruptTest {
  private static final UseLabels LAUNCH = new NamedUse("a launch");

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private static final class Waiter {
    private final Thread thread;
    private final AtomicBoolean finished = new AtomicBoolean();
    private final AtomicBoolean stillInterrupted = new AtomicBoolean();

    Waiter(Runnable action) {
      thread =
          new Thread(
              () -> {
                action.run();
                stillInterrupted.set(Thread.currentThread().isInterrupted());
                finished.set(true);
              });
      thread.start();
    }

    void interruptWhileWaiting() {
      awaitParked();
      thread.interrupt();
      // Awake for a moment, and then back.
      awaitParked();
      assertThat(finished).isFalse();
    }

    private void awaitParked() {
      Thread.State state;
      while ((state = thread.getState()) != Thread.State.WAITING) {
        assertThat(state).as("the state of the waiting thread").isNotEqualTo(TERMINATED);
        assertThat(Thread.currentThread().isInterrupted()).as("the test is given up").isFalse();
        Thread.onSpinWait();
      }
    }

    void requireDoneAndInterrupted() throws InterruptedException {
      thread.join();
      assertThat(finished).isTrue();
      assertThat(stillInterrupted).isTrue();
    }
  }

  @Test
  void aLaunchThatWaitsForItsTurnIsCarriedOut() throws Exception {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1});
    VectorKernels kernels = VectorKernels.on(a);
    Waiter waiter;
    try (Submission open = Inside.timeline(a).begin(LAUNCH)) {
      waiter = new Waiter(() -> kernels.increment(values, 1));
      waiter.interruptWhileWaiting();
      open.preflight();
      open.commit();
    }
    waiter.requireDoneAndInterrupted();
    assertThat(values.download(a)).containsExactly(2);
    values.close();
  }

  @Test
  void aLaunchThatWaitsForAnotherThreadsLaunchIsOrderedAfterIt() throws Exception {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1});
    VectorKernels kernels = VectorKernels.on(b);
    Waiter waiter;
    try (Submission open = Inside.timeline(a).begin(LAUNCH)) {
      open.use(Inside.allocation(values).hazards(), true, true, 0);
      open.preflight();
      waiter = new Waiter(() -> kernels.increment(values, 1));
      waiter.interruptWhileWaiting();
      Inside.driver(gpu)
          .fill32Async(Inside.allocation(values).address(), 7, 1, Inside.timeline(a).stream());
      open.commit();
    }
    waiter.requireDoneAndInterrupted();
    assertThat(values.download(a)).containsExactly(8);
    values.close();
  }

  @Test
  void anInterruptDoesNotCutShortAWaitForTheDevice() {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1});
    VectorKernels.on(a).increment(values, 1);
    Thread.currentThread().interrupt();
    assertThat(values.download(b)).containsExactly(2);
    assertThat(Thread.interrupted()).isTrue();
    values.close();
  }
}
