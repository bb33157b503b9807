package dev.streamfence.internal.device;

import static dev.streamfence.internal.device.TwoDevices.N;
import static dev.streamfence.internal.device.TwoDevices.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.streamfence.CudaDriverException;
import dev.streamfence.DeviceArray;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every driver call of work that uses memory of two devices fails in turn, on either device. */
final class PeerFailuresTest {
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

  /** Work on device 1 that reads an array of one device, and writes one of the other. */
  private enum PeerAct {
    COPY {
      @Override
      void run(VectorKernels kernels, DeviceArray<int[]> away, DeviceArray<int[]> own) {
        own.copyFrom(kernels.stream(), away);
      }

      @Override
      DeviceArray<int[]> source(DeviceArray<int[]> away, DeviceArray<int[]> own) {
        return away;
      }
    },
    LAUNCH_THAT_READS {
      @Override
      void run(VectorKernels kernels, DeviceArray<int[]> away, DeviceArray<int[]> own) {
        kernels.add(away, away, own, N);
      }

      @Override
      DeviceArray<int[]> source(DeviceArray<int[]> away, DeviceArray<int[]> own) {
        return away;
      }
    },
    LAUNCH_THAT_WRITES {
      @Override
      void run(VectorKernels kernels, DeviceArray<int[]> away, DeviceArray<int[]> own) {
        kernels.add(own, own, away, N);
      }

      @Override
      DeviceArray<int[]> source(DeviceArray<int[]> away, DeviceArray<int[]> own) {
        return own;
      }
    };

    abstract void run(VectorKernels kernels, DeviceArray<int[]> away, DeviceArray<int[]> own);

    /** The array that it reads. */
    abstract DeviceArray<int[]> source(DeviceArray<int[]> away, DeviceArray<int[]> own);
  }

  @ParameterizedTest
  @EnumSource
  void aFailedCallLeavesNothingBehindAndTheOtherDeviceUsable(PeerAct act) {
    for (Schedule schedule : Schedule.values()) {
      for (int device = 0; device < 2; device++) {
        for (int code : new int[] {1, STICKY}) {
          int position = 1;
          while (failsAt(act, schedule, device, true, position, code)) {
            position++;
          }
          assertThat(position).isGreaterThan(2);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFailedCallOfTheFirstWorkLeavesNothingBehind(PeerAct act) {
    for (int device = 0; device < 2; device++) {
      int position = 1;
      while (failsAt(act, Schedule.LAZY, device, false, position, 1)) {
        // The events of a stream are created one like the other.
        position += position < 4 || position > 27 ? 1 : 8;
      }
      assertThat(position).as("events are created as well").isGreaterThan(32);
    }
  }

  /**
   * Whether the work made so many calls on the device.
   *
   * @param repeated whether earlier work has made streams and events
   */
  private static boolean failsAt(
      PeerAct act, Schedule schedule, int device, boolean repeated, int position, int code) {
    TwoDevices two = TwoDevices.open(schedule, position);
    VectorKernels kernels = two.forPeers(1);
    DeviceArray<int[]> away = two.filled(0, 5);
    DeviceArray<int[]> own = two.filled(1, 1);
    if (repeated) {
      act.run(kernels, away, own);
    }
    two.devices.get(device).failCall(position, code);
    boolean failed = false;
    try {
      act.run(kernels, away, own);
    } catch (CudaDriverException e) {
      failed = true;
      assertThat(e.code()).isEqualTo(code);
      assertThat(e.purpose())
          .containsPattern(
              "making stream 18|from device 0 to device 1|add on stream 1|which lost the device");
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
      DeviceArray<int[]> source = act.source(away, own);
      source.fill(source == own ? two.streams.get(1) : two.streams.get(0), 7);
      act.run(kernels, away, own);
      assertThat(List.of(value(away), value(own))).isSubsetOf(7, 14).contains(7);
    }
    // Before the next use: what the simulated device still carries out then, a lost one does not.
    assertThat(two.devices.get(0).findings()).isEmpty();
    DeviceArray<int[]> other = device == 0 ? own : away;
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
  void aLossOfTheDeviceThatCopiesIsNotMetAgainOnTheHost() {
    boolean[] refuses = new boolean[1];
    TwoDevices two =
        TwoDevices.open(
            Schedule.LAZY,
            0,
            (device, method, call) -> {
              if (refuses[0] && device == 1 && method.equals("recordEvent")) {
                throw new CudaDriverException(
                    "cuEventRecord", STICKY, "CUDA_ERROR_ILLEGAL_ADDRESS");
              }
              return call.proceed();
            });
    DeviceArray<int[]> source = two.filled(0, 5);
    DeviceArray<int[]> target = two.filled(1, 1);
    refuses[0] = true;

    assertThat(failure(target, two, source))
        .hasMessageContaining("cuEventRecord")
        .hasNoSuppressedExceptions();
    two.close();
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
