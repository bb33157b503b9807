/**
 * Compares the declaration of a kernel with its code, PTX or binary, says what differs, and keeps
 * what launches need to know about the code. Not here: the analysis of the code, and what a
 * compiler or a loader makes of a difference.
 */
@NullMarked
package dev.streamfence.internal.ptx.check;

import org.jspecify.annotations.NullMarked;
