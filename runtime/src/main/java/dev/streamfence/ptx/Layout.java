package dev.streamfence.ptx;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Offsets of variables that lie one after another in one memory. */
final class Layout {
  private final Map<Integer, Long> offsets = new HashMap<>();
  private long size;
  private int alignment = 1;

  /** Returns a layout that begins with what another one holds. */
  Layout extended() {
    Layout copy = new Layout();
    copy.offsets.putAll(offsets);
    copy.size = size;
    copy.alignment = alignment;
    return copy;
  }

  /** Puts a variable at the next place that suits its alignment; returns its offset. */
  long add(Variable variable) {
    size = aligned(size, variable.alignment());
    long offset = size;
    try {
      size = Math.addExact(size, variable.sizeInBytes());
    } catch (ArithmeticException e) {
      throw new PtxException(variable.line(), "'" + variable.name() + "' exceeds all memory");
    }
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
    return Optional.ofNullable(offsets.get(variable.id()));
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
