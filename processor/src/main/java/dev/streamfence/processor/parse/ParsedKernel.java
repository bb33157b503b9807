package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.KernelPlaces;
import dev.streamfence.processor.model.KernelMethod;

/**
 * A kernel as a value, and its place in the source. Immutable.
 *
 * @param kernel the kernel, without mistakes
 * @param places the places of its parts
 */
public record ParsedKernel(KernelMethod kernel, KernelPlaces places) {}
