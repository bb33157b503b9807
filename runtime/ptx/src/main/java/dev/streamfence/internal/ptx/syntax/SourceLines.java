package dev.streamfence.internal.ptx.syntax;

import java.util.HashMap;
import java.util.Map;

/**
 * The positions of one function so far. A call in an inlined function has a position of its own
 * before that of what is inlined there, which leads on to the next call. Confined to one thread.
 */
final class SourceLines {
  private record CallPosition(long file, long line) {}

  private final Map<CallPosition, SourceLine> inlined = new HashMap<>();

  /** Adds a position. */
  SourceLine add(SourceLine position) {
    if (position.inlinedAt() != null) {
      inlined.putIfAbsent(new CallPosition(position.file(), position.line()), position);
    }
    return position;
  }

  /** Returns the position of a call, with the call in which it was inlined if that is known. */
  SourceLine find(long file, long line) {
    SourceLine known = inlined.get(new CallPosition(file, line));
    return known == null ? new SourceLine(file, line, null) : known;
  }
}
