/**
 * Compares a kernel interface with the code that it names, and reports differences. Public for the
 * processor's root, internal otherwise. Not here: finding and analysing the code.
 */
@NullMarked
package dev.streamfence.processor.verify;

import org.jspecify.annotations.NullMarked;
