/**
 * The text, identity and position of every diagnostic. Public for the processor's other packages,
 * internal otherwise. Not here: the rules that find problems, and the printing.
 */
@NullMarked
package dev.streamfence.processor.diagnostic;

import org.jspecify.annotations.NullMarked;
