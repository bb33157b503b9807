/** A sequence of launches that is recorded once and runs often. Not here: arrays that change. */
@NullMarked
package dev.streamfence.examples.e10_graphs;

import org.jspecify.annotations.NullMarked;
