package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.List;

/**
 * The access of a kernel that touches the farthest byte of an array in a launch.
 *
 * @param writes whether it writes
 * @param arguments the indexes of the numbers of the launch that decide where it lies
 */
public record ReachedAccess(Instruction instruction, boolean writes, List<Integer> arguments) {
  static ReachedAccess of(CertainAccess access) {
    return new ReachedAccess(access.instruction(), access.writes(), access.arguments());
  }
}
