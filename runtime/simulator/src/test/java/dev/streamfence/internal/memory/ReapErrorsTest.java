package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An {@link Error} in the middle of a reap: no byte is lost, and none comes back twice. */
final class ReapErrorsTest {
  private final DriverTrap trap = new DriverTrap();
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER, trap);
  private final UpstreamResource resource = UpstreamResource.streamOrdered(on.pool, false);

  @AfterEach
  void close() {
    assertThat(resource.bytesOutstanding()).isZero();
    on.close();
  }

  private void free(int bytes, Timeline timeline) {
    resource.deallocate(resource.allocate(bytes, timeline, ""));
  }

  @Test
  void bytesThatWereKnownToBeFreeComeBack() {
    free(1024, on.a);
    on.a.synchronize("knowing");
    free(2048, on.b);
    trap.before(1, new StackOverflowError("as planned"), "isEventComplete", "isStreamIdle");
    assertThatThrownBy(resource::reap).isInstanceOf(StackOverflowError.class);
    assertThat(resource.bytesOutstanding()).isEqualTo(2048);
    assertThat(resource.reap()).isEqualTo(2048);
  }

  @Test
  void bytesThatTheSameReapFoundFreeComeBackLater() {
    free(1024, on.a);
    free(2048, on.b);
    trap.before(2, new StackOverflowError("as planned"), "isEventComplete", "isStreamIdle");
    assertThatThrownBy(resource::reap).isInstanceOf(StackOverflowError.class);
    long left = resource.bytesOutstanding();
    assertThat(left).isIn(1024L, 2048L);
    assertThat(resource.reap()).isEqualTo(left);
  }
}
