/** The smallest program: one kernel and one launch. Not here: several streams. */
@NullMarked
package dev.streamfence.examples.e01_saxpy;

import org.jspecify.annotations.NullMarked;
