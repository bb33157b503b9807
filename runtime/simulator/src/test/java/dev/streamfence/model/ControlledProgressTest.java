package dev.streamfence.model;

import static dev.streamfence.model.ControlledScheduler.explore;
import static dev.streamfence.model.ControlledScheduler.require;
import static dev.streamfence.model.ControlledScheduler.together;

import dev.streamfence.internal.order.Timeline;
import org.junit.jupiter.api.Test;

/**
 * Threads that query a stream's progress, and events that are recorded again, beside threads that
 * launch. A thread that learns too much leaves out a wait, and an allocation is then used out of
 * order.
 */
final class ControlledProgressTest {
  /** As many events as a stream has. */
  private static final int RING = 32;

  @Test
  void aSynchronizationProvesEarlierSubmissionsDone() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          together(
              () -> {
                scene.first.synchronize("a test");
                scene.run(scene.second, x, x);
              },
              () -> scene.run(scene.first, x, x));
          require(scene.first.submitted() >= 2, "a launch is missing");
        });
  }

  @Test
  void aSynchronizationProvesDoneWhatItsStreamHadWaitedFor() {
    explore(
        () -> {
          Scene scene = new Scene();
          Timeline third = scene.pool.acquire(0);
          Scene.Allocation x = scene.new Allocation(third);
          together(
              () -> {
                scene.first.synchronize("a test");
                scene.run(scene.second, x, x);
              },
              () -> scene.read(scene.first, x));
        });
  }

  @Test
  void anIdleStreamIsIdleUpToTheLastSubmissionBeforeTheQuery() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          together(
              () -> {
                require(scene.first.isIdle(), "not idle");
                scene.run(scene.second, x, x);
              },
              () -> scene.run(scene.first, x, x));
        });
  }

  @Test
  void aTicketCanBeAwaitedBeforeItIsSubmitted() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          long ticket = scene.first.submitted() + 1;
          together(
              () -> {
                scene.first.awaitDone(ticket, "a test");
                require(scene.first.submitted() >= ticket, "not submitted");
                require(scene.first.completed() >= ticket, "not done");
                scene.run(scene.second, x, x);
              },
              () -> {
                scene.run(scene.first, x, x);
                scene.run(scene.first, x, x);
              });
        });
  }

  @Test
  void anEventSaysNothingAboutLaterWaits() {
    explore(
        () -> {
          Scene scene = new Scene();
          Timeline third = scene.pool.acquire(0);
          Scene.Allocation x = scene.new Allocation(scene.first);
          Scene.Allocation y = scene.new Allocation(third);
          together(
              () -> {
                scene.read(scene.second, x);
                scene.read(scene.second, y);
              },
              () -> scene.read(scene.first, y));
        });
  }

  @Test
  void anEventThatIsRecordedAgainNoLongerCoversItsOldTicket() {
    explore(
        () -> {
          Scene scene = new Scene();
          Timeline third = scene.pool.acquire(0);
          Scene.Allocation old = scene.new Allocation(scene.first);
          Scene.Allocation x = scene.new Allocation(scene.first);
          Scene.Allocation y = scene.new Allocation(third);
          // From here on two streams are in use, and each launch on the first records an event.
          scene.read(scene.first, old);
          scene.read(scene.second, scene.new Allocation(scene.second));
          for (int i = 0; i < RING; i++) {
            scene.run(scene.first, x, x);
          }
          together(
              () -> {
                scene.read(scene.second, old);
                scene.read(scene.second, y);
              },
              () -> scene.run(scene.first, y, x));
        });
  }
}
