package dev.streamfence.internal.order;

/** Work that a test puts on a stream, with its name. */
public record NamedUse(String purpose) implements UseLabels {}
