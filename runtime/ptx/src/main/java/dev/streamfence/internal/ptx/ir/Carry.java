package dev.streamfence.internal.ptx.ir;

import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.Set;

/** The carry flag, which links the instructions of an addition in several steps. Stateless. */
public final class Carry {
  private static final Set<String> ADDING = Set.of("addc", "subc", "madc");
  private static final Set<String> ASSIGNING = Set.of("add", "sub", "mad", "addc", "subc", "madc");

  private Carry() {}

  /** Returns whether an instruction adds the flag to its result. */
  public static boolean isAdded(Instruction instruction) {
    return ADDING.contains(instruction.opcode());
  }

  /** Returns whether an instruction assigns to the flag. */
  public static boolean isAssigned(Instruction instruction) {
    return ASSIGNING.contains(instruction.opcode()) && instruction.modifiers().contains("cc");
  }
}
