/** The figures of a runtime as meters of Micrometer. Not here: a server that publishes them. */
@NullMarked
package dev.streamfence.examples.e08_metrics;

import org.jspecify.annotations.NullMarked;
