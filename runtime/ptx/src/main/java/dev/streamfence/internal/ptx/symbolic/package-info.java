/**
 * The code of a kernel, and what it computes, symbolically: its registers in static single
 * assignment as operations on the numbers of a launch and a thread, its accesses to memory, and the
 * conditions under which control gets there. The bounds of arrays and the races between threads are
 * derived from it.
 *
 * <p>Not here: what follows for a launch; which memory an address without a formula leads to, which
 * {@code analysis} finds out.
 */
@NullMarked
package dev.streamfence.internal.ptx.symbolic;

import org.jspecify.annotations.NullMarked;
