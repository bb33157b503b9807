package dev.streamfence.internal.driver;

/**
 * The limits of one kernel as assembled for one device. Immutable.
 *
 * @param maxThreadsPerBlock largest number of threads in a block of this kernel
 * @param staticSharedBytes shared memory that each block of this kernel takes
 */
public record FunctionAttributes(int maxThreadsPerBlock, int staticSharedBytes) {}
