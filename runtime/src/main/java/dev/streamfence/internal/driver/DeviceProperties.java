package dev.streamfence.internal.driver;

/**
 * The properties of a device. Immutable.
 *
 * @param name the product, such as {@code NVIDIA A100}, or {@code simulated device}
 * @param ordinal its number among the devices of the driver
 * @param computeMajor compute capability, first number
 * @param computeMinor compute capability, second number
 * @param driverVersion as {@code cuDriverGetVersion} returns it, 1000 × major + 10 × minor
 * @param totalMemoryInBytes total device memory
 * @param multiprocessors number of streaming multiprocessors
 * @param maxThreadsPerBlock largest product of the three block sizes
 * @param maxBlockX largest block in x
 * @param maxBlockY largest block in y
 * @param maxBlockZ largest block in z
 * @param maxGridX largest number of blocks in x
 * @param maxGridY largest number of blocks in y
 * @param maxGridZ largest number of blocks in z
 * @param sharedBytesPerBlock shared memory of a block without opting in to more
 * @param sharedBytesPerBlockOptIn shared memory of a block after {@link
 *     CudaDriver#allowDynamicSharedBytes}
 */
public record DeviceProperties(
    String name,
    int ordinal,
    int computeMajor,
    int computeMinor,
    int driverVersion,
    long totalMemoryInBytes,
    int multiprocessors,
    int maxThreadsPerBlock,
    int maxBlockX,
    int maxBlockY,
    int maxBlockZ,
    int maxGridX,
    int maxGridY,
    int maxGridZ,
    int sharedBytesPerBlock,
    int sharedBytesPerBlockOptIn) {}
