package dev.streamfence.examples.e06_cublas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.simulation.Schedule;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CubesTest {
  /** Small whole numbers, of which floats hold every sum exactly. */
  private static float[] matrix(int size) {
    Random random = new Random(3);
    float[] matrix = new float[size * size];
    for (int i = 0; i < matrix.length; i++) {
      matrix[i] = random.nextInt(7) - 3;
    }
    return matrix;
  }

  private static float[] times(float[] left, float[] right, int size) {
    float[] product = new float[size * size];
    for (int i = 0; i < product.length; i++) {
      for (int k = 0; k < size; k++) {
        product[i] += left[i / size * size + k] * right[k * size + i % size];
      }
    }
    return product;
  }

  private static void verify(Cubes cubes, float[] matrix, int size) {
    float[] cube = times(times(matrix, matrix, size), matrix, size);
    assertThat(cubes.byKernel()).isEqualTo(cube);
    assertThat(cubes.byLibrary()).isEqualTo(cube);
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void theLibraryAndTheKernelAgreeOnEverySchedule(Schedule schedule) {
    SimulatedDevice simulated =
        SimulatedDevice.builder().schedule(schedule).checkUninitializedReads(true).build();
    MatrixProducts library = new SimulatedProducts(simulated.library("cublas"));
    try (DeviceRuntime device = DeviceRuntime.simulated(simulated)) {
      verify(Cubes.of(device, library, matrix(11), 11), matrix(11), 11);
      assertThat(device.memory().statistics().liveBytes()).isZero();
    }
    assertThat(simulated.findings()).isEmpty();
  }

  @Test
  @Tag("gpu")
  void cuBlasAndTheKernelAgreeOnTheGpu() {
    assumeTrue(DeviceRuntime.isGpuAvailable(), "there is no GPU here");
    try (DeviceRuntime gpu = DeviceRuntime.open(0);
        DeviceStream stream = gpu.streams().acquire();
        CuBlas library = CuBlas.on(stream)) {
      verify(Cubes.of(gpu, library, matrix(100), 100), matrix(100), 100);
    }
  }
}
