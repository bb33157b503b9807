/**
 * Compares a kernel interface with the code that it names, and says where they differ. Public for
 * the processor's root, internal otherwise. Not here: how the code is found, nor how it is
 * analysed.
 */
@NullMarked
package dev.streamfence.processor.verify;

import org.jspecify.annotations.NullMarked;
