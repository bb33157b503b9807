package dev.streamfence.trace;

import java.time.Duration;

/**
 * How long the device has worked on one kernel. Immutable.
 *
 * @param kernel the method that declares it, with its interface; the entry point if a recorder was
 *     made without one
 * @param launches how many launches were measured and are done
 * @param total the sum of their times
 * @param longest the longest of them
 */
public record KernelTime(String kernel, long launches, Duration total, Duration longest) {}
