package dev.streamfence.internal.ptx.run;

/**
 * A variable in global memory that a module declares outside its functions. Immutable.
 *
 * @param name as in the PTX text
 * @param sizeInBytes its size; 0 for an array of open length
 * @param alignment in bytes, a power of two
 * @param initialized whether the PTX text gives it values; otherwise it starts as zeros
 */
public record PtxVariable(String name, long sizeInBytes, int alignment, boolean initialized) {}
