package dev.streamfence.internal.ptx.check;

/**
 * One difference between a variable of a module and its declaration. Immutable.
 *
 * @param kind its kind
 * @param sentence what differs, without a full stop; names the variable
 */
public record SymbolMismatch(SymbolDifference kind, String sentence) {
  /** The kind of a difference. */
  public enum SymbolDifference {
    /** The module has no such variable; the sentence names those that it has. */
    NO_VARIABLE,
    /** Its size or its alignment does not fit the elements. */
    LAYOUT,
    /**
     * It holds numbers of another width, or integers instead of floating-point numbers or the
     * reverse.
     */
    KIND
  }
}
