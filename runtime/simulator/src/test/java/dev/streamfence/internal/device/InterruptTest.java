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
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
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

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
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
          .fillAsync(
              Inside.allocation(values).address(),
              Integer.BYTES,
              7,
              1,
              Inside.timeline(a).stream());
      open.commit();
    }
    waiter.requireDoneAndInterrupted();
    assertThat(values.download(a)).containsExactly(8);
    values.close();
  }

  @Test
  void anInterruptDoesNotCutShortAWaitForTheDevice() throws Exception {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[] {1});
    SimulatedLibrary library = device.library("slow");
    CountDownLatch running = new CountDownLatch(1);
    CompletableFuture<Void> goOn = new CompletableFuture<>();
    try (DeviceStream adopted = gpu.streams().adopt(library.createStream())) {
      adopted.submit(
          "slow",
          uses -> uses.readWrites(values),
          call -> {
            long address = call.address(values);
            library.launch(
                call.streamHandle(),
                "slow",
                memory -> {
                  running.countDown();
                  goOn.join();
                  memory.putInt(address, memory.getInt(address) + 1);
                });
          });
    }
    AtomicReference<int[]> seen = new AtomicReference<>();
    Waiter waiter = new Waiter(() -> seen.set(values.download(b)));
    running.await();
    waiter.interruptWhileWaiting();
    goOn.complete(null);
    waiter.requireDoneAndInterrupted();
    assertThat(seen.get()).containsExactly(2);
    values.close();
  }
}
