package dev.streamfence.internal.ptx.check;

/** How a kernel receives a parameter. */
public enum Passing {
  /** A number or a structure. */
  BY_VALUE,
  /** The address of an array. */
  ARRAY,
  /** The address of a table of arrays' addresses. */
  TABLE
}
