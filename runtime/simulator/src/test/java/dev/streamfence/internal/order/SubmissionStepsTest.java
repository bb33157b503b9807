package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.SimulatedDevice;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The steps of a submission, in and out of order, and the state of its stream. */
final class SubmissionStepsTest {
  private static final NamedUse LAUNCH = new NamedUse("a launch");

  private final SimulatedDevice device = SimulatedDevice.builder().build();
  private final CudaDriver driver = Inside.open(device);
  private final StickyError faults = driver.sticky();
  private final StreamPool pool =
      new StreamPool(driver, 3, false, WorkObserver.NONE, () -> "a runtime");
  private final Timeline a = pool.acquire();
  private final Timeline b = pool.acquire();

  @AfterEach
  void close() {
    pool.destroy();
    assertThat(device.liveObjects()).isZero();
    driver.close();
  }

  private HazardState block(Timeline timeline) {
    try (Submission submission = timeline.begin(new NamedUse("an allocation"))) {
      submission.preflight();
      submission.commitWithoutEvent();
      return new HazardState(1, "a block", timeline, submission.ticket(), () -> {});
    }
  }

  /** A launch that is committed; it counts as a use of its stream. */
  private long launch(Timeline timeline) {
    try (Submission submission = timeline.begin(LAUNCH)) {
      submission.preflight();
      submission.commit();
      return submission.ticket();
    }
  }

  /** The messages of the steps that are refused now. */
  private static Map<String, String> refusals(Submission submission, String... refused) {
    Map<String, Runnable> steps =
        Map.of(
            "preflight", submission::preflight,
            "commit", submission::commit,
            "commitWithoutEvent", submission::commitWithoutEvent,
            "coverByEvent", submission::coverByEvent,
            "coverIfPossible", submission::coverIfPossible,
            "requireRecording", () -> submission.requireRecording("passes an argument"),
            "queuing", submission::queuing,
            "requireQueued", () -> submission.requireQueued("commits"));
    Map<String, String> said = new TreeMap<>();
    for (String step : refused) {
      assertThatThrownBy(() -> steps.get(step).run())
          .as(step)
          .isInstanceOfSatisfying(
              StreamMisuseException.class, e -> said.put(step, String.valueOf(e.getMessage())));
    }
    return said;
  }

  private static String misuse(String purpose, String act, String state) {
    return purpose
        + " "
        + act
        + " "
        + state
        + "; the order is begin, uses, preflight, launch, commit";
  }

  @Test
  void beforePreflightNothingIsCommittedOrCovered() {
    try (Submission submission = a.begin(LAUNCH)) {
      assertThat(submission.purpose()).isEqualTo("a launch");
      assertThat(submission.isAbandoned()).isFalse();
      submission.requireRecording("passes an argument");
      assertThat(
              refusals(
                  submission,
                  "commit",
                  "commitWithoutEvent",
                  "coverByEvent",
                  "coverIfPossible",
                  "queuing",
                  "requireQueued"))
          .containsEntry("commit", misuse("a launch", "commits", "before preflight"))
          .containsEntry("queuing", misuse("a launch", "launches", "before preflight"))
          .containsEntry("requireQueued", misuse("a launch", "commits", "before preflight"))
          .containsEntry(
              "coverByEvent", misuse("a launch", "asks for its completion", "before preflight"))
          .containsEntry(
              "coverIfPossible", misuse("a launch", "asks for an event", "before preflight"));
      submission.preflight();
    }
  }

  @Test
  void afterPreflightUsesAndCompletionsAreRefused() {
    HazardState block = block(a);
    try (Submission submission = a.begin(LAUNCH)) {
      submission.preflight();
      assertThat(submission.isAbandoned()).isTrue();
      assertThatThrownBy(() -> submission.use(block, true, false, 0))
          .hasMessage(misuse("a launch", "records a use", "after preflight and before launch"));
      assertThat(
              refusals(
                  submission, "preflight", "coverByEvent", "coverIfPossible", "requireRecording"))
          .containsEntry(
              "preflight",
              misuse("a launch", "runs preflight", "after preflight and before launch"));
      submission.commit();
    }
  }

