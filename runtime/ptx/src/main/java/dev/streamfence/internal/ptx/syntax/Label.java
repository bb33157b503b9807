package dev.streamfence.internal.ptx.syntax;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A name inside a function body that is not a visible register or variable: a branch target, a list
 * of branch targets, a call prototype or, if none of these is found, a name of the module. Changes
 * only while its function is parsed.
 */
public final class Label {
  private final String name;
  private final int line;
  private int target = -1;
  private @Nullable Label outer;
  private List<Label> branchTargets = List.of();
  private @Nullable PtxFunction prototype;

  Label(String name, int line) {
    this.name = name;
    this.line = line;
  }

  /** A label in front of an instruction of a function that no text has. */
  public static Label at(int instruction) {
    Label label = new Label("$L" + instruction, 0);
    label.define(instruction);
    return label;
  }

  public String name() {
    return name;
  }

  int line() {
    return line;
  }

  /** Makes an enclosing scope's label the fallback if this one is not defined. */
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

  void describe(PtxFunction declared) {
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
  public int target() {
    return resolved().target;
  }

  /** Returns the targets in the {@code .branchtargets} of this name. */
  public List<Label> branchTargets() {
    return resolved().branchTargets;
  }

  /** Returns the prototype in the {@code .callprototype} of this name, or null. */
  public @Nullable PtxFunction prototype() {
    return resolved().prototype;
  }

  @Override
  public String toString() {
    return name;
  }
}
