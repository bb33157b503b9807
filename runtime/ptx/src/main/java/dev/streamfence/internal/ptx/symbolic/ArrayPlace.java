package dev.streamfence.internal.ptx.symbolic;

/**
 * An array among a kernel's parameters.
 *
 * @param parameter the index of the parameter that holds its address
 * @param offset the address's first byte in the parameter, not 0 in a structure only
 */
public record ArrayPlace(int parameter, int offset) {}
