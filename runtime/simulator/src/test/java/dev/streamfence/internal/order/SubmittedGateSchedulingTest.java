package dev.streamfence.internal.order;

import static dev.streamfence.model.ControlledScheduler.explore;
import static dev.streamfence.model.ControlledScheduler.require;
import static dev.streamfence.model.ControlledScheduler.together;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * The gate alone, with threads that spin once before parking: with a thousand spins the scheduler
 * would not reach the moment between the last check and the parking.
 */
final class SubmittedGateSchedulingTest {
  @Test
  void aThreadThatParksWhileItsTicketIsPublishedIsWoken() {
    explore(
        () -> {
          SubmittedGate gate = new SubmittedGate(1);
          together(() -> gate.publish(1), () -> gate.await(1));
          require(gate.submitted() == 1, "not submitted");
        });
  }

  @Test
  void theTicketThatAThreadWaitsForWakesIt() {
    explore(
        () -> {
          SubmittedGate gate = new SubmittedGate(1);
          together(
              () -> {
                gate.publish(1);
                gate.publish(2);
              },
              () -> {
                gate.await(1);
                require(gate.submitted() >= 1, "woken too early");
              },
              () -> {
                gate.await(2);
                require(gate.submitted() >= 2, "woken too early");
              });
        });
  }

  @Test
  void aStateThatIsClosedWhileItsTicketIsPublishedGoesOnClosingOnce() {
    HazardState state = new HazardState("some memory");
    explore(
        () -> {
          SubmittedGate gate = new SubmittedGate(1);
          AtomicInteger ends = new AtomicInteger();
          together(
              () -> {
                gate.publish(1);
                if (gate.takeClosing() != null) {
                  ends.incrementAndGet();
                }
              },
              () -> {
                if (!gate.addClosing(state, 1)) {
                  ends.incrementAndGet();
                }
              });
          require(ends.get() == 1, "closed " + ends.get() + " times");
        });
  }
}
