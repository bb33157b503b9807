package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.device.RuntimeOverDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Work that another thread submits during a query of a stream's progress. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class MeanwhileSubmittedTest {
  private static final int N = 4;

  /** A way to learn that a launch is done, and the driver call that answers it. */
  private enum Question {
    SYNCHRONIZE("synchronizeStream") {
      @Override
      boolean ask(DeviceStream stream, Completion launch) {
        stream.synchronize();
        return true;
      }
    },
    IS_IDLE("isStreamIdle") {
      @Override
      boolean ask(DeviceStream stream, Completion launch) {
        return stream.isIdle();
      }
    },
    IS_DONE("isEventComplete") {
      @Override
      boolean ask(DeviceStream stream, Completion launch) {
        return launch.isDone();
      }
    },
    AWAIT("synchronizeEvent") {
      @Override
      boolean ask(DeviceStream stream, Completion launch) {
        launch.await();
        return true;
      }
    };

    private final String driverCall;

    Question(String driverCall) {
      this.driverCall = driverCall;
    }

    abstract boolean ask(DeviceStream stream, Completion launch);
  }

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final AtomicReference<String> asked = new AtomicReference<>("nothing");
  private final AtomicReference<Runnable> meanwhile = new AtomicReference<>(() -> {});
  private final DeviceRuntime gpu =
      RuntimeOverDriver.open(
          InterceptedDriver.of(
              Inside.open(device),
              (method, call) -> {
                Object answer = call.proceed();
                if (method.equals(asked.get()) && !Boolean.FALSE.equals(answer)) {
                  CompletableFuture.runAsync(meanwhile.getAndSet(() -> {})).join();
                }
                return answer;
              }),
          RuntimeOptions.defaults());
  private final DeviceStream a = gpu.streams().acquire();
  private final DeviceStream b = gpu.streams().acquire();
  private final DeviceStream c = gpu.streams().acquire();
  private final DeviceArray<int[]> values = gpu.memory().upload(a, new int[N]);

  @AfterEach
  void close() {
    values.close();
    gpu.close();
    assertThat(device.findings()).isEmpty();
    assertThat(device.liveObjects()).isZero();
  }

  private long waits() {
    return device.calls(DriverCall.WAIT_FOR_EVENT);
  }

  private Completion increment(DeviceStream stream) {
    try (LaunchRecorder recorder = VectorKernels.incrementOn(stream).begin()) {
      recorder.array(values).threads(N).preflight().launch().commit();
      return recorder.completion();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theAnswerDoesNotCoverLaterSubmissions(Question question) {
    device.collectFindings();
    Completion first = increment(a);
    AtomicReference<Completion> second = new AtomicReference<>();
    meanwhile.set(() -> second.set(increment(a)));
    asked.set(question.driverCall);
    while (!question.ask(a, first)) {
      Thread.onSpinWait();
    }
    asked.set("nothing");
    assertThat(second.get()).isNotNull();
    long before = waits();
    increment(b);
    assertThat(waits() - before).isEqualTo(1);
    assertThat(values.download(b)).containsOnly(3);
  }

  /** The stream is told to wait for another one while it is synchronised. */
  @Test
  void theAnswerDoesNotCoverLaterWaits() {
    device.collectFindings();
    DeviceArray<int[]> ofC = gpu.memory().upload(c, new int[] {1, 2, 3, 4});
    DeviceArray<int[]> copy = gpu.memory().allocate(b, int[].class, N);
    c.isIdle();
    meanwhile.set(
        () -> {
          try (Submission open = Inside.timeline(a).begin(new NamedUse("a launch"))) {
            open.use(Inside.allocation(ofC).hazards(), true, false, 0);
            open.preflight();
            open.commit();
          }
        });
    asked.set("synchronizeStream");
    a.synchronize();
    asked.set("nothing");
    long before = waits();
    copy.copyFrom(b, ofC);
    assertThat(waits() - before).isEqualTo(1);
    assertThat(copy.download(b)).containsExactly(1, 2, 3, 4);
    ofC.close();
    copy.close();
  }

  /** The work that the stream had waited for before is also done. */
  @Test
  void theAnswerCoversEarlierWaits() {
    DeviceArray<int[]> ofC = gpu.memory().upload(c, new int[] {1, 2, 3, 4});
    DeviceArray<int[]> copy = gpu.memory().allocate(a, int[].class, N);
    DeviceArray<int[]> other = gpu.memory().allocate(b, int[].class, N);
    copy.copyFrom(a, ofC);
    a.synchronize();
    long before = waits();
    other.copyFrom(b, ofC);
    assertThat(waits()).isEqualTo(before);
    assertThat(other.download(b)).containsExactly(1, 2, 3, 4);
    ofC.close();
    copy.close();
    other.close();
  }
}
