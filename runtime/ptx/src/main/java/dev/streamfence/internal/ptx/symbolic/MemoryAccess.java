package dev.streamfence.internal.ptx.symbolic;

import dev.streamfence.internal.ptx.syntax.Instruction;
import org.jspecify.annotations.Nullable;

/**
 * An instruction that reads or writes memory at an address.
 *
 * @param index its place in the function
 * @param block the basic block that contains it
 * @param guard the predicate under which it runs; null if it always does
 * @param width how many bytes it touches; 0 if that is unknown
 */
public record MemoryAccess(
    Instruction instruction,
    int index,
    int block,
    Node address,
    @Nullable Node guard,
    boolean writes,
    int width) {}
