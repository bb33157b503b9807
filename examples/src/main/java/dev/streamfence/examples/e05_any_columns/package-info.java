/**
 * A filter over any number of columns, whose caller never waits for the device. Not here: several
 * streams.
 */
@NullMarked
package dev.streamfence.examples.e05_any_columns;

import org.jspecify.annotations.NullMarked;
