package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The sizes of blocks of the caching pool, and their classes. */
final class PoolSizesTest {
  private static final long MIB = 1 << 20;

  @Test
  void aRequestGetsAtMostAnEighthOrTwoMebibytesMoreThanItNeeds() {
    for (long bytes = 1; bytes < 64 * MIB; bytes += 1 + bytes / 1000) {
      long size = PoolSizes.rounded(bytes);
      assertThat(size).isBetween(bytes, bytes + Math.max(255, Math.min(bytes / 8, 2 * MIB - 1)));
      assertThat(size % 256).isZero();
      assertThat(PoolSizes.rounded(size)).isEqualTo(size);
    }
    assertThat(PoolSizes.rounded(16 * MIB)).isEqualTo(16 * MIB);
    assertThat(PoolSizes.rounded(16 * MIB + 1)).isEqualTo(18 * MIB);
    assertThat(PoolSizes.rounded(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void eachSizeUpToSixteenMebibytesHasAClassOfItsOwn() {
    Map<Integer, Long> sizes = new HashMap<>();
    for (long size = 256; size <= 16 * MIB; size = PoolSizes.rounded(size + 1)) {
      assertThat(sizes.put(PoolSizes.classOf(size), size)).isNull();
    }
    assertThat(sizes.keySet())
        .allMatch(sizeClass -> sizeClass >= 0 && sizeClass <= PoolSizes.classOf(16 * MIB));
  }

  @Test
  void largeSizesShareTheOtherClassesInTurns() {
    int small = PoolSizes.classOf(16 * MIB) + 1;
    Map<Integer, Long> sizes = new HashMap<>();
    for (long size = 18 * MIB; sizes.size() < PoolSizes.CLASSES - small; size += 2 * MIB) {
      int sizeClass = PoolSizes.classOf(size);
      assertThat(sizeClass).isBetween(small, PoolSizes.CLASSES - 1);
      assertThat(sizes.put(sizeClass, size)).isNull();
    }
  }
}
