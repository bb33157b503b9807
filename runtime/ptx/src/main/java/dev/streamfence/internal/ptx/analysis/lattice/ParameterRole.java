package dev.streamfence.internal.ptx.analysis.lattice;

/** The role that a caller declares for a parameter of a kernel. */
public enum ParameterRole {
  /** A pointer; in a sum with other parameters, it is the base. */
  BUFFER,
  /**
   * A pointer to a table of addresses, the contents of which are buffers. In a sum, it is the base
   * like any other buffer.
   */
  TABLE,
  /**
   * A number. Its use as an offset, stores of it, and calls with it are not reported; an access
   * whose address derives from it alone is.
   */
  NUMBER,
  /**
   * Unknown; the parameter may be a pointer. Its product with an unknown number counts as an index
   * into the memory whose address it is added to.
   */
  EITHER
}
