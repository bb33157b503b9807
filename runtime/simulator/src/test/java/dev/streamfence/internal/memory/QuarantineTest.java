package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.memory.Quarantine.Range;
import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The limits of the quarantine, by number and by size. */
final class QuarantineTest {
  private static final long QUARTER = 16L << 20;

  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final Quarantine quarantine = new Quarantine();

  @AfterEach
  void close() {
    on.close();
  }

  private Range range(long bytes) {
    return new Range(
        null,
        new Allocation(4096, bytes, "", on.a, 0, block -> {}, true, new Account(), null, null),
        false);
  }

  @Test
  void theOldestMemoryLeavesWhenTheLimitIsExceeded() {
    Range oldest = range(QUARTER);
    quarantine.add(oldest);
    for (int i = 0; i < 3; i++) {
      quarantine.add(range(QUARTER));
    }
    assertThat(quarantine.pollExcess()).isNull();
    quarantine.add(range(1));
    assertThat(quarantine.pollExcess()).isSameAs(oldest);
    assertThat(quarantine.pollExcess()).isNull();
    assertThat(quarantine.size()).isEqualTo(4);
  }

  @Test
  void memoryThatLeavesMakesRoomForAsMuch() {
    for (int i = 0; i < 20; i++) {
      quarantine.add(range(QUARTER));
      assertThat(quarantine.poll()).isNotNull();
    }
    assertThat(quarantine.poll()).isNull();
    for (int i = 0; i < 4; i++) {
      quarantine.add(range(QUARTER));
    }
    assertThat(quarantine.pollExcess()).isNull();
  }

  @Test
  void sixtyFourSmallPiecesAreKept() {
    for (int i = 0; i < 64; i++) {
      quarantine.add(range(1));
    }
    assertThat(quarantine.pollExcess()).isNull();
    quarantine.add(range(1));
    assertThat(quarantine.pollExcess()).isNotNull();
    assertThat(quarantine.pollExcess()).isNull();
  }
}
