package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The order in which arrays leave the device, and how many arrays it looks at. */
final class SpillOrderTest {
  private static final int ARRAYS = 1000;

  private final SpillOrder<Array> order = new SpillOrder<>();
  private final List<Array> arrays = new ArrayList<>();
  private long uses;
  private int looks;

  SpillOrderTest() {
    for (int i = 0; i < ARRAYS; i++) {
      arrays.add(new Array());
      order.add(arrays.get(i));
    }
    looks = 0;
  }

  private final class Array extends SpillOrder.Entry {
    private long lastUse = ++uses;

    void use() {
      lastUse = ++uses;
    }

    @Override
    long lastUse() {
      looks++;
      return lastUse;
    }
  }

  /** The numbers of the arrays that a pass comes to first. */
  private List<Integer> first(int count) {
    SpillOrder<Array>.Pass pass = order.pass(uses);
    return IntStream.range(0, count).mapToObj(i -> arrays.indexOf(pass.next())).toList();
  }

  @Test
  void aPassLooksOnlyAtThoseThatItReturns() {
    assertThat(first(3)).containsExactly(0, 1, 2);
    assertThat(looks).isEqualTo(3);
  }

  @Test
  void arraysThatHaveLeftAreNotLookedAt() {
    for (int i = 0; i < ARRAYS - 2; i++) {
      order.remove(arrays.get(i));
    }
    assertThat(first(3)).containsExactly(ARRAYS - 2, ARRAYS - 1, -1);
    assertThat(looks).isEqualTo(2);
  }

  @Test
  void anArrayThatIsUsedIsMovedOnce() {
    for (int i = 9; i >= 0; i--) {
      arrays.get(i).use();
      arrays.get(i).use();
    }
    assertThat(first(1)).containsExactly(10);
    assertThat(looks).isEqualTo(11);
    assertThat(first(1)).containsExactly(10);
    assertThat(looks).isEqualTo(12);
    assertThat(first(ARRAYS).subList(ARRAYS - 11, ARRAYS))
        .containsExactly(ARRAYS - 1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  }

  @Test
  void aPassLeavesOutWhatIsUsedAfterItHasBegun() {
    SpillOrder<Array>.Pass pass = order.pass(uses);
    arrays.get(0).use();
    arrays.get(ARRAYS - 1).use();
    for (int i = 1; i < ARRAYS - 1; i++) {
      assertThat(pass.next()).isSameAs(arrays.get(i));
    }
    assertThat(pass.next()).isNull();
  }

  @Test
  void anArrayThatComesBackHasBeenUsedLast() {
    order.remove(arrays.get(0));
    order.remove(arrays.get(0));
    assertThat(first(1)).containsExactly(1);
    arrays.get(0).use();
    order.add(arrays.get(0));
    assertThat(first(ARRAYS).get(ARRAYS - 1)).isZero();
  }
}
