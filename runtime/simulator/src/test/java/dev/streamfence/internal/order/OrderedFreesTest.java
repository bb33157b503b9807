package dev.streamfence.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.internal.device.Inside;
import dev.streamfence.simulation.DriverCall;
import org.junit.jupiter.api.Test;

/** Frees come after all uses, and a free that fails is not lost. */
final class OrderedFreesTest extends ThreeStreams {
  @Test
  void aFreeComesAfterTheReadersOfOtherStreams() {
    DeviceArray<int[]> source = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    DeviceArray<int[]> copyOnB = gpu.memory().allocate(b, int[].class, N);
    DeviceArray<int[]> copyOnC = gpu.memory().allocate(c, int[].class, N);
    copyOnB.copyFrom(b, source);
    copyOnC.copyFrom(c, source);
    long address = Inside.allocation(source).address();
    source.close();
    // Nobody reads b before the address is written again: c, where it was used last, has to wait.
    DeviceArray<int[]> reused = gpu.memory().allocate(c, int[].class, N);
    assertThat(Inside.allocation(reused).address()).isEqualTo(address);
    reused.fill(c, -1);
    c.synchronize();
    assertThat(copyOnB.download(b)).containsExactly(1, 2, 3, 4);
    assertThat(copyOnC.download(c)).containsExactly(1, 2, 3, 4);
    copyOnB.close();
    copyOnC.close();
    reused.close();
  }

  @Test
  void aFreedAddressIsUsedAgain() {
    DeviceArray<int[]> first = zeros(a);
    long address = Inside.allocation(first).address();
    long generation = Inside.allocation(first).generation();
    first.close();
    DeviceArray<int[]> second = zeros(a);
    assertThat(Inside.allocation(second).address()).isEqualTo(address);
    assertThat(Inside.allocation(second).generation()).isNotEqualTo(generation);
    second.close();
  }

  @Test
  void aFreeThatFailsLeavesTheArrayOpenAndMayBeRepeated() {
    DeviceArray<int[]> values = zeros(a);
    device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    assertThatThrownBy(values::close).isInstanceOf(CudaDriverException.class);
    assertThat(values.isOpen()).isTrue();
    assertThat(values.download(a)).containsOnly(0);
    values.close();
    assertThat(values.isOpen()).isFalse();
  }

  @Test
  void anArrayClosedWhileItsStreamIsTakenIsFreedLater() {
    DeviceArray<int[]> values = zeros(a);
    DeviceArray<int[]> unrelated = zeros(a);
    try (Submission open = Inside.timeline(a).begin(new NamedUse("a launch"))) {
      open.preflight();
      unrelated.close();
      open.commit();
    }
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isZero();
    values.close();
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(2);
  }

  @Test
  void aFreeThatFailedAtTheEndOfALaunchIsRepeated() {
    DeviceArray<int[]> values = zeros(a);
    try (Submission open = Inside.timeline(a).begin(new NamedUse("a launch"))) {
      open.use(Inside.allocation(values).hazards(), true, false, 0);
      open.preflight();
      values.close();
      open.commit();
      device.failCall(DriverCall.FREE_ASYNC, 1, 999);
    }
    DeviceArray<int[]> next = zeros(a);
    assertThat(device.calls(DriverCall.FREE_ASYNC)).isEqualTo(2);
    next.close();
  }

  @Test
  void queuedLaunchesOfAChainProtectTheirArraysWhenTheNextIsRefused() {
    DeviceArray<int[]> input = gpu.memory().upload(a, new int[] {1, 2, 3, 4});
    DeviceArray<int[]> sum = zeros(b);
    onB.add(input, input, sum, N);
    device.failCall(DriverCall.LAUNCH_KERNEL, 1, 701);
    assertThatThrownBy(() -> onB.increment(input, N)).isInstanceOf(CudaDriverException.class);
    input.close();
    DeviceArray<int[]> reused = gpu.memory().allocate(a, int[].class, N);
    reused.fill(a, -1);
    assertThat(sum.download(b)).containsExactly(2, 4, 6, 8);
    sum.close();
    reused.close();
  }
}
