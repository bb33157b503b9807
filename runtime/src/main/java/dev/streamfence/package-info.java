/**
 * The public API: the runtime of a device, its streams and arrays, launch shapes and all
 * exceptions.
 *
 * <p>Each class says which of three threading rules it follows: <i>immutable</i>,
 * <i>thread-safe</i>, or <i>confined to one thread at a time</i>.
 */
@NullMarked
package dev.streamfence;

import org.jspecify.annotations.NullMarked;
