/**
 * Compares the declaration of a kernel with its code, PTX or binary. Not here: the analysis of the
 * code, and the words in which a compiler or a loader reports a mismatch.
 */
@NullMarked
package dev.streamfence.internal.ptx.check;

import org.jspecify.annotations.NullMarked;
