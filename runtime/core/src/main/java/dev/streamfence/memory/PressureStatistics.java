package dev.streamfence.memory;

import java.time.Duration;

/**
 * How often {@link MemoryTask}s of a runtime waited for memory, and what ended the waits.
 * Immutable; other tasks may go on while the figures are read.
 *
 * @param tasks tasks that are open
 * @param waiting tasks that wait now
 * @param waits requests that waited, those that still do included
 * @param waited how long the waits took that have ended
 * @param retries waits that ended because the task had to give way
 * @param splits requests that ended because the task had to ask for less
 * @param refusals waits that ended because the task's patience did, or by an interrupt
 * @param spilling what spillable arrays have copied away from the device and back
 */
public record PressureStatistics(
    int tasks,
    int waiting,
    long waits,
    Duration waited,
    long retries,
    long splits,
    long refusals,
    SpillStatistics spilling) {}
