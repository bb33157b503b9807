package dev.streamfence.graph;

import dev.streamfence.trace.WorkKind;

/**
 * A node of a graph: one launch, copy or fill. Immutable.
 *
 * @param index its place among the nodes, which are in the order of the calls
 * @param kind what it is
 * @param name the method that declares the kernel, or the kind in words
 * @param detail its shape or what else there is to say; may be empty
 * @param bytes how many bytes it copies or fills; 0 for a launch
 * @param stream the number of the stream that the call has named; it orders nothing
 */
public record GraphNode(
    int index, WorkKind kind, String name, String detail, long bytes, int stream) {}
