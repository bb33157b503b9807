/**
 * Graphs: sequences of launches, fills and copies that are recorded once and run with one call. A
 * {@link dev.streamfence.DeviceRuntime#graph runtime} records them. Not here: the launchers, which
 * are the same inside and outside of a graph.
 */
@NullMarked
package dev.streamfence.graph;

import org.jspecify.annotations.NullMarked;
