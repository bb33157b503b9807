package dev.streamfence.processor.diagnostic;

import javax.lang.model.element.ExecutableElement;

/**
 * Where the parts of a kernel stand in the source. Immutable.
 *
 * @param method its method
 * @param entry what names its entry: the value of {@code @Kernel} where it is written out
 * @param blockSize what says how many threads a block has, where it is written out
 */
public record KernelPlaces(ExecutableElement method, Culprit entry, Culprit blockSize) {}
