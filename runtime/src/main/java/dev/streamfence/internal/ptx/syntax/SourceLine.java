package dev.streamfence.internal.ptx.syntax;

/**
 * The position that {@code .loc} gives to the instructions after it; in an inlined function, the
 * innermost position.
 *
 * @param file the number of a file, which a {@code .file} names, often at the end of the text
 * @param line counted from 1; 0 when the compiler knew none
 */
record SourceLine(long file, long line) {
  static final SourceLine NONE = new SourceLine(0, 0);
}
