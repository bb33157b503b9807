package dev.streamfence.internal.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.driver.LaunchObserver.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The index answers like a scan of all uses. */
final class UseIndexTest {
  private static boolean covers(Use use, long address, int bytes) {
    return address >= use.address() && address + bytes <= use.address() + use.bytes();
  }

  @Test
  void randomUsesAreFoundLikeInAList() {
    Random random = new Random(17);
    for (int round = 0; round < 300; round++) {
      List<Use> uses = new ArrayList<>();
      for (int i = random.nextInt(20); i > 0; i--) {
        uses.add(new Use("p" + i, random.nextInt(200), random.nextInt(40), true, false));
      }
      UseIndex index = new UseIndex(uses);
      for (int i = 0; i < 200; i++) {
        long address = random.nextInt(250);
        int bytes = 1 + random.nextInt(8);
        long end = address + random.nextInt(60);
        assertThat(index.covers(address, bytes))
            .isEqualTo(uses.stream().anyMatch(use -> covers(use, address, bytes)));
        assertThat(index.within(address, end))
            .containsExactlyInAnyOrderElementsOf(
                uses.stream()
                    .filter(use -> use.address() >= address && use.address() < end)
                    .toList());
      }
    }
  }

  @Test
  void theNearestUseIsTheOneWithTheShortestDistance() {
    Use low = new Use("low", 100, 8, true, false);
    Use high = new Use("high", 140, 8, true, false);
    UseIndex index = new UseIndex(List.of(high, low));
    assertThat(index.nearest(110, 0, 200)).isEqualTo(low);
    assertThat(index.nearest(139, 0, 200)).isEqualTo(high);
    assertThat(index.nearest(139, 0, 120)).isEqualTo(low);
    assertThat(index.nearest(139, 150, 200)).isNull();
  }

  @Test
  void aNegativeIndexIsNearestToTheArrayAboveIt() {
    Use low = new Use("low", 0x1000, 16, true, false);
    Use high = new Use("high", 0x9000_0000L, 16, true, false);
    assertThat(Submitted.isNearer(low, high, 0x1000 - 8)).isTrue();
    assertThat(Submitted.isNearer(low, high, 0x1000 - 0x2000)).isTrue();
    assertThat(Submitted.isNearer(high, low, 0x9000_0000L - 4)).isTrue();
    assertThat(Submitted.distance(low, 0x100f)).isZero();
    assertThat(Submitted.distance(low, 0x1010)).isZero();
    assertThat(Submitted.distance(low, 0x1014)).isEqualTo(4);
    assertThat(Submitted.distance(low, -4)).isEqualTo(0x1004);
  }
}
