package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.Completion;
import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.internal.transfer.DeviceCopies;
import dev.streamfence.launch.LaunchRecorder;
import dev.streamfence.simulation.SimulatedDevice;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Waits that end with a timeout or an interrupt, and the state afterwards. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TimeoutsTest {
  private static final int CHUNK_BYTES = 16;

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final AtomicBoolean busy = new AtomicBoolean();
  private final AtomicInteger questions = new AtomicInteger();
  private DeviceRuntime gpu;
  private DeviceStream stream;
  private DeviceArray<int[]> values;
  private Completion completion;

  /** Waits of which each has a form with a timeout. */
  private enum Wait {
    STREAM {
      @Override
      boolean until(TimeoutsTest test, Duration timeout) throws InterruptedException {
        return test.stream.synchronize(timeout);
      }
    },
    RUNTIME {
      @Override
      boolean until(TimeoutsTest test, Duration timeout) throws InterruptedException {
        return test.gpu.synchronize(timeout);
      }
    },
    COMPLETION {
      @Override
      boolean until(TimeoutsTest test, Duration timeout) throws InterruptedException {
        return test.completion.await(timeout);
      }
    },
    DOWNLOAD {
      @Override
      boolean until(TimeoutsTest test, Duration timeout) throws InterruptedException {
        int[] target = new int[20];
        boolean done = test.values.download(test.stream, target, timeout);
        assertThat(target[19]).isEqualTo(done ? 1 : 0);
        return done;
      }
    };

    abstract boolean until(TimeoutsTest test, Duration timeout) throws InterruptedException;
  }

  @BeforeEach
  void open() {
    gpu =
        Opening.of(
                InterceptedDriver.of(
                    Inside.open(device),
                    (method, call) -> {
                      if (!method.equals("isStreamIdle") && !method.equals("isEventComplete")) {
                        return call.proceed();
                      }
                      questions.incrementAndGet();
                      return busy.get() ? false : call.proceed();
                    }),
                true,
                RuntimeOptions.defaults())
            .withCopies(pool -> new DeviceCopies(pool, CHUNK_BYTES, 1))
            .open();
    stream = gpu.streams().acquire();
    values = gpu.memory().upload(stream, new int[20]);
    try (LaunchRecorder recorder = VectorKernels.incrementOn(stream).begin()) {
      recorder.array(values).threads(20).preflight().launch().commit();
      completion = recorder.completion();
    }
    busy.set(true);
  }

  @AfterEach
  void close() {
    gpu.close();
    assertThat(device.liveObjects()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aWaitEndsWithItsTimeoutAndCanBeRepeated(Wait wait) throws Exception {
    long before = System.nanoTime();
    assertThat(wait.until(this, Duration.ofMillis(20))).isFalse();
    assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(20_000_000);
    assertThat(wait.until(this, Duration.ZERO)).isFalse();
    busy.set(false);
    assertThat(wait.until(this, Duration.ofDays(100_000))).isTrue();
    assertThat(values.download(stream)).containsOnly(1);
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptEndsAWaitWithATimeout(Wait wait) throws Exception {
    AtomicBoolean isInterruptKept = new AtomicBoolean(true);
    FutureTask<Boolean> waiting =
        new FutureTask<>(
            () -> {
              try {
                return wait.until(this, Duration.ofDays(1));
              } finally {
                isInterruptKept.set(Thread.currentThread().isInterrupted());
              }
            });
    Thread waiter = new Thread(waiting);
    int before = questions.get();
    waiter.start();
    // It has asked, was told that the work is not done, and has begun to wait.
    while (questions.get() < before + 3) {
      Thread.onSpinWait();
    }
    waiter.interrupt();
    assertThatThrownBy(waiting::get)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(InterruptedException.class);
    assertThat(isInterruptKept).isFalse();
    busy.set(false);
    assertThat(wait.until(this, Duration.ofDays(1))).isTrue();
    assertThat(values.download(stream)).containsOnly(1);
  }

  @ParameterizedTest
  @EnumSource
  void anInterruptBeforeAWaitWithATimeoutEndsIt(Wait wait) throws Exception {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> wait.until(this, Duration.ofDays(1)))
        .isInstanceOf(InterruptedException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    busy.set(false);
    assertThat(wait.until(this, Duration.ofDays(1))).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aNegativeOrNullTimeoutIsRefused(Wait wait) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> wait.until(this, Duration.ofNanos(-1)))
        .withMessageContaining("PT-0.000000001S");
    assertThatThrownBy(() -> wait.until(this, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("timeout");
  }
}
