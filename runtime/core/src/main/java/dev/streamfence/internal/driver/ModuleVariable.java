package dev.streamfence.internal.driver;

/**
 * A variable of a loaded module, in global or constant memory. Immutable.
 *
 * @param address of its first byte, as copies and fills take it
 * @param sizeInBytes its size
 */
public record ModuleVariable(long address, long sizeInBytes) {}
