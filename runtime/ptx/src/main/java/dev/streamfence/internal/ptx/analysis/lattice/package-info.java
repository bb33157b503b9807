/**
 * The abstract values of the analysis and their operations: join, widening, and the transfer
 * functions of arithmetic. Not here: instructions, memory objects, and the fixpoint.
 */
@NullMarked
package dev.streamfence.internal.ptx.analysis.lattice;

import org.jspecify.annotations.NullMarked;
