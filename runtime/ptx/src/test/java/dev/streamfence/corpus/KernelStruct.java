package dev.streamfence.corpus;

/** A structure that a kernel takes by value. */
public record KernelStruct(byte[] bytes) {}
