package dev.streamfence.internal.exchange;

/**
 * A range of memory that holds the elements of one array. Immutable.
 *
 * @param address of the first element; 0 without elements
 * @param length how many elements
 * @param sizeInBytes of all of them
 */
public record ElementMemory(long address, long length, long sizeInBytes) {}
