/**
 * What instructions mean, for all that reads PTX: the table of opcodes, which says what a row reads
 * and writes and how its result depends on its operands; the widths of results and accesses; the
 * operands of calls; and the code of a function: basic blocks, dominators, loops, and registers
 * divided by assignment. A new instruction is one row of {@code OpcodeTable}. Not here: abstract
 * values, and the arithmetic of the interpreter.
 */
@NullMarked
package dev.streamfence.internal.ptx.ir;

import org.jspecify.annotations.NullMarked;
