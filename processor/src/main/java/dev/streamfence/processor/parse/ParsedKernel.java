package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.KernelPlaces;
import dev.streamfence.processor.model.KernelMethod;

/**
 * A kernel as a value, and where it stands in the source. Immutable.
 *
 * @param kernel the kernel, in which nothing is wrong
 * @param places where its parts stand
 */
public record ParsedKernel(KernelMethod kernel, KernelPlaces places) {}
