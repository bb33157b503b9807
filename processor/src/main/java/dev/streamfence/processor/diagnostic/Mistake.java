package dev.streamfence.processor.diagnostic;

/** One problem found: its kind, its message and its place in the source. Immutable. */
public record Mistake(Problem problem, String message, Culprit culprit) {}
