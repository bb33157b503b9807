package dev.streamfence.ptx;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A name inside a function body that is not a register or variable in sight: a branch target, a
 * list of them, a call prototype, or, if nothing of the kind turns up, a name of the module.
 * Changed while its function is parsed, never after.
 */
final class Label {
  private final String name;
  private final int line;
  private int target = -1;
  private @Nullable Label outer;
  private List<Label> branchTargets = List.of();
  private @Nullable Function prototype;

  Label(String name, int line) {
    this.name = name;
    this.line = line;
  }

  String name() {
    return name;
  }

  int line() {
    return line;
  }

  /** Says that what is not defined here is looked for there. */
  void delegateTo(Label enclosing) {
    outer = enclosing;
  }

  void define(int instruction) {
    target = instruction;
  }

  boolean isDefinedHere() {
    return target >= 0;
  }

  void listTargets(List<Label> targets) {
    branchTargets = List.copyOf(targets);
  }

  void describe(Function declared) {
    prototype = declared;
  }

  private Label resolved() {
    Label label = this;
    while (label.target < 0 && label.outer != null) {
      label = label.outer;
    }
    return label;
  }

  /**
   * Returns the index of the instruction that follows the label, or -1 if there is no such label.
   */
  int target() {
    return resolved().target;
  }

  /** Returns what a {@code .branchtargets} with this name lists. */
  List<Label> branchTargets() {
    return resolved().branchTargets;
  }

  /** Returns what a {@code .callprototype} with this name declares, or null. */
  @Nullable Function prototype() {
    return resolved().prototype;
  }

  @Override
  public String toString() {
    return name;
  }
}
