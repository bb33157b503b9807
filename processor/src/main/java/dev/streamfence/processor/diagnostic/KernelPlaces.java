package dev.streamfence.processor.diagnostic;

import javax.lang.model.element.ExecutableElement;

/**
 * The places of a kernel's parts in the source. Immutable.
 *
 * @param method its method
 * @param entry the place of its entry's name: the value of {@code @Kernel} if explicit
 * @param blockSize the place of its required block or block size: the attribute of {@code @Kernel}
 *     if explicit
 */
public record KernelPlaces(ExecutableElement method, Culprit entry, Culprit blockSize) {}
