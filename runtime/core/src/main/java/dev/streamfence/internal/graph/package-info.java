/**
 * Graphs: recorded by running code in a runtime that makes nodes of its work, and launched as one
 * piece of work. Not here: which nodes depend on which ({@code recording}).
 */
@NullMarked
package dev.streamfence.internal.graph;

import org.jspecify.annotations.NullMarked;
