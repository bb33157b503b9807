/**
 * What instructions mean, for all that reads PTX: the table of opcodes, which says what a row reads
 * and writes, how its result depends on its operands, which operation on integers it is, and where
 * control goes; the widths of results and accesses; the operands of calls; and the code of a
 * function: that of the functions that it calls in their place, basic blocks, dominators, loops,
 * and registers divided by assignment. A new instruction is one row of {@code OpcodeTable}: a form
 * of a known operation has bounds and runs on the simulated device without further code. Not here:
 * abstract values, and the arithmetic of the interpreter.
 */
@NullMarked
package dev.streamfence.internal.ptx.ir;

import org.jspecify.annotations.NullMarked;
