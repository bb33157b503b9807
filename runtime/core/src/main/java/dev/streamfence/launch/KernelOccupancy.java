package dev.streamfence.launch;

import dev.streamfence.CudaDriverException;
import dev.streamfence.RuntimeClosedException;
import dev.streamfence.internal.launch.LoadedOccupancy;

/**
 * How many threads of one kernel a device runs at the same time. {@link LoadedModule#occupancy}
 * returns it. Thread-safe.
 *
 * <p>Each method asks the driver, which takes the registers and the static shared memory of the
 * kernel into account. None waits for the device. On a simulated device, registers do not count.
 */
public sealed interface KernelOccupancy permits LoadedOccupancy {
  /**
   * How many blocks of the kernel one multiprocessor holds at the same time; 0 if not even one
   * fits.
   *
   * @param blockSize threads per block, at least 1
   * @param dynamicSharedBytes bytes of dynamic shared memory per block, at least 0
   * @throws IllegalArgumentException if one of them is less than its minimum
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, or the driver call fails
   */
  int blocksPerMultiprocessor(int blockSize, int dynamicSharedBytes);

  /**
   * The block size, in threads, with which a multiprocessor runs the most threads at the same time.
   * It is within the kernel's {@code .maxntid}; for a kernel with {@code .reqntid} it is exactly
   * that.
   *
   * @param dynamicSharedBytes bytes of dynamic shared memory per block, at least 0
   * @throws IllegalArgumentException if it is less than 0, or more than any block can have beside
   *     the kernel's static shared memory
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, or the driver call fails
   */
  int suggestedBlockSize(int dynamicSharedBytes);
}
