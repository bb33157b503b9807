package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Layout;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The executable form of one function. Its signature is set from the start, so functions can call
 * each other. Its steps are set once, before the program is published.
 */
public final class Code {
  /** A slot with a constant that is known only once global variables have addresses. */
  public record Relocation(int slot, int global, long offset) {}

  public final PtxFunction function;
  public final int index;
  public final Layout paramLayout = new Layout();
  final List<Variable> formals = new ArrayList<>();

  /** The functions that it names, and so may call. */
  public final Set<Code> named = new HashSet<>();

  /** Why it cannot run, or a function that it names; null if it can. */
  public @Nullable PtxException refusal;

  public Op[] ops = {};

  /** For each step, the instruction that it belongs to. */
  public Instruction[] origins = {};

  public long[] template = {};
  public List<Relocation> relocations = List.of();
  public int paramBytes;
  public int localBytes;
  public int localAlignment = 1;

  public Code(PtxFunction function, int index) {
    this.function = function;
    this.index = index;
    for (PtxFunction.Formal formal : function.parameters()) {
      place(formal);
    }
    for (PtxFunction.Formal formal : function.returns()) {
      place(formal);
    }
  }

  /** Marks it as one that cannot run; a thread that reaches it by a pointer faults. */
  public void refuse(PtxException why) {
    refusal = why;
    ops =
        new Op[] {
          lane -> {
            throw lane.fault(PtxFault.Reason.TRAP, why.fact(), 0);
          }
        };
    paramBytes = (int) paramLayout.size();
  }

  /** Tells whether a call translated for the other function also fits this one. */
  public boolean hasShapeOf(Code other) {
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
  public boolean isCalledThroughMemory() {
    return formals.size() == function.parameters().size() + function.returns().size();
  }

  private void place(PtxFunction.Formal formal) {
    if (formal instanceof PtxFunction.Formal.InMemory memory) {
      formals.add(memory.variable());
      paramLayout.add(memory.variable());
    }
  }
}
