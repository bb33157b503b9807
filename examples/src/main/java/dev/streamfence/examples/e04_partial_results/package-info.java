/**
 * A filter whose result is shorter than its array, so that only the values that passed are
 * downloaded. Not here: several columns.
 */
@NullMarked
package dev.streamfence.examples.e04_partial_results;

import org.jspecify.annotations.NullMarked;
