/**
 * One function prepared for the analysis: the rule of each opcode, the basic blocks that control
 * can reach, and registers divided by assignment. Not here: abstract values, and calls.
 */
@NullMarked
package dev.streamfence.internal.ptx.ir;

import org.jspecify.annotations.NullMarked;
