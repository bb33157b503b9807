/**
 * The abstract values of the analysis and the arithmetic on them: the parameters and variables that
 * a value may derive from, and in what way. Not here: instructions, memory, and the fixpoint.
 */
@NullMarked
package dev.streamfence.internal.ptx.analysis.lattice;

import org.jspecify.annotations.NullMarked;
