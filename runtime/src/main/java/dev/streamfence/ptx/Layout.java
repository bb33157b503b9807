package dev.streamfence.ptx;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Offsets of variables that lie one after another in one memory. */
final class Layout {
  /** More than any memory has, and far from where sums of sizes overflow. */
  private static final long MAX_SIZE = 1L << 48;

  private final @Nullable Layout base;
  private final Map<Integer, Long> offsets = new HashMap<>();
  private long size;
  private int alignment = 1;

  Layout() {
    base = null;
  }

  /** Makes a layout that goes on where another one ends, and knows what is in that one, too. */
  Layout(Layout base) {
    this.base = base;
    size = base.size;
    alignment = base.alignment;
  }

  /** Puts a variable at the next place that suits its alignment; returns its offset. */
  long add(Variable variable) {
    size = aligned(size, variable.alignment());
    long offset = size;
    if (variable.sizeInBytes() > MAX_SIZE - size) {
      throw new PtxException(
          variable.line(), "'" + variable.name() + "' does not fit the memory it is in");
    }
    size += variable.sizeInBytes();
    alignment = Math.max(alignment, variable.alignment());
    offsets.put(variable.id(), offset);
    return offset;
  }

  void addAll(List<Variable> variables, StateSpace space) {
    for (Variable variable : variables) {
      if (variable.space() == space && !variable.isOpenArray()) {
        add(variable);
      }
    }
  }

  Optional<Long> offset(Variable variable) {
    Long own = offsets.get(variable.id());
    if (own != null) {
      return Optional.of(own);
    }
    return base == null ? Optional.empty() : base.offset(variable);
  }

  long size() {
    return size;
  }

  int alignment() {
    return alignment;
  }

  static long aligned(long offset, int alignment) {
    return (offset + alignment - 1) & -(long) alignment;
  }
}
