package dev.streamfence.internal.ptx.syntax;

/**
 * A register that a function declares and uses. Registers of one function have distinct indexes,
 * even if an inner scope hides a name.
 *
 * @param vectorLength 1 for a scalar; elements of a vector take consecutive indexes
 * @param index the index of its (first) value in the function's register file
 */
public record Register(String name, ScalarType type, int vectorLength, int index) {}
