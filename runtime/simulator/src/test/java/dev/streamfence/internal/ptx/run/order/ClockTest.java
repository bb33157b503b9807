package dev.streamfence.internal.ptx.run.order;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** A clock knows the most that any of the merged ones knew of a thread, its warp or its block. */
final class ClockTest {
  private static final int BLOCKS = 40;

  private record Fact(Clock clock, int block, int warp, int lane, int until) {
    boolean covers(int otherWarp, int otherLane) {
      return BlockOrder.ofWarp(otherWarp) == block
          && (warp < 0 || warp == otherWarp)
          && (lane < 0 || lane == otherLane);
    }
  }

  private static Fact fact(Random random) {
    int block = random.nextInt(BLOCKS) * (random.nextBoolean() ? 1 : 1 << 20);
    int warp = BlockOrder.firstWarp(block) + random.nextInt(32);
    int lane = random.nextInt(32);
    int until = 1 + random.nextInt(1000);
    return switch (random.nextInt(3)) {
      case 0 -> new Fact(Clock.ofBlock(block, until), block, -1, -1, until);
      case 1 -> new Fact(Clock.ofWarp(warp, until), block, warp, -1, until);
      default -> new Fact(Clock.ofThread(warp, lane, until), block, warp, lane, until);
    };
  }

  @Test
  void mergedClocksKnowWhatEachOfThemKnew() {
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      Fact[] facts = random.ints(60, 0, 1).mapToObj(i -> fact(random)).toArray(Fact[]::new);
      Clock[] clocks = new Clock[4];
      for (int i = 0; i < facts.length; i++) {
        clocks[i % 4] = Clock.merge(clocks[i % 4], facts[i].clock());
      }
      Clock whole =
          Clock.merge(Clock.merge(clocks[0], clocks[1]), Clock.merge(clocks[2], clocks[3]));
      for (Fact asked : facts) {
        int warp = asked.warp() < 0 ? BlockOrder.firstWarp(asked.block()) + 3 : asked.warp();
        int lane = asked.lane() < 0 ? 17 : asked.lane();
        int until = 0;
        for (Fact fact : facts) {
          until = fact.covers(warp, lane) ? Math.max(until, fact.until()) : until;
        }
        assertThat(whole.knows(warp, lane, until - 1)).as("seed %d", seed).isTrue();
        assertThat(whole.knows(warp, lane, until)).as("seed %d", seed).isFalse();
      }
    }
  }

  @Test
  void mergingWithWhatIsKnownMakesNoNewClock() {
    Clock known = null;
    for (int block = 0; block < 1000; block++) {
      known = Clock.merge(known, Clock.ofBlock(block, 7));
    }
    assertThat(Clock.merge(known, Clock.ofBlock(500, 6))).isSameAs(known);
    assertThat(Clock.merge(known, known)).isSameAs(known);
    assertThat(Clock.merge(null, known)).isSameAs(known);
    assertThat(Clock.merge(known, null)).isSameAs(known);
  }

  @Test
  void aClockThatIsKnownToIncludeAnotherIsTheResultOfMergingThem() {
    Clock first = Clock.ofBlock(1, 5).noting(null);
    Clock second = requireNonNull(Clock.merge(first, Clock.ofBlock(2, 5))).noting(first);
    Clock third = requireNonNull(Clock.merge(second, Clock.ofBlock(3, 5))).noting(second);
    assertThat(Clock.merge(first, third)).isSameAs(third);
    assertThat(Clock.merge(third, second)).isSameAs(third);
    assertThat(third.noting(third)).isSameAs(third);
  }

  @Test
  void ofTwoClocksThatIncludeTheSameOneNeitherIncludesTheOther() {
    Clock first = Clock.ofBlock(1, 5).noting(null);
    Clock one = requireNonNull(Clock.merge(first, Clock.ofBlock(2, 5))).noting(first);
    Clock other = requireNonNull(Clock.merge(first, Clock.ofBlock(3, 5))).noting(first);
    Clock both = requireNonNull(Clock.merge(one, other));
    assertThat(both.knows(BlockOrder.firstWarp(2), 0, 4)).isTrue();
    assertThat(both.knows(BlockOrder.firstWarp(3), 0, 4)).isTrue();
  }
}
