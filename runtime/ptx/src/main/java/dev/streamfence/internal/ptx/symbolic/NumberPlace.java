package dev.streamfence.internal.ptx.symbolic;

/**
 * A number among a kernel's parameters.
 *
 * @param parameter the index of the parameter
 * @param offset the number's first byte in the parameter, not 0 in a structure only
 * @param bytes its width: 1, 2, 4 or 8
 */
public record NumberPlace(int parameter, int offset, int bytes) {}
