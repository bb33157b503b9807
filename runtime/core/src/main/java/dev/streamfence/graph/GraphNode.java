package dev.streamfence.graph;

import dev.streamfence.trace.WorkKind;

/**
 * A node of a graph: one launch, copy or fill, or a condition with nodes of its own. Immutable.
 *
 * @param index its place among the nodes, which are in the order of the calls
 * @param kind what it is
 * @param name the method that declares the kernel, {@code while} or {@code if}, or the kind in
 *     words
 * @param detail its shape or what else there is to say; may be empty
 * @param bytes how many bytes it copies or fills; 0 for a launch or a condition
 * @param stream the number of the stream that the call has named, for a condition that of its first
 *     node; it orders nothing
 * @param parent the index of the condition that repeats it or leaves it out; -1 if there is none
 */
public record GraphNode(
    int index, WorkKind kind, String name, String detail, long bytes, int stream, int parent) {}
