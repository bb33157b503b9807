/**
 * Arithmetic on register values with the results of a device: integers, floating-point formats,
 * rounding, comparisons. Not here: instructions and threads.
 */
@NullMarked
package dev.streamfence.internal.ptx.run.arithmetic;

import org.jspecify.annotations.NullMarked;
