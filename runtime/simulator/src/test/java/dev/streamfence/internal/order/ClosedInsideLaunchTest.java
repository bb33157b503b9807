package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Arrays that are closed while a launch that uses them is between preflight and its end. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ClosedInsideLaunchTest {
  private static final int N = 4;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  private Submission launchThatUses(List<DeviceArray<int[]>> arrays) {
    Submission open = Inside.timeline(a).begin(new NamedUse("a launch"));
    for (DeviceArray<int[]> array : arrays) {
      open.use(Inside.allocation(array).hazards(), true, true, 0);
    }
    open.preflight();
    return open;
  }

  @Test
  void eachClosedArrayIsFreedAtTheEndOfTheLaunch() {
    List<DeviceArray<int[]>> arrays = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      arrays.add(gpu.memory().upload(a, new int[N]));
    }
    DeviceArray<int[]> kept = gpu.memory().upload(a, new int[N]);
    arrays.add(kept);
    try (Submission open = launchThatUses(arrays)) {
      arrays.subList(0, 4).forEach(DeviceArray::close);
      assertThat(device.calls(DriverCall.FREE_ASYNC)).isZero();
      open.commit();
    }
    gpu.memory().reap();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(4);
    assertThat(kept.isOpen()).isTrue();
    a.synchronize();
    gpu.memory().reap();
    assertThat(gpu.memory().bytesOutstanding()).isEqualTo(kept.sizeInBytes());
    kept.close();
  }

  /**
   * The exception of a use in another thread, which may wait for the open launch; that ends then.
   */
  private static Throwable thrownBeside(Submission open, Runnable use) throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>(new AssertionError("not refused"));
    Thread user =
        new Thread(
            () -> {
              try {
                use.run();
              } catch (RuntimeException e) {
                thrown.set(e);
              }
            });
    user.start();
    while (user.getState() != Thread.State.TERMINATED && user.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    open.commit();
    open.close();
    user.join();
    return thrown.get();
  }

  @Test
  void aLaunchOnAnotherStreamRefusesClosedArrays() throws Exception {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[N]);
    VectorKernels onB = VectorKernels.on(b);
    try (Submission open = launchThatUses(List.of(values))) {
      values.close();
      assertThat(thrownBeside(open, () -> onB.increment(values, N)))
          .isInstanceOf(UseAfterFreeException.class);
    }
    gpu.memory().reap();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
  }

  @Test
  void aCopyOnAnotherStreamRefusesClosedArrays() throws Exception {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[N]);
    try (Submission open = launchThatUses(List.of(values))) {
      values.close();
      assertThat(thrownBeside(open, () -> values.fill(b, 1)))
          .isInstanceOf(UseAfterFreeException.class);
    }
    gpu.memory().reap();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
  }

  @Test
  void anArrayThatTwoLaunchesHoldIsFreedAtTheEndOfTheLast() {
    DeviceArray<int[]> values = gpu.memory().upload(a, new int[N]);
    CompletableFuture<Void> waiting;
    try (Submission open = launchThatUses(List.of(values))) {
      waiting =
          CompletableFuture.runAsync(
              () -> {
                try (Submission other = Inside.timeline(b).begin(new NamedUse("another launch"))) {
                  other.use(Inside.allocation(values).hazards(), true, false, 0);
                  other.preflight();
                  other.commit();
                }
              });
      while (Inside.allocation(values).hazards().lastUser() != Inside.timeline(b)) {
        Thread.onSpinWait();
      }
      values.close();
      open.commit();
    }
    waiting.join();
    gpu.memory().reap();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(1);
  }
}
