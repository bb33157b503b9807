package dev.streamfence.ptx;

/**
 * What {@code .loc} says about the instructions after it. Of an inlined function it is the
 * innermost position.
 *
 * @param file a number that a {@code .file} gives a name, often at the end of the text
 * @param line counted from 1; 0 when the compiler knew none
 */
record SourceLine(long file, long line) {
  static final SourceLine NONE = new SourceLine(0, 0);
}
