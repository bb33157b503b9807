package dev.streamfence.internal.ptx.analysis.lattice;

/** What a caller declares a parameter of a kernel to be, before its code is looked at. */
public enum ParameterRole {
  /** A pointer: in a sum with others, it is the one that says which memory is meant. */
  BUFFER,
  /**
   * A number: it is not blamed for being an offset, nor for being stored or passed on. If it alone
   * becomes an address, that is reported nevertheless.
   */
  NUMBER,
  /**
   * Not known: it may be a pointer. What is multiplied by an unknown number is taken for an index
   * into what it is added to.
   */
  EITHER
}
