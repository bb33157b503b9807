package dev.streamfence.internal.ptx;

import java.util.ArrayList;
import java.util.List;

/**
 * The executable form of one function. Its signature is set from the start, so functions can call
 * each other. Its steps are set once, before the program is published.
 */
final class Code {
  /** A slot with a constant that is known only once global variables have addresses. */
  record Relocation(int slot, int global, long offset) {}

  final Function function;
  final int index;
  final Layout paramLayout = new Layout();
  final List<Variable> formals = new ArrayList<>();
  Op[] ops = {};
  int[] lines = {};
  long[] template = {};
  List<Relocation> relocations = List.of();
  int paramBytes;
  int localBytes;
  int localAlignment = 1;

  Code(Function function, int index) {
    this.function = function;
    this.index = index;
    for (Function.Formal formal : function.parameters()) {
      place(formal);
    }
    for (Function.Formal formal : function.returns()) {
      place(formal);
    }
  }

  /** Tells whether a call translated for the other function also fits this one. */
  boolean hasShapeOf(Code other) {
    if (function.parameters().size() != other.function.parameters().size()
        || formals.size() != other.formals.size()) {
      return false;
    }
    for (int i = 0; i < formals.size(); i++) {
      Variable mine = formals.get(i);
      Variable theirs = other.formals.get(i);
      if (mine.sizeInBytes() != theirs.sizeInBytes()
          || !paramLayout.offset(mine).equals(other.paramLayout.offset(theirs))) {
        return false;
      }
    }
    return true;
  }

  /** Tells whether all parameters and results are passed through memory. */
  boolean isCalledThroughMemory() {
    return formals.size() == function.parameters().size() + function.returns().size();
  }

  private void place(Function.Formal formal) {
    if (formal instanceof Function.Formal.InMemory memory) {
      formals.add(memory.variable());
      paramLayout.add(memory.variable());
    }
  }
}
