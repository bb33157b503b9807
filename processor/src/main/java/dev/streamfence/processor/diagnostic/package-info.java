/**
 * The text and identity of every complaint, and the place it is about. Public for the processor's
 * other rooms, internal otherwise. Not here: the rules that find them, nor their printing.
 */
@NullMarked
package dev.streamfence.processor.diagnostic;

import org.jspecify.annotations.NullMarked;
