package dev.streamfence.processor.diagnostic;

/** One complaint: what, in which words, and about which piece of source. Immutable. */
public record Finding(Problem problem, String message, Culprit culprit) {}
