package dev.streamfence;

/**
 * What was put on one stream since it was created, by all who have had it. Immutable.
 *
 * @param stream the number of the stream, as in {@link DeviceStream#id}
 * @param name the stream in words: those of other code, and those that the runtime keeps for long
 *     transfers, have names of their own
 * @param submitted pieces of work: launches, copies, fills, allocations, frees and calls of other
 *     code
 * @param completed how many of them the host knows to be done; it asks the device only when it must
 * @param waits how often the stream was made to wait for another one
 */
public record StreamStatistics(
    int stream, String name, long submitted, long completed, long waits) {}
