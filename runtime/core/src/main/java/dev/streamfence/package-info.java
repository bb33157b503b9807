/**
 * The public API: the runtime of a device, its streams and arrays, and all exceptions. Not here:
 * sources of memory, memory and calls of other code, launches, columns and the simulation.
 *
 * <p>Each class says which of three threading rules it follows: <i>immutable</i>,
 * <i>thread-safe</i>, or <i>confined to one thread at a time</i>.
 */
@NullMarked
package dev.streamfence;

import org.jspecify.annotations.NullMarked;
