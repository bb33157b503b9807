/**
 * The native structures by which libraries of one process pass each other device memory: DLPack's
 * tensors, and the arrays and schemas of Arrow's C device interface. It reads them into immutable
 * descriptions, calls their deleters, and builds those that others take. Not here: streams, arrays
 * and tables, and what a tracked allocation does with such memory.
 *
 * <p>A structure that is refused has not been changed, and its deleter has not been called: it is
 * still its owner's.
 */
@NullMarked
package dev.streamfence.internal.exchange;

import org.jspecify.annotations.NullMarked;
