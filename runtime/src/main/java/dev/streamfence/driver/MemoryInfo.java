package dev.streamfence.driver;

/**
 * Device memory at one moment. Immutable.
 *
 * @param freeInBytes what the driver could still hand out
 * @param totalInBytes what the device has
 */
public record MemoryInfo(long freeInBytes, long totalInBytes) {}
