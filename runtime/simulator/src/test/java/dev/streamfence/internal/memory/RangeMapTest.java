package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class RangeMapTest {
  private final SimulatedStreams on = new SimulatedStreams(Schedule.EAGER);
  private final RangeMap ranges = new RangeMap();
  private final Allocation middle = block(1000, 100);

  @AfterEach
  void close() {
    on.close();
  }

  private Allocation block(long address, long bytes) {
    return new Allocation(
        address, bytes, "", on.a, 0, released -> {}, true, new Account(), null, null);
  }

  @Test
  void neighboursDoNotOverlap() {
    assertThat(ranges.add(middle)).isNull();
    assertThat(ranges.add(block(1100, 100))).isNull();
    assertThat(ranges.add(block(900, 100))).isNull();
  }

  @Test
  void memoryThatSharesItsFirstOrItsLastByteOverlaps() {
    ranges.add(middle);
    assertThat(ranges.add(block(1099, 100))).isSameAs(middle);
    assertThat(ranges.add(block(901, 100))).isSameAs(middle);
    assertThat(ranges.add(block(1000, 1))).isSameAs(middle);
    assertThat(ranges.add(block(900, 1000))).isSameAs(middle);
  }

  @Test
  void memoryThatOverlapsIsNotAdded() {
    ranges.add(middle);
    ranges.add(block(1050, 100));
    assertThat(ranges.add(block(1100, 10))).isNull();
  }

  @Test
  void memoryThatWasRemovedOverlapsNothing() {
    ranges.add(middle);
    ranges.remove(block(1000, 100));
    assertThat(ranges.add(block(1000, 100))).isSameAs(middle);
    ranges.remove(middle);
    assertThat(ranges.add(block(1000, 100))).isNull();
  }
}
