package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The work that an event covers if its stream continues while another thread records it. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class EventClockTest {
  private static final int N = 4;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final AtomicReference<Runnable> afterTheNextRecord = new AtomicReference<>(() -> {});
  private final DeviceRuntime gpu =
      RuntimeOverDriver.open(
          InterceptedDriver.of(
              Inside.open(device),
              (method, call) -> {
                Object answer = call.proceed();
                if (method.equals("recordEvent")) {
                  afterTheNextRecord.getAndSet(() -> {}).run();
                }
                return answer;
              }),
          RuntimeOptions.defaults());
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final DeviceStream c = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  private long waits() {
    return device.calls(DriverCall.WAIT_FOR_EVENT);
  }

  @Test
  void anEventDoesNotCoverWaitsQueuedAfterItsRecord() throws Exception {
    device.collectFindings();
    DeviceArray<int[]> ofC = gpu.memory().upload(c, new int[] {1, 2, 3, 4});
    DeviceArray<int[]> ofA = gpu.memory().upload(a, new int[] {5, 6, 7, 8});
    DeviceArray<int[]> copy = gpu.memory().allocate(b, int[].class, N);
    CountDownLatch waitsForC = new CountDownLatch(1);
    CountDownLatch copied = new CountDownLatch(1);
    AtomicReference<CompletableFuture<Void>> launch = new AtomicReference<>();
    // B's copy records an event on A, and before that call is back, A waits for C.
    afterTheNextRecord.set(
        () -> {
          launch.set(
              CompletableFuture.runAsync(
                  () -> {
                    try (Submission open = Inside.timeline(a).begin(new NamedUse("a launch"))) {
                      open.use(Inside.allocation(ofC).hazards(), true, false, 0);
                      open.preflight();
                      waitsForC.countDown();
                      await(copied);
                      open.commit();
                    }
                  }));
          await(waitsForC);
        });
    copy.copyFrom(b, ofA);
    assertThat(waitsForC.getCount()).isZero();
    long before = waits();
    copy.copyFrom(b, ofC);
    copied.countDown();
    launch.get().get();
    assertThat(waits() - before).isEqualTo(1);
    assertThat(copy.download(b)).containsExactly(1, 2, 3, 4);
    ofA.close();
    ofC.close();
    copy.close();
  }

  /** A wait for the later event covers earlier work. */
  @Test
  void anEventCoversWaitsQueuedBeforeItsRecord() {
    device.collectFindings();
    DeviceArray<int[]> ofC = gpu.memory().upload(c, new int[] {1, 2, 3, 4});
    DeviceArray<int[]> ofA = gpu.memory().allocate(a, int[].class, N);
    DeviceArray<int[]> copy = gpu.memory().allocate(b, int[].class, N);
    ofA.copyFrom(a, ofC);
    copy.copyFrom(b, ofA);
    long before = waits();
    copy.copyFrom(b, ofC);
    assertThat(waits()).isEqualTo(before);
    assertThat(copy.download(b)).containsExactly(1, 2, 3, 4);
    ofA.close();
    ofC.close();
    copy.close();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
