/**
 * Columns and arrays of other libraries: adopts the memory that their structures describe, and
 * lends them the memory of ours. Not here: the layout of those structures.
 */
@NullMarked
package dev.streamfence.internal.column.foreign;

import org.jspecify.annotations.NullMarked;
