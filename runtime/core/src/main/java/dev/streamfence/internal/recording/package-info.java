/**
 * Graphs under construction: the nodes that work becomes, the edges that follow from the memory of
 * the nodes, and what a graph keeps until its end. Internal. Not here: running the code of a graph,
 * and launches of graphs.
 */
@NullMarked
package dev.streamfence.internal.recording;

import org.jspecify.annotations.NullMarked;