  @Test
  void afterTheCommitOnlyAnEventIsAllowed() {
    try (Submission submission = a.begin(LAUNCH)) {
      submission.preflight();
      submission.commit();
      assertThat(submission.isAbandoned()).isFalse();
      assertThat(
              refusals(
                  submission,
                  "preflight",
                  "commit",
                  "commitWithoutEvent",
                  "requireRecording",
                  "queuing"))
          .containsEntry("commit", misuse("a launch", "commits", "after commit"));
      submission.coverByEvent();
    }
  }

  @Test
  void workIsQueuedOnceAndThenCommitted() {
    try (Submission submission = a.begin(LAUNCH)) {
      submission.preflight();
      assertThat(refusals(submission, "requireQueued"))
          .containsEntry(
              "requireQueued", misuse("a launch", "commits", "after preflight and before launch"));
      submission.queuing();
      assertThat(refusals(submission, "queuing", "commit"))
          .containsEntry("queuing", misuse("a launch", "launches", "after its launch failed"))
          .containsEntry("commit", misuse("a launch", "commits", "after its launch failed"));
      submission.queued();
      assertThat(refusals(submission, "queuing"))
          .containsEntry(
              "queuing", misuse("a launch", "launches", "after launch and before commit"));
      submission.requireQueued("commits");
      assertThat(submission.isCommitted()).isFalse();
      submission.commit();
      assertThat(submission.isCommitted()).isTrue();
    }
  }

  @Test
  void aLaunchIsAbandonedUnlessAStepWasRefusedOrItFailed() {
    try (Submission submission = a.begin(LAUNCH)) {
      assertThat(submission.isAbandoned()).isFalse();
      submission.preflight();
      assertThat(submission.isAbandoned()).isTrue();
      assertThat(refusals(submission, "preflight")).hasSize(1);
      assertThat(submission.isAbandoned()).isFalse();
      submission.queuing();
      assertThat(submission.isAbandoned()).isFalse();
      submission.queued();
      assertThat(submission.isAbandoned()).isTrue();
      submission.commit();
      assertThat(submission.isAbandoned()).isFalse();
    }
  }

  @Test
  void afterItsEndASubmissionIsNotBegun() {
    Submission submission = a.begin(LAUNCH);
    submission.preflight();
    submission.close();
    submission.close();
    assertThat(submission.isHeldByCurrentThread()).isFalse();
    assertThat(refusals(submission, "commit"))
        .containsEntry("commit", misuse("nothing", "commits", "before it is begun"));
  }

  @Test
  void aWaitThatFailsInPreflightLeavesItFailedAndNamesTheLaunch() {
    HazardState block = block(a);
    launch(b);
    device.failCall(DriverCall.WAIT_FOR_EVENT, 1, 1);
    try (Submission submission = b.begin(LAUNCH)) {
      submission.use(block, true, false, 0);
      assertThatThrownBy(submission::preflight)
          .isInstanceOf(CudaDriverException.class)
          .hasMessageContaining("a launch");
      assertThat(refusals(submission, "commit"))
          .containsEntry("commit", misuse("a launch", "commits", "after its preflight failed"));
    }
    assertThat(faults.error()).isNull();
  }

  @Test
  void anEventIsRecordedOnceForManyRequests() {
    try (Submission submission = a.begin(LAUNCH)) {
      submission.preflight();
      submission.commit();
      assertThat(device.calls(DriverCall.RECORD_EVENT)).isZero();
      submission.coverByEvent();
      submission.coverByEvent();
      assertThat(device.calls(DriverCall.RECORD_EVENT)).isEqualTo(1);
    }
    launch(b);
    long before = device.calls(DriverCall.RECORD_EVENT);
    try (Submission submission = a.begin(LAUNCH)) {
      submission.preflight();
      submission.commit();
      submission.coverByEvent();
      assertThat(device.calls(DriverCall.RECORD_EVENT)).isEqualTo(before + 1);
    }
  }

