package dev.streamfence.graph;

/**
 * Counts of one graph. Immutable.
 *
 * @param nodes its launches, copies, fills and conditions
 * @param edges its edges
 * @param impliedEdges how many edges were left out, because others imply them
 * @param launches how often it was launched
 * @param updatedNodes how often a node got other arguments, since an input was bound or a number
 *     set
 * @param updates how often it was recorded again and the driver could change the graph that it had
 * @param sharedBytes bytes that arrays closed by its code did not need, because other such arrays
 *     lent them theirs
 */
public record GraphStatistics(
    int nodes,
    int edges,
    int impliedEdges,
    long launches,
    long updatedNodes,
    long updates,
    long sharedBytes) {}
