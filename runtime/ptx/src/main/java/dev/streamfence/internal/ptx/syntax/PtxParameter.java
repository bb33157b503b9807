package dev.streamfence.internal.ptx.syntax;

/**
 * A formal parameter of an entry, as its PTX declares it. Immutable.
 *
 * @param name as in the PTX text
 * @param kind the kind of its declared type; a pointer is usually declared as an integer or as bits
 * @param sizeInBytes its size in the parameter space
 * @param alignment in bytes, a power of two
 */
public record PtxParameter(String name, ParameterKind kind, int sizeInBytes, int alignment) {
  /** The kind of a parameter's declared type. */
  public enum ParameterKind {
    /** {@code .u} or {@code .s}: an integer or a pointer. */
    INTEGER,
    /** {@code .f}: a floating-point number. */
    FLOAT,
    /** {@code .b}: only its size is known. */
    BITS,
    /** Declared to be a pointer to global memory, by {@code .ptr}. */
    POINTER,
    /** Declared to be a pointer into another space, such as an offset into shared memory. */
    OFFSET,
    /** An array: a structure that is passed by value. */
    STRUCT
  }
}
