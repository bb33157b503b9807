package dev.streamfence.internal.ptx.run.order;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A launch that touches more memory than the heap has room to follow says so, and goes on. */
final class LaunchOrderTest {
  @Test
  void memoryBeyondTheRoomIsNotFollowedAndTheLaunchIsNotComplete() {
    LaunchOrder order = new LaunchOrder(5000);
    ThreadOrder thread = order.block(32, 0).warp(0).thread(0);
    assertThat(order.cells(4096)).isNotNull();
    assertThat(order.isComplete()).isTrue();
    order.take(4096);
    assertThat(order.isComplete()).isTrue();
    order.take(4096);
    assertThat(order.isComplete()).isFalse();
    assertThat(order.cells(4096)).isNull();
    assertThat(thread.stores(1, new AccessCells(order, 4), 0, 4)).isZero();
    assertThat(order.groups().next()).isEqualTo(1);
  }
}
