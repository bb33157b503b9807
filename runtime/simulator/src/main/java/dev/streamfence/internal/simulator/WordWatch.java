package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Watches whether one launch touches an array only in words that are narrower than its elements,
 * and neighbouring threads only neighbouring words: the array is probably of the wrong type.
 * Vectors, atomics, single bytes, wider accesses and other strides are no such sign. Confined to
 * the driver's lock.
 */
final class WordWatch {
  /** With fewer, the stride may be chance: these are the words of two elements. */
  private static final int LEAST_NEIGHBOURS = 3;

  /** The first access that a thread made by an instruction. */
  private record ThreadAccess(int x, int y, int z, long address) {
    boolean isOf(Lane lane, int neighbour) {
      return lane.x == x + neighbour && lane.y == y && lane.z == z;
    }
  }

  private final Use use;
  private final Map<Instruction, ThreadAccess> last = new HashMap<>();
  private int width;
  private int neighbours;
  private @Nullable Instruction site;

  WordWatch(Use use) {
    this.use = use;
  }

  /** Whether watching an array can tell anything. */
  static boolean isWorthwhile(Use use) {
    return use.elementBytes() > 2;
  }

  /** Records an access; returns whether it leaves the sign in place. */
  boolean accessed(@Nullable Lane lane, long address, int bytes) {
    Instruction instruction = lane == null ? null : lane.instruction();
    if (lane == null
        || instruction == null
        || bytes == 1
        || bytes >= use.elementBytes()
        || (width != 0 && width != bytes)) {
      return false;
    }
    width = bytes;
    ThreadAccess before = last.get(instruction);
    if (before == null && !isPlain(instruction)) {
      return false;
    }
    if (before != null && before.isOf(lane, 0)) {
      // A later round of a loop, in which the neighbour may never have been.
      return true;
    }
    last.put(instruction, new ThreadAccess(lane.x, lane.y, lane.z, address));
    if (before == null || !before.isOf(lane, 1)) {
      return true;
    }
    long stride = Math.abs(address - before.address());
    if (stride == width) {
      neighbours++;
      site = site == null ? instruction : site;
    }
    return stride == width || stride == 0;
  }

  private static boolean isPlain(Instruction instruction) {
    boolean moves = instruction.opcode().equals("ld") || instruction.opcode().equals("st");
    return moves
        && !instruction.modifiers().contains("v2")
        && !instruction.modifiers().contains("v4")
        && !instruction.modifiers().contains("v8");
  }

  /** The instruction that shows it; null as long as nothing does. */
  @Nullable Instruction site() {
    return neighbours < LEAST_NEIGHBOURS ? null : site;
  }

  String parameter() {
    return use.parameter();
  }

  @Override
  public String toString() {
    return "parameter '"
        + use.parameter()
        + "' is "
        + use.argument()
        + ", whose elements have "
        + use.elementBytes()
        + " bytes, but the kernel only touches words of "
        + width
        + " bytes at a stride of "
        + width;
  }
}
