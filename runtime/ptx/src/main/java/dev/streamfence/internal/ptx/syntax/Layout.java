package dev.streamfence.internal.ptx.syntax;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Offsets of consecutive variables in one memory. */
public final class Layout {
  /** More than any memory has, and far below an overflow of sums of sizes. */
  private static final long MAX_SIZE = 1L << 48;

  private final @Nullable Layout base;
  private final Map<Integer, Long> offsets = new HashMap<>();
  private long size;
  private int alignment = 1;

  public Layout() {
    base = null;
  }

  /** Creates a layout that continues another one and includes its variables. */
  public Layout(Layout base) {
    this.base = base;
    size = base.size;
    alignment = base.alignment;
  }

  /** Places a variable at the next offset that fits its alignment; returns the offset. */
  public long add(Variable variable) {
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

  public void addAll(List<Variable> variables, StateSpace space) {
    for (Variable variable : variables) {
      if (variable.space() == space && !variable.isOpenArray()) {
        add(variable);
      }
    }
  }

  public Optional<Long> offset(Variable variable) {
    Long own = offsets.get(variable.id());
    if (own != null) {
      return Optional.of(own);
    }
    return base == null ? Optional.empty() : base.offset(variable);
  }

  public long size() {
    return size;
  }

  public int alignment() {
    return alignment;
  }

  public static long aligned(long offset, int alignment) {
    return (offset + alignment - 1) & -(long) alignment;
  }
}