  @Test
  void aSubmissionThatIsHeldElsewhereIsNotBegunAndLeavesTheThreadOutside() throws Exception {
    Submission held = a.begin(LAUNCH);
    CompletableFuture.runAsync(
            () -> {
              assertThat(a.tryBegin(LAUNCH)).isNull();
              assertThat(pool.life().isEntered()).isFalse();
            })
        .get();
    assertThat(a.tryBegin(LAUNCH)).isNull();
    assertThat(pool.life().isEntered()).isTrue();
    held.close();
    assertThat(pool.life().isEntered()).isFalse();
  }

  @Test
  void withinASubmissionNoOtherOneBeginsAndTheRefusalLeavesNothingOpen() throws Exception {
    Submission open = a.begin(LAUNCH);
    assertThatThrownBy(() -> b.begin(LAUNCH))
        .isInstanceOf(StreamMisuseException.class)
        .hasMessage(
            "a launch begins while a launch is open on stream 1 in this thread; close that first");
    assertThatThrownBy(() -> b.begin(LAUNCH, Deadline.after(Duration.ofHours(1))))
        .isInstanceOf(StreamMisuseException.class);
    assertThatThrownBy(() -> a.begin(LAUNCH, Deadline.after(Duration.ofHours(1))))
        .isInstanceOf(StreamMisuseException.class)
        .hasMessageContaining("is open on the same stream in this thread");
    open.close();
    assertThat(pool.life().isEntered()).isFalse();
    b.begin(LAUNCH).close();
  }

  @Test
  void aStreamThatAnotherThreadHoldsIsWaitedForUntilTheDeadline() throws Exception {
    Submission held = a.begin(LAUNCH);
    boolean inside =
        inAnotherThread(
            () -> {
              assertThat(a.begin(LAUNCH, Deadline.after(Duration.ofMillis(5)))).isNull();
              return pool.life().isEntered();
            });
    assertThat(inside).isFalse();
    held.close();
    Submission later = a.begin(LAUNCH, Deadline.after(Duration.ofHours(1)));
    assertThat(later).isSameAs(held);
    held.close();
  }

  @Test
  void unsubmittedWorkIsNotAwaitedInsideALaunchEvenWithADeadline() throws Exception {
    Deadline hour = Deadline.after(Duration.ofHours(1));
    try (Submission submission = a.begin(LAUNCH)) {
      submission.preflight();
      assertThatThrownBy(() -> a.awaitDone(submission.ticket(), "waiting", hour))
          .isInstanceOf(StreamMisuseException.class)
          .hasMessage("waiting inside of it; close the launch first");
      assertThatThrownBy(() -> b.awaitDone(b.submitted() + 1, "waiting", hour))
          .isInstanceOf(StreamMisuseException.class)
          .hasMessage(
              "waiting, which another thread has not submitted, inside of a launch; close that"
                  + " launch first");
      submission.commit();
    }
    assertThat(a.awaitDone(a.submitted(), "waiting", hour)).isTrue();
    assertThat(a.awaitDone(a.submitted() + 1, "waiting", Deadline.after(Duration.ZERO))).isFalse();
  }

