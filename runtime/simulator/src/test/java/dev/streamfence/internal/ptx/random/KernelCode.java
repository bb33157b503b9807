package dev.streamfence.internal.ptx.random;

/** The text of a kernel that is being written. */
final class KernelCode {
  private final StringBuilder text = new StringBuilder();
  private int words;
  private int wides;
  private int predicates;
  private int labels;

  void emit(String format, Object... operands) {
    text.append(String.format(format, operands)).append(";\n");
  }

  String word() {
    return "%r" + words++;
  }

  String wide() {
    return "%rd" + wides++;
  }

  String predicate() {
    return "%p" + predicates++;
  }

  String label() {
    return "L" + labels++;
  }

  void at(String label) {
    text.append(label).append(":\n");
  }

  /** A module with the kernel, {@code k}. */
  String module(String global, String parameters, String variables) {
    return ".version 7.8\n.target sm_80\n.address_size 64\n"
        + (global + ".visible .entry k(" + parameters + ")\n{\n" + variables)
        + (".reg .pred %p<" + (predicates + 1) + ">;\n")
        + (".reg .b32 %r<" + (words + 1) + ">;\n")
        + (".reg .b64 %rd<" + (wides + 1) + ">;\n")
        + (text + "ret;\n}\n");
  }
}
