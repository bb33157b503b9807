package dev.streamfence.internal.ptx.run.machine;

/** A program's functions and constants once its global variables have addresses. Immutable. */
public final class LinkedCode {
  final ConstantBank constants;

  /** For each function, the content of its registers when it is entered. */
  final long[][] templates;

  final Code[] codes;

  /** Keeps the objects, which nothing may change from now on. */
  public LinkedCode(ConstantBank constants, long[][] templates, Code[] codes) {
    this.constants = constants;
    this.templates = templates;
    this.codes = codes;
  }
}
