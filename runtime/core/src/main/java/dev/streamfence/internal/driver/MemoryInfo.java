package dev.streamfence.internal.driver;

/**
 * Device memory at one moment. Immutable.
 *
 * @param freeInBytes bytes that the driver can still allocate
 * @param totalInBytes bytes of device memory in all
 */
public record MemoryInfo(long freeInBytes, long totalInBytes) {}
