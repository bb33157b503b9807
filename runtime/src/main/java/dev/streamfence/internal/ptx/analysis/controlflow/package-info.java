/**
 * One function prepared for the analysis: the effect of each opcode, the instructions that can be
 * reached, and the registers split by assignment. Not here: abstract values.
 */
@NullMarked
package dev.streamfence.internal.ptx.analysis.controlflow;

import org.jspecify.annotations.NullMarked;
