package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.RuntimeClosedException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.InterceptedDriver;
import dev.streamfence.simulation.SimulatedDevice;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Queries of a stream's progress while its pool is destroyed, and afterwards. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ProgressTest {
  private static final UseLabels WORK = new NamedUse("work");

  private enum Question {
    IS_IDLE("isStreamIdle", Timeline::isIdle),
    SYNCHRONIZE("synchronizeStream", timeline -> timeline.synchronize("a test")),
    IS_DONE("isEventComplete", timeline -> timeline.isDone(1)),
    AWAIT_DONE("synchronizeEvent", timeline -> timeline.awaitDone(1, "a test"));

    private final String driverCall;
    private final Consumer<Timeline> ask;

    Question(String driverCall, Consumer<Timeline> ask) {
      this.driverCall = driverCall;
      this.ask = ask;
    }
  }

  private final AtomicReference<Runnable> whileAsked = new AtomicReference<>(() -> {});
  private final AtomicReference<String> asked = new AtomicReference<>("nothing");
  private final List<String> destroyed = new CopyOnWriteArrayList<>();
  private final CudaDriver driver =
      InterceptedDriver.of(
          Inside.open(SimulatedDevice.builder().build()),
          (method, call) -> {
            if (method.startsWith("destroy")) {
              destroyed.add(method);
            }
            if (method.equals(asked.get())) {
              whileAsked.get().run();
            }
            return call.proceed();
          });
  private final StreamPool pool = new StreamPool(driver, 1);
  private final Timeline timeline = pool.acquire();

  private void submit() {
    try (Submission submission = timeline.begin(WORK)) {
      submission.preflight();
      submission.commit();
    }
  }

  /** Ends the life of the streams as a runtime does. */
  private void end() {
    try {
      assertThat(pool.life().beginClosing(null)).isTrue();
      assertThat(pool.awaitAlone(Duration.ofDays(1), left -> {}, new Teardown(), null)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    pool.destroy();
    pool.life().endClosing();
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsDestroyedDuringADriverQuery(Question question) throws Exception {
    submit();
    Thread closer = new Thread(this::end);
    whileAsked.set(
        () -> {
          closer.start();
          while (pool.life().isOpen()) {
            Thread.onSpinWait();
          }
          assertThat(destroyed).isEmpty();
        });
    asked.set(question.driverCall);
    question.ask.accept(timeline);
    closer.join();
    assertThat(destroyed).isNotEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void afterTheEndTheDriverIsNotCalled(Question question) {
    submit();
    end();
    asked.set(question.driverCall);
    whileAsked.set(
        () -> {
          throw new AssertionError("asked after a stream that is gone");
        });
    assertThatThrownBy(() -> question.ask.accept(timeline))
        .isInstanceOf(RuntimeClosedException.class)
        .hasMessageContaining("asks after work whose end was not seen before");
  }

  @ParameterizedTest
  @EnumSource
  void afterTheEndKnownFinishedWorkIsDone(Question question) {
    submit();
    timeline.noteCompleted(1);
    end();
    asked.set(question.driverCall);
    whileAsked.set(
        () -> {
          throw new AssertionError("asked after a stream that is gone");
        });
    question.ask.accept(timeline);
  }

  @Test
  void completedOnlyRises() {
    submit();
    submit();
    timeline.noteCompleted(2);
    timeline.noteCompleted(1);
    assertThat(timeline.completed()).isEqualTo(2);
  }
}
