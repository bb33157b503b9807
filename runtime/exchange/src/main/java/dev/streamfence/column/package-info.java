/**
 * Columns and tables on the device, with the types, bitmaps and offsets of Arrow. Not here:
 * operations on columns; kernels take their arrays.
 */
@NullMarked
package dev.streamfence.column;

import org.jspecify.annotations.NullMarked;
