package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How finely frees are told apart, and which bytes count. */
final class LedgerTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final Ledger ledger = new Ledger(100);
  private long ticket;

  @AfterEach
  void close() {
    on.close();
  }

  private void free(long bytes) {
    ledger.allocated(bytes);
    ledger.freed(bytes, on.a, ++ticket);
  }

  @Test
  void aFreeGetsAnEventWhenTheBytesSinceTheLastOneAreEnough() {
    assertThat(ledger.needsEvent(60, on.a)).isFalse();
    assertThat(ledger.needsEvent(60, on.b)).isFalse();
    assertThat(ledger.needsEvent(40, on.a)).isTrue();
    assertThat(ledger.needsEvent(99, on.a)).isFalse();
    assertThat(ledger.needsEvent(1, on.a)).isTrue();
  }

  @Test
  void bytesThatWaitForAReapAreOutstandingLikeLiveAndPendingOnes() {
    ledger.allocated(7);
    free(20);
    ledger.keepForReap(300);
    assertThat(ledger.outstanding()).isEqualTo(327);
    on.a.noteCompleted(ticket);
    assertThat(ledger.reapKnown()).isEqualTo(320);
    assertThat(ledger.outstanding()).isEqualTo(7);
  }

  @Test
  void aLostDeviceReturnsAllBytesButLiveOnes() {
    ledger.allocated(7);
    free(20);
    ledger.keepForReap(300);
    assertThat(ledger.reapAll()).isEqualTo(320);
    assertThat(ledger.reapAll()).isZero();
    assertThat(ledger.outstanding()).isEqualTo(7);
  }

  @Test
  void sixtyFourFreesOfAStreamAreToldApart() {
    for (int i = 0; i < 64; i++) {
      free(1);
    }
    assertThat(ledger.apart(on.a)).isEqualTo(64);
    assertThat(ledger.apart(on.b)).isZero();
  }

  @Test
  void ofMoreThoseAreMergedThatHaveASixteenthOfTheBytesTogether() {
    for (int i = 0; i < 65; i++) {
      free(1);
    }
    // Four of 65 bytes are within a sixteenth, five are not.
    assertThat(ledger.apart(on.a)).isEqualTo(17);
  }

  @Test
  void bytesThatHaveComeBackDoNotMakeThePartsLarger() {
    free(1 << 20);
    on.a.noteCompleted(ticket);
    assertThat(ledger.reapKnown()).isEqualTo(1 << 20);
    for (int i = 0; i < 65; i++) {
      free(1);
    }
    assertThat(ledger.apart(on.a)).isEqualTo(17);
  }

  @Test
  void freesUpToOneTicketComeBackTogether() {
    free(1);
    ledger.allocated(2);
    ledger.freed(2, on.a, ticket);
    assertThat(ledger.apart(on.a)).isEqualTo(1);
    on.a.noteCompleted(ticket);
    assertThat(ledger.reapKnown()).isEqualTo(3);
  }
}
