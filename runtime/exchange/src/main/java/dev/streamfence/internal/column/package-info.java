/**
 * Implements columns and tables over the arrays of the runtime: their checks, their views and who
 * closes what. Not here: kernels that take them, and other libraries' formats.
 */
@NullMarked
package dev.streamfence.internal.column;

import org.jspecify.annotations.NullMarked;