  @Test
  void aSubmissionIsClosedForItsThreadOnlyWhileThatThreadIsOutside() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      Thread holder = other.submit(Thread::currentThread).get();
      Submission open = other.submit(() -> a.begin(LAUNCH)).get();
      CountDownLatch working = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      Future<?> inside =
          other.submit(
              () -> {
                // Code of this package counts as the runtime's.
                working.countDown();
                goOn.await();
                return null;
              });
      working.await();
      assertThat(a.closeInPlaceOf(holder, false)).isNull();
      assertThat(a.closeInPlaceOf(Thread.currentThread(), true)).isNull();
      goOn.countDown();
      inside.get();
      while (Whereabouts.isInside(holder)) {
        Thread.onSpinWait();
      }
      assertThat(a.closeInPlaceOf(holder, false)).isEqualTo("a launch");
      assertThat(a.closeInPlaceOf(holder, true)).isNull();
      assertThat(other.submit(open::isHeldByCurrentThread).get()).isFalse();
      a.begin(LAUNCH).close();
      other.submit(() -> a.begin(LAUNCH)).get();
      assertThat(a.closeInPlaceOf(holder, true)).isEqualTo("a launch");
    } finally {
      other.shutdownNow();
    }
  }

  private static <T> T inAnotherThread(Callable<T> work) throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      return other.submit(work).get();
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  void aTicketOfThisThreadIsPendingUntilItsEnd() {
    try (Submission submission = a.begin(LAUNCH)) {
      submission.preflight();
      long ticket = submission.ticket();
      assertThat(a.isPendingInThisThread(ticket)).isTrue();
      assertThat(a.isPendingInThisThread(ticket - 1)).isFalse();
      assertThat(CompletableFuture.supplyAsync(() -> a.isPendingInThisThread(ticket)).join())
          .isFalse();
      assertThatThrownBy(() -> a.awaitDone(ticket, "waiting"))
          .isInstanceOf(StreamMisuseException.class)
          .hasMessage("waiting inside of it; close the launch first");
    }
    assertThat(a.isPendingInThisThread(a.submitted())).isFalse();
  }

  @Test
  void onALostDeviceNothingIsBegunLentOrQueried() {
    faults.declareLost(new CudaDriverException("cuTest", 700, "CUDA_ERROR"), "a test");
    assertThatThrownBy(() -> a.begin(LAUNCH)).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(() -> a.begin(LAUNCH, Deadline.after(Duration.ZERO)))
        .isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(() -> a.tryBegin(LAUNCH)).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(a::isIdle).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(() -> a.synchronize(Deadline.after(Duration.ZERO)))
        .isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(pool::acquire).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(pool::defaultTimeline).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(() -> pool.synchronizeAll("a test")).isInstanceOf(CudaDriverException.class);
    assertThatThrownBy(() -> pool.synchronizeAll(Deadline.after(Duration.ZERO)))
        .isInstanceOf(CudaDriverException.class);
    assertThat(pool.life().isEntered()).isFalse();
  }

  @Test
  void aPoolLendsAsManyStreamsAsItHasAndCountsThem() {
    assertThat(pool.lent()).isEqualTo(2);
    Timeline third = pool.acquire();
    assertThat(third).hasToString("stream 3");
    assertThat(pool.lent()).isEqualTo(3);
    assertThatThrownBy(pool::acquire)
        .hasMessage(
            "all 3 streams of the pool are in use; close one, or open the runtime with more");
    pool.release(third);
    assertThat(pool.lent()).isEqualTo(2);
    assertThat(pool.acquire()).isSameAs(third);
    assertThat(pool.defaultTimeline()).isSameAs(pool.defaultTimeline()).hasToString("stream 0");
  }

  @Test
  void aPoolHasFromOneStreamToItsLimit() {
    for (int wrong : new int[] {-1, 0, StreamPool.MAX_CAPACITY + 1}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new StreamPool(driver, wrong))
          .withMessageContaining("a pool of " + wrong + " streams");
    }
    assertThat(new StreamPool(driver, 1).capacity()).isEqualTo(1);
    StreamPool largest = new StreamPool(driver, StreamPool.MAX_CAPACITY);
    assertThat(largest.capacity()).isEqualTo(StreamPool.MAX_CAPACITY);
    assertThatThrownBy(
            () -> {
              largest.life().beginClosing(null);
              largest.life().endClosing();
              largest.life().enter();
            })
        .hasMessageContaining("device 0");
  }
}
