package dev.streamfence.examples.e06_cublas;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.Arrays;

/**
 * The third power of a matrix, twice. A kernel squares the matrix on one stream; cuBLAS multiplies
 * the square on another stream, and the kernel does the same on its own. The call of cuBLAS
 * declares what it reads and writes, so it waits for the square, and the download waits for it.
 */
public final class Cubes {
  private final float[] byLibrary;
  private final float[] byKernel;

  private Cubes(float[] byLibrary, float[] byKernel) {
    this.byLibrary = byLibrary;
    this.byKernel = byKernel;
  }

  /** Prints both cubes of a small matrix. */
  public static void main(String[] arguments) {
    float[] matrix = {1, 2, 0, 0, 1, 3, 4, 0, 1};
    if (DeviceRuntime.isGpuAvailable()) {
      try (DeviceRuntime gpu = DeviceRuntime.open(0);
          DeviceStream stream = gpu.streams().acquire();
          CuBlas library = CuBlas.on(stream)) {
        System.out.println(of(gpu, library, matrix, 3));
      }
    } else {
      SimulatedDevice simulated = SimulatedDevice.builder().build();
      MatrixProducts library = new SimulatedProducts(simulated.library("cublas"));
      try (DeviceRuntime device = DeviceRuntime.simulated(simulated)) {
        System.out.println(of(device, library, matrix, 3));
      }
    }
  }

  /** Computes the cubes of a square matrix with {@code size} rows. Waits for the device. */
  static Cubes of(DeviceRuntime device, MatrixProducts library, float[] matrix, int size) {
    int n = matrix.length;
    try (DeviceStream ours = device.streams().acquire();
        DeviceStream theirs = device.streams().acquire();
        DeviceArray<float[]> once = device.memory().upload(ours, matrix);
        DeviceArray<float[]> square = device.memory().allocate(ours, float[].class, n);
        DeviceArray<float[]> byLibrary = device.memory().allocate(theirs, float[].class, n);
        DeviceArray<float[]> byKernel = device.memory().allocate(ours, float[].class, n)) {
      MatrixKernels kernels = MatrixKernelsLauncher.on(ours);
      kernels.multiply(once, once, square, size, n);
      theirs.submit(
          "sgemm",
          uses -> uses.reads(square).reads(once).writes(byLibrary),
          call ->
              library.multiply(
                  call.streamHandle(),
                  call.address(square),
                  call.address(once),
                  call.address(byLibrary),
                  size));
      kernels.multiply(square, once, byKernel, size, n);
      return new Cubes(byLibrary.download(ours), byKernel.download(ours));
    }
  }

  /** The cube that the library computed. */
  float[] byLibrary() {
    return byLibrary;
  }

  /** The cube that the kernel computed. */
  float[] byKernel() {
    return byKernel;
  }

  @Override
  public String toString() {
    return "by the library "
        + Arrays.toString(byLibrary)
        + "\nby the kernel  "
        + Arrays.toString(byKernel);
  }
}
