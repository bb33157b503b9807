package dev.streamfence.internal.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.internal.order.NamedUse;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.model.ClockDriver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The thread that polls launches, run by the test itself: each pause is a moment at which the test
 * decides what happens next.
 */
@Timeout(60)
final class CompletionWatcherTest {
  private final Timeline timeline = new StreamPool(ClockDriver.create(), 1).acquire(0);
  private final List<Runnable> threads = new ArrayList<>();
  private final List<Long> pauses = new ArrayList<>();
  private final Queue<Runnable> duringPauses = new ArrayDeque<>();
  private boolean noThreads;
  private final CompletionWatcher watcher = new CompletionWatcher(this::held, this::pause);

  private Thread held(Runnable run) {
    if (noThreads) {
      throw new OutOfMemoryError("unable to create native thread");
    }
    threads.add(run);
    return new Thread(() -> {});
  }

  private void pause(long nanos) {
    pauses.add(nanos);
    if (!duringPauses.isEmpty()) {
      duringPauses.remove().run();
    }
  }

  private TrackedCompletion launch() {
    try (Submission submission = timeline.begin(new NamedUse("a launch"))) {
      submission.preflight();
      submission.commit();
      return new TrackedCompletion(watcher, timeline, submission.ticket(), "a launch");
    }
  }

  private static CompletableFuture<Void> stage(TrackedCompletion launch) {
    return launch.stage().toCompletableFuture();
  }

  private void finish(TrackedCompletion launch) {
    timeline.noteCompleted(launch.ticket());
  }

  @Test
  void aLaunchThatIsDoneNeedsNoThread() {
    TrackedCompletion launch = launch();
    finish(launch);
    assertThat(stage(launch)).isCompleted();
    assertThat(threads).isEmpty();
  }

  @Test
  void manyStagesShareOneThread() {
    TrackedCompletion first = launch();
    TrackedCompletion second = launch();
    CompletableFuture<Void> stageOfFirst = stage(first);
    CompletableFuture<Void> stageOfSecond = stage(second);
    assertThat(threads).hasSize(1);
    duringPauses.add(() -> finish(first));
    duringPauses.add(
        () -> {
          assertThat(stageOfFirst).isCompleted();
          assertThat(stageOfSecond).isNotDone();
          finish(second);
        });
    threads.get(0).run();
    assertThat(stageOfSecond).isCompleted();
    assertThat(duringPauses).isEmpty();
  }

  @Test
  void aStageRequestedDuringTheLastPauseIsServedByTheSameThread() {
    TrackedCompletion first = launch();
    TrackedCompletion second = launch();
    stage(first);
    List<CompletableFuture<Void>> late = new ArrayList<>();
    finish(first);
    duringPauses.add(() -> late.add(stage(second)));
    duringPauses.add(() -> finish(second));
    threads.get(0).run();
    assertThat(late.get(0)).isCompleted();
    assertThat(threads).hasSize(1);
  }

  @Test
  void aStageRequestedAfterTheThreadEndedGetsAnotherThread() {
    TrackedCompletion first = launch();
    TrackedCompletion second = launch();
    stage(first);
    finish(first);
    threads.get(0).run();
    CompletableFuture<Void> late = stage(second);
    assertThat(threads).hasSize(2);
    finish(second);
    threads.get(1).run();
    assertThat(late).isCompleted();
  }

  @Test
  void anErrorInThePollingThreadLeavesTheStagesToAnother() {
    TrackedCompletion launch = launch();
    CompletableFuture<Void> stage = stage(launch);
    duringPauses.add(
        () -> {
          throw new OutOfMemoryError("planted");
        });
    assertThatThrownBy(threads.get(0)::run).isInstanceOf(OutOfMemoryError.class);
    assertThat(threads).hasSize(2);
    finish(launch);
    threads.get(1).run();
    assertThat(stage).isCompleted();
  }

  @Test
  void theNextStageTriesAgainToStartAThreadThatCouldNotStart() {
    TrackedCompletion first = launch();
    TrackedCompletion second = launch();
    noThreads = true;
    assertThatThrownBy(first::stage).isInstanceOf(OutOfMemoryError.class);
    noThreads = false;
    CompletableFuture<Void> stage = stage(second);
    assertThat(threads).hasSize(1);
    finish(second);
    threads.get(0).run();
    assertThat(stage).isCompleted();
  }

  @Test
  void pausesDoubleUpToAMillisecondAndStartAgainWhenALaunchIsDone() {
    TrackedCompletion first = launch();
    TrackedCompletion second = launch();
    stage(first);
    CompletableFuture<Void> stage = stage(second);
    for (int i = 0; i < 7; i++) {
      duringPauses.add(() -> {});
    }
    duringPauses.add(() -> finish(first));
    duringPauses.add(() -> finish(second));
    threads.get(0).run();
    assertThat(pauses)
        .startsWith(40_000L, 80_000L, 160_000L, 320_000L, 640_000L, 1_000_000L, 1_000_000L)
        .endsWith(1_000_000L, 20_000L, 20_000L);
    assertThat(stage).isCompleted();
  }

  @Test
  void anInterruptOfThePollingThreadDoesNotEndItsPauses() {
    TrackedCompletion launch = launch();
    CompletableFuture<Void> stage = stage(launch);
    duringPauses.add(() -> Thread.currentThread().interrupt());
    duringPauses.add(
        () -> {
          assertThat(Thread.currentThread().isInterrupted()).isFalse();
          finish(launch);
        });
    threads.get(0).run();
    assertThat(stage).isCompleted();
  }
}
