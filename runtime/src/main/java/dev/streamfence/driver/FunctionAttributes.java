package dev.streamfence.driver;

/**
 * The limits of one kernel as assembled for one device. Immutable.
 *
 * @param maxThreadsPerBlock most threads that a block of it may have
 * @param staticSharedBytes shared memory that every block of it takes
 */
public record FunctionAttributes(int maxThreadsPerBlock, int staticSharedBytes) {}
