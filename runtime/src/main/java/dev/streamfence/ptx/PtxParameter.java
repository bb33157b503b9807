package dev.streamfence.ptx;

/**
 * A formal parameter of an entry, as its PTX declares it. Immutable.
 *
 * @param name as in the PTX text
 * @param kind what its declared type tells; a pointer is declared as an integer or as bits
 * @param sizeInBytes its size in the parameter space
 * @param alignment in bytes, a power of two
 */
public record PtxParameter(String name, Kind kind, int sizeInBytes, int alignment) {
  /** What the declared type of a parameter tells about it. */
  public enum Kind {
    /** {@code .u} or {@code .s}: an integer or a pointer. */
    INTEGER,
    /** {@code .f}: a floating-point number. */
    FLOAT,
    /** {@code .b}: its size is all that is known. */
    BITS,
    /** Declared to be a pointer to global memory, by {@code .ptr}. */
    POINTER,
    /** Declared to be a pointer into another space, such as an offset into shared memory. */
    OFFSET,
    /** An array: a structure that is passed by value. */
    STRUCT
  }
}
