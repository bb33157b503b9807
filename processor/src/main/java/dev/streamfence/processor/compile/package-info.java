/**
 * Runs a CUDA compiler of the user's choice on one source, and reads what it says. Not here: which
 * source is compiled, where its PTX goes, and what becomes of its messages.
 */
@NullMarked
package dev.streamfence.processor.compile;

import org.jspecify.annotations.NullMarked;
