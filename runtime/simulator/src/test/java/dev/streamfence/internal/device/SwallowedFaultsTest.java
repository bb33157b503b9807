package dev.streamfence.internal.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.RacyAccessException;
import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.launch.VectorKernels;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import dev.streamfence.simulation.SimulatedLibrary;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A fault that only the runtime itself has met is thrown by its close. */
final class SwallowedFaultsTest {
  private static final int N = 4;

  private static SimulatedDevice device(Schedule schedule) {
    return SimulatedDevice.builder().schedule(schedule).checkUninitializedReads(true).build();
  }

  @ParameterizedTest
  @EnumSource
  void aFaultThatTheReleaseOfForeignMemoryMetIsThrown(Schedule schedule) {
    SimulatedDevice device = device(schedule);
    SimulatedLibrary library = device.library("torch");
    CountDownLatch released = new CountDownLatch(1);
    assertThatThrownBy(
            () -> {
              try (DeviceRuntime gpu = DeviceRuntime.simulated(device);
                  DeviceStream stream = gpu.streams().acquire()) {
                long address = library.allocate(N * Integer.BYTES);
                DeviceArray<int[]> array =
                    gpu.memory()
                        .adopt(
                            stream,
                            ForeignMemory.at(address, N * Integer.BYTES)
                                .alreadyReady()
                                .releasedBy(released::countDown),
                            int[].class);
                // Reads what the library has not written.
                VectorKernels.on(stream).increment(array, N);
                array.close();
                released.await();
              }
            })
        .isInstanceOf(RacyAccessException.class);
    assertThat(released.getCount()).isZero();
  }

  @Test
  void aFaultThatTheFreeOfPinnedMemoryMetIsThrown() {
    assertThatThrownBy(
            () -> {
              try (DeviceRuntime gpu = DeviceRuntime.simulated(device(Schedule.EAGER));
                  DeviceStream stream = gpu.streams().acquire();
                  DeviceArray<int[]> fresh = gpu.memory().allocate(stream, int[].class, N)) {
                PinnedArray<int[]> pinned = gpu.memory().pinned(int[].class, N);
                VectorKernels.on(stream).increment(fresh, N);
                pinned.close();
              }
            })
        .isInstanceOf(RacyAccessException.class);
  }
}
