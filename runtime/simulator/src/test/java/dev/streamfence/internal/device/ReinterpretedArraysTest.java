package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Unreachable arrays whose memory was, or was not, handed to another array. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ReinterpretedArraysTest {
  private static final int MANY = 50;

  private final SimulatedDevice device = SimulatedDevice.builder().schedule(Schedule.LAZY).build();
  private final DeviceRuntime gpu = DeviceRuntime.simulated(device);
  private final DeviceStream stream = gpu.streams().acquire();
  private final RuntimeLog log = RuntimeLog.listen();

  @AfterEach
  void close() {
    gpu.close();
    log.close();
    assertThat(device.liveObjects()).isZero();
  }

  private void reinterpretClosedOnes() {
    for (int i = 0; i < MANY; i++) {
      DeviceArray<int[]> closed = gpu.memory().allocate(stream, int[].class, 4, "reinterpreted");
      closed.close();
      assertThatThrownBy(() -> closed.reinterpret(byte[].class))
          .isInstanceOf(UseAfterFreeException.class);
    }
  }

  private void reinterpretTwice() {
    for (int i = 0; i < MANY; i++) {
      DeviceArray<int[]> old = gpu.memory().allocate(stream, int[].class, 4, "reinterpreted");
      DeviceArray<byte[]> heir = old.reinterpret(byte[].class);
      assertThatThrownBy(() -> old.reinterpret(float[].class))
          .isInstanceOf(UseAfterFreeException.class);
      heir.close();
    }
  }

  private void lose(String tag) {
    gpu.memory().allocate(stream, int[].class, 4, tag);
  }

  /** Waits until an array is reported that became unreachable after all others. */
  private void collectUntilReported(String tag) {
    while (log.recordsWith(tag).isEmpty()) {
      System.gc();
      Thread.onSpinWait();
    }
  }

  /** Collects twice, since the order within one collection is not defined. */
  private void collectAll() {
    lose("the first witness");
    collectUntilReported("the first witness");
    lose("the second witness");
    collectUntilReported("the second witness");
  }

  @Test
  void aClosedArrayThatCannotBeReinterpretedIsNotLost() {
    reinterpretClosedOnes();
    collectAll();
    assertThat(gpu.memory().statistics().lostArrays()).isEqualTo(2);
    assertThat(log.recordsWith("reinterpreted")).isEmpty();
  }

  @Test
  void aClosedHeirAndItsSourceAreNotLost() {
    reinterpretTwice();
    collectAll();
    assertThat(gpu.memory().statistics().lostArrays()).isEqualTo(2);
    assertThat(log.recordsWith("reinterpreted")).isEmpty();
  }

  @Test
  void anUnclosedHeirIsLostOnce() {
    gpu.memory().allocate(stream, int[].class, 4, "inherited").reinterpret(byte[].class);
    collectUntilReported("inherited");
    collectAll();
    assertThat(gpu.memory().statistics().lostArrays()).isEqualTo(3);
    assertThat(log.recordsWith("inherited")).hasSize(1);
  }
}
