package dev.streamfence.examples.operators;

import dev.streamfence.ReadableArray;
import dev.streamfence.annotation.Optional;
import dev.streamfence.annotation.Reads;
import org.jspecify.annotations.Nullable;

/**
 * A 64-bit number per row, as the kernels take it: an integer, a decimal without its point, days
 * since 1970-01-01, 0 or 1 for a condition, or the bits of a double.
 *
 * @param numbers one per row; of a null row, any
 * @param known a byte per row, 0 for null; null if no row is null
 */
record Vector(
    @Reads @Optional @Nullable ReadableArray<long[]> numbers,
    @Reads @Optional @Nullable ReadableArray<byte[]> known) {}
