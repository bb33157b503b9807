package dev.streamfence.examples.operators;

import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Reads;

/**
 * A column of text, as the kernels take it.
 *
 * @param offsets where each text begins and the last one ends
 * @param bytes of all texts
 */
record Texts(@Reads ReadableArray<int[]> offsets, @Reads ReadableArray<byte[]> bytes) {}
