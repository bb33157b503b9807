package dev.streamfence.internal.ptx.syntax;

import org.jspecify.annotations.Nullable;

/**
 * The position that {@code .loc} gives to the instructions after it.
 *
 * @param file the number of a file, which a {@code .file} names, often at the end of the text
 * @param line counted from 1; 0 when the compiler knew none
 * @param inlinedAt the position of the call, in an inlined function
 */
record SourceLine(long file, long line, @Nullable SourceLine inlinedAt) {
  static final SourceLine NONE = new SourceLine(0, 0, null);
}
