/**
 * Translates the instructions of a function to executable steps, one class per group of
 * instructions. Not here: the machine that executes the steps, and modules as a whole.
 */
@NullMarked
package dev.streamfence.internal.ptx.run.instruction;

import org.jspecify.annotations.NullMarked;
