package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.order.Timeline;
import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The granularity of pending frees, and the bytes that come back. */
final class PendingFreesTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final Account account = new Account();
  private final PendingFrees pending = new PendingFrees(account, 100);
  private long ticket;

  @AfterEach
  void close() {
    on.close();
  }

  private void free(long bytes) {
    free(bytes, ++ticket);
  }

  private void free(long bytes, long at) {
    account.claim(bytes, "a test");
    account.opened(bytes);
    account.closed(bytes);
    pending.add(bytes, on.a, at, true);
  }

  @Test
  void aFreeGetsAnEventWhenTheBytesSinceTheLastOneAreEnough() {
    assertThat(free(60, on.a)).isFalse();
    assertThat(free(60, on.b)).isFalse();
    assertThat(free(40, on.a)).isTrue();
    assertThat(free(99, on.a)).isFalse();
    // One that the driver refuses does not count.
    assertThat(pending.needsEvent(1, on.a)).isTrue();
    assertThat(free(1, on.a)).isTrue();
  }

  private boolean free(long bytes, Timeline timeline) {
    boolean needsEvent = pending.needsEvent(bytes, timeline);
    pending.add(bytes, timeline, 1, needsEvent);
    return needsEvent;
  }

  @Test
  void bytesAreOutstandingUntilTheirFreeIsDone() {
    free(20);
    free(300);
    assertThat(account.outstanding()).isEqualTo(320);
    on.finish(on.a, ticket - 1);
    assertThat(pending.reapKnown()).isEqualTo(20);
    assertThat(account.outstanding()).isEqualTo(300);
    on.finish(on.a, ticket);
    assertThat(pending.reapKnown(on.b)).isZero();
    assertThat(pending.reapKnown(on.a)).isEqualTo(300);
    assertThat(account.outstanding()).isZero();
  }

  @Test
  void aLostDeviceReturnsThePendingBytesOfAllStreams() {
    account.claim(7, "a test");
    account.opened(7);
    free(20);
    account.claim(300, "a test");
    account.opened(300);
    account.closed(300);
    pending.add(300, on.b, 1, true);
    assertThat(pending.reapAll()).isEqualTo(320);
    assertThat(pending.reapAll()).isZero();
    assertThat(account.outstanding()).isEqualTo(7);
  }

  @Test
  void sixtyFourFreesOfAStreamAreKeptApart() {
    for (int i = 0; i < 64; i++) {
      free(1);
    }
    assertThat(pending.apart(on.a)).isEqualTo(64);
    assertThat(pending.apart(on.b)).isZero();
  }

  @Test
  void furtherFreesAreMergedUpToASixteenthOfTheBytes() {
    for (int i = 0; i < 65; i++) {
      free(1);
    }
    // Four of 65 bytes are within a sixteenth, five are not.
    assertThat(pending.apart(on.a)).isEqualTo(17);
  }

  @Test
  void returnedBytesDoNotMakeTheMergedPartsLarger() {
    free(1 << 20);
    on.finish(on.a, ticket);
    assertThat(pending.reapKnown()).isEqualTo(1 << 20);
    for (int i = 0; i < 65; i++) {
      free(1);
    }
    assertThat(pending.apart(on.a)).isEqualTo(17);
  }

  @Test
  void freesUpToOneTicketComeBackTogether() {
    free(1);
    free(2, ticket);
    assertThat(pending.apart(on.a)).isEqualTo(1);
    on.finish(on.a, ticket);
    assertThat(pending.reapKnown()).isEqualTo(3);
  }
}
