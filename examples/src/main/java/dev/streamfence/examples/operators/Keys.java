package dev.streamfence.examples.operators;

import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Reads;
import java.util.List;

/**
 * The keys of rows, as the kernels take them.
 *
 * @param numbers for each column of the key, a number per row
 * @param known for each column, a byte per row that is 0 for null; empty if no row is null
 * @param columns how many
 */
record Keys(
    @Reads List<? extends ReadableArray<long[]>> numbers,
    @Reads List<? extends ReadableArray<byte[]>> known,
    int columns) {}
