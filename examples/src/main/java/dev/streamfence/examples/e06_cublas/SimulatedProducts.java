package dev.streamfence.examples.e06_cublas;

import dev.streamfence.simulation.KernelMemory;
import dev.streamfence.simulation.SimulatedLibrary;

/** A Java function in place of cuBLAS, which multiplies on the simulated device. Thread-safe. */
final class SimulatedProducts implements MatrixProducts {
  private final SimulatedLibrary library;

  /** Launches as a library of the simulated device. */
  SimulatedProducts(SimulatedLibrary library) {
    this.library = library;
  }

  @Override
  public void multiply(long stream, long left, long right, long product, int size) {
    library.launch(stream, "sgemm", memory -> multiply(memory, left, right, product, size));
  }

  private static void multiply(KernelMemory memory, long left, long right, long product, int size) {
    for (int row = 0; row < size; row++) {
      for (int column = 0; column < size; column++) {
        float sum = 0;
        for (int k = 0; k < size; k++) {
          sum +=
              memory.getFloat(element(left, row * size + k))
                  * memory.getFloat(element(right, k * size + column));
        }
        memory.putFloat(element(product, row * size + column), sum);
      }
    }
  }

  private static long element(long address, int index) {
    return address + (long) Float.BYTES * index;
  }
}
