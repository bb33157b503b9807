/**
 * Finds, for each parameter of a kernel, the instructions that load from or store to the memory
 * behind it, without running the kernel. Not here: values of one register at one point ({@code
 * lattice}), the order of instructions ({@code controlflow}), and declarations.
 */
@NullMarked
package dev.streamfence.internal.ptx.analysis;

import org.jspecify.annotations.NullMarked;
