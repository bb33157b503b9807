package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A runtime that is closed while other threads have launches open. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ClosingBesideLaunchesTest {
  private static final int N = 4;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);

  /** A launch of another thread, open until the test lets it continue. */
  private static final class OpenLaunch {
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CompletableFuture<Void> end;

    private OpenLaunch(DeviceStream stream, DeviceArray<int[]> values) {
      LaunchRecorder recorder = VectorKernels.incrementOn(stream);
      end = CompletableFuture.runAsync(() -> run(recorder, values));
      await(begun);
    }

    private void run(LaunchRecorder recorder, DeviceArray<int[]> values) {
      try (LaunchRecorder open = recorder.begin()) {
        begun.countDown();
        await(goOn);
        open.array(values).threads(N).preflight().launch().commit();
      }
    }

    private void finish() {
      goOn.countDown();
      end.join();
    }

    private static void await(CountDownLatch latch) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Waits until the closer waits; a launch that it does not wait for lets it end. */
  private static void awaitWaiting(Thread closer) {
    Thread.State state = closer.getState();
    while (state != Thread.State.WAITING && state != Thread.State.TIMED_WAITING) {
      assertThat(state).as("the closer").isNotEqualTo(Thread.State.TERMINATED);
      Thread.onSpinWait();
      state = closer.getState();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aLaunchThatIsOpenOnAnyStreamIsWaitedFor(int number) throws Exception {
    DeviceStream[] streams = {
      gpu.streams().defaultStream(),
      gpu.streams().acquire(),
      gpu.streams().acquire(),
      gpu.streams().acquire()
    };
    DeviceArray<int[]> values = gpu.memory().upload(streams[number], new int[N]);
    OpenLaunch launch = new OpenLaunch(streams[number], values);
    Thread closer = new Thread(gpu::close);
    closer.start();
    awaitWaiting(closer);
    launch.finish();
    closer.join();
    assertThat(gpu.isOpen()).isFalse();
    assertThat(device.liveObjects()).isZero();
  }

  @Test
  void launchesThatAreOpenOnSeveralStreamsAreAllWaitedFor() throws Exception {
    DeviceStream first = gpu.streams().acquire();
    DeviceStream second = gpu.streams().acquire();
    DeviceArray<int[]> values = gpu.memory().upload(first, new int[N]);
    OpenLaunch onFirst = new OpenLaunch(first, values);
    OpenLaunch onSecond = new OpenLaunch(second, values);
    Thread closer = new Thread(gpu::close);
    closer.start();
    awaitWaiting(closer);
    onFirst.finish();
    awaitWaiting(closer);
    onSecond.finish();
    closer.join();
    assertThat(device.liveObjects()).isZero();
  }
}
