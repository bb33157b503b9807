package dev.streamfence.internal.device;

import static dev.streamfence.internal.device.TwoDevices.N;
import static dev.streamfence.internal.device.TwoDevices.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.simulation.Schedule;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every driver call of a copy between devices fails in turn, on either device. */
final class PeerCopyFailuresTest {
  private static final int STICKY = 700;
  private static final Logger REPORTS = Logger.getLogger("dev.streamfence");
  private Level reported;

  @BeforeEach
  void silence() {
    reported = REPORTS.getLevel();
    REPORTS.setLevel(Level.OFF);
  }

  @AfterEach
  void report() {
    REPORTS.setLevel(reported);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, STICKY})
  void aFailedCallLeavesNothingBehindAndTheOtherDeviceUsable(int code) {
    for (Schedule schedule : Schedule.values()) {
      for (int device = 0; device < 2; device++) {
        int position = 1;
        while (failsAt(schedule, device, true, position, code)) {
          position++;
        }
        assertThat(position).isGreaterThan(2);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aFailedCallOfTheFirstCopyLeavesNothingBehind(int device) {
    int position = 1;
    while (failsAt(Schedule.LAZY, device, false, position, 1)) {
      // The events of a stream are created one like the other.
      position += position < 4 || position > 27 ? 1 : 8;
    }
    assertThat(position).as("events are created as well").isGreaterThan(32);
  }

  /**
   * Whether the copy made so many calls on the device.
   *
   * @param repeated whether an earlier copy has made streams and events
   */
  private static boolean failsAt(
      Schedule schedule, int device, boolean repeated, int position, int code) {
    TwoDevices two = TwoDevices.open(schedule, position);
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> target = two.filled(1, 1);
    if (repeated) {
      target.copyFrom(two.streams.get(1), source);
    }
    two.devices.get(device).failCall(position, code);
    boolean failed = false;
    try {
      target.copyFrom(two.streams.get(1), source);
    } catch (CudaDriverException e) {
      failed = true;
      assertThat(e.code()).isEqualTo(code);
      assertThat(e.purpose())
          .containsPattern("making stream 18|from device 0 to device 1|which lost the device");
    }
    boolean met = two.devices.get(device).pendingFailures().isEmpty();
    assertThat(met || !failed).isTrue();
    assertThat(Inside.isLost(two.gpus.get(1 - device))).as("call %d", position).isFalse();
    if (!met) {
      return false;
    }
    boolean isLost = Inside.isLost(two.gpus.get(device));
    assertThat(isLost).isEqualTo(code == STICKY);
    if (!isLost) {
      source.fill(two.streams.get(0), 7);
      target.copyFrom(two.streams.get(1), source);
      assertThat(List.of(value(source), value(target))).containsOnly(7);
    }
    // Before the next use: what the simulated device still carries out then, a lost one does not.
    assertThat(two.devices.get(0).findings()).isEmpty();
    DeviceArray<int[]> other = device == 0 ? target : source;
    two.kernels.get(1 - device).increment(other, N);
    value(other);
    if (isLost) {
      // The memory of a lost device is lost with it.
      two.close();
      assertThat(two.devices.get(1 - device).liveObjects()).isZero();
    } else {
      two.closeClean();
    }
    return true;
  }

  @Test
  void aSourceThatCannotWaitForTheCopyWaitsOnTheHost() {
    boolean[] refuses = new boolean[1];
    TwoDevices two =
        TwoDevices.open(
            Schedule.LAZY,
            0,
            (device, method, call) -> {
              if (refuses[0] && device == 0 && method.equals("waitForPeerEvent")) {
                throw new CudaDriverException("cuStreamWaitEvent", 1, "CUDA_ERROR_INVALID_VALUE");
              }
              return call.proceed();
            });
    DeviceArray<int[]> source = two.filled(0, 5);
    refuses[0] = true;

    DeviceArray<int[]> there = source.copyTo(two.streams.get(1));
    source.fill(two.streams.get(0), 7);

    assertThat(value(there)).isEqualTo(5);
    two.closeClean();
  }

  @Test
  void orderThatCannotBeKeptLosesTheSourceAlone() {
    boolean[] refuses = new boolean[1];
    TwoDevices two =
        TwoDevices.open(
            Schedule.LAZY,
            0,
            (device, method, call) -> {
              boolean waits =
                  method.equals("waitForPeerEvent")
                      ? device == 0
                      : method.startsWith("synchronize");
              if (refuses[0] && waits) {
                throw new CudaDriverException("a wait", 1, "CUDA_ERROR_INVALID_VALUE");
              }
              return call.proceed();
            });
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> target = two.filled(1, 1);
    refuses[0] = true;
    assertThat(failure(target, two, source)).isInstanceOf(CudaDriverException.class);
    refuses[0] = false;

    assertThat(Inside.isLost(two.gpus.get(0))).isTrue();
    assertThat(Inside.isLost(two.gpus.get(1))).isFalse();
    assertThat(value(target)).isEqualTo(5);
    two.close();
  }

  private static Throwable failure(
      DeviceArray<int[]> target, TwoDevices two, DeviceArray<int[]> source) {
    return catchThrowable(() -> target.copyFrom(two.streams.get(1), source));
  }
}
