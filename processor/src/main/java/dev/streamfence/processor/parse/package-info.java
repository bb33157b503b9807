/**
 * Turns elements into the model: reads a kernel interface and finds every mistake in it. Public for
 * the processor's root, internal otherwise. Not here: the text of diagnostics, and Java text.
 */
@NullMarked
package dev.streamfence.processor.parse;

import org.jspecify.annotations.NullMarked;
