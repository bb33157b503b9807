/**
 * The threads of one block and what they share: lanes, warps, barriers, call frames, memory, faults
 * and limits. Not here: the meaning of single instructions, and modules.
 */
@NullMarked
package dev.streamfence.internal.ptx.run.machine;

import org.jspecify.annotations.NullMarked;
