package dev.streamfence.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LaunchShapeTest {
  @ParameterizedTest
  @CsvSource({"0,256,0", "1,256,1", "256,256,1", "257,256,2", "2147483647,1,2147483647"})
  void theSmallestGridCoversTheThreads(long threads, int block, int grid) {
    assertThat(LaunchShape.covering(threads, block)).isEqualTo(LaunchShape.of(grid, block));
  }

  @Test
  void moreBlocksThanAnIntCountsAreRefused() {
    assertThatThrownBy(() -> LaunchShape.covering(1L << 40, 256))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1099511627776");
  }

  @Test
  void negativeSizesAreRefused() {
    assertThatThrownBy(() -> LaunchShape.of(-1, 32)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LaunchShape.of(1, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LaunchShape.covering(-1, 32))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LaunchShape.covering(1, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LaunchShape.of(1, 1).withDynamicSharedBytes(-1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void itsTextHasEverySize() {
    assertThat(new LaunchShape(1, 2, 3, 4, 5, 6, 7))
        .hasToString("grid 1 × 2 × 3, block 4 × 5 × 6, 7 bytes of dynamic shared memory");
  }
}
