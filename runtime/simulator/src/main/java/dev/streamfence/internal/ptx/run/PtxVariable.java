package dev.streamfence.internal.ptx.run;

/**
 * A variable in global or constant memory that a module declares. Immutable.
 *
 * @param name as in the PTX text
 * @param sizeInBytes its size; 0 for an array of open length
 * @param alignment in bytes, a power of two
 * @param initialized whether the PTX text gives it values; otherwise it starts as zeros
 * @param isOfModule whether it is declared and defined outside the functions, and so has a name
 *     that the host can ask for, and is not empty
 */
public record PtxVariable(
    String name, long sizeInBytes, int alignment, boolean initialized, boolean isOfModule) {}
