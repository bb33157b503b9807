package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.CallSite;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.Opcode;
import dev.streamfence.internal.ptx.ir.Opcode.Transfer;
import dev.streamfence.internal.ptx.ir.Widths;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which registers of a kernel, and which of its local variables, hold the address of the grid's
 * workspace or a test whether there is one. The order of instructions does not matter, and calls of
 * a function are not told apart. Confined to one thread.
 */
final class WorkspaceFlow extends ForwardFlow<WorkspaceFlow.Held> {
  /** Values settle after a few rounds, since each changes at most three times. */
  private static final int MOST_ROUNDS = 64;

  /** The kind of a value. */
  enum HeldKind {
    /** No value has arrived. */
    NONE,
    CONSTANT,
    /** An address in a local variable or a parameter. */
    LOCAL,
    /** The workspace's address, or a part of it. */
    WORKSPACE,
    /** A test whether there is a workspace. */
    TEST,
    OTHER,
    /** A workspace or a test, mixed with another value. */
    UNCLEAR;

    boolean isTracked() {
      return this == WORKSPACE || this == TEST || this == UNCLEAR;
    }
  }

  /**
   * A value.
   *
   * @param variable the local variable's id; 0 if it is none
   * @param number a constant, or the offset in the variable
   */
  record Held(HeldKind kind, int variable, long number) {
    static final Held NONE = of(HeldKind.NONE);

    static Held of(HeldKind kind) {
      return new Held(kind, 0, 0);
    }

    Held join(Held other) {
      if (equals(other) || other.kind == HeldKind.NONE) {
        return this;
      }
      if (kind == HeldKind.NONE) {
        return other;
      }
      return of(
          kind.isTracked() || other.kind.isTracked()
              ? (kind == other.kind ? kind : HeldKind.UNCLEAR)
              : HeldKind.OTHER);
    }

    Held plus(long bytes) {
      return kind == HeldKind.LOCAL ? new Held(kind, variable, number + bytes) : this;
    }
  }

  private final Set<String> functions;
  private boolean isClear = true;

  private WorkspaceFlow(ModuleAnalysis analysis, ReachedCode code) {
    super(code.flows(), Held.NONE);
    functions =
        code.flows().stream().map(flow -> flow.function().name()).collect(Collectors.toSet());
    boolean changed = true;
    for (int round = 0; changed && isClear; round++) {
      analysis.charge(code.instructions());
      changed = spread();
      isClear &= round < MOST_ROUNDS;
    }
  }

  /** Follows the workspace's address; empty if the code does not read it. */
  static Optional<WorkspaceFlow> of(ModuleAnalysis analysis, ReachedCode code) {
    return code.first(each -> ReachedCode.has(each, WorkspaceFlow::isWorkspace), "")
        .map(read -> new WorkspaceFlow(analysis, code));
  }

  @Override
  Held join(Held one, Held other) {
    return one.join(other);
  }

  /** Whether the workspace's address stays where this analysis can see it. */
  boolean isClear() {
    return isClear;
  }

  /**
   * Whether an instruction accesses the workspace through an operand, and nothing else. The answer
   * is only right if the workspace {@link #isClear}.
   */
  boolean isAccess(FunctionFlow flow, int at, Operand operand) {
    return operand instanceof Operand.Memory place
        && functions.contains(flow.function().name())
        && value(flow, at, place.base()).kind() == HeldKind.WORKSPACE;
  }

  /** Whether an operand is a part of the workspace's address. */
  private static boolean isWorkspace(Operand operand) {
    return operand instanceof Operand.SpecialRegister special
        && (special.name().equals("%envreg1") || special.name().equals("%envreg2"));
  }

  /** What an operand holds. */
  Held value(FunctionFlow flow, int at, Operand operand) {
    if (operand instanceof Operand.RegisterUse use) {
      return held(flow, at, use.register().index());
    }
    if (operand instanceof Operand.IntegerLiteral literal) {
      return new Held(HeldKind.CONSTANT, 0, literal.value());
    }
    if (operand instanceof Operand.VariableAddress address) {
      StateSpace space = address.variable().space();
      return space == StateSpace.LOCAL || space == StateSpace.PARAM
          ? new Held(HeldKind.LOCAL, address.variable().id(), address.offset())
          : Held.of(HeldKind.OTHER);
    }
    return Held.of(isWorkspace(operand) ? HeldKind.WORKSPACE : HeldKind.OTHER);
  }

  @Override
  void evaluate(FunctionFlow flow, int at, Instruction instruction) {
    List<Operand> operands = instruction.operands();
    Opcode rule = flow.rule(at);
    if (operands.size() == 2 && rule.effect() != Opcode.Effect.UNKNOWN) {
      if (instruction.opcode().equals("ld") && operands.get(1) instanceof Operand.Memory place) {
        load(flow, at, place);
        return;
      }
      if (instruction.opcode().equals("st") && operands.get(0) instanceof Operand.Memory place) {
        store(flow, at, place);
        return;
      }
    }
    List<Held> sources = new ArrayList<>();
    for (int i = 0; i < operands.size(); i++) {
      if (!rule.isDestination(i) && !(operands.get(i) instanceof Operand.Memory)) {
        operands.get(i).parts().forEach(part -> sources.add(value(flow, at, part)));
      }
    }
    if (rule.effect() == Opcode.Effect.UNKNOWN) {
      isClear &= sources.stream().noneMatch(source -> source.kind().isTracked());
      return;
    }
    Held result = result(rule.transfer(), sources);
    for (int i = 0; i < operands.size(); i++) {
      if (rule.isDestination(i)) {
        assign(flow, at, operands.get(i), result);
      }
    }
  }

  private static Held result(Transfer transfer, List<Held> sources) {
    if (sources.stream().anyMatch(source -> source.kind() == HeldKind.NONE)) {
      return Held.NONE;
    }
    if (sources.size() == 1) {
      switch (transfer) {
        case FIRST, CONVERT, NEGATE -> {
          return sources.get(0);
        }
        default -> {
          // Not a copy.
        }
      }
    }
    boolean adds = transfer == Transfer.ADD;
    if (sources.size() == 2 && (adds || transfer == Transfer.SUBTRACT)) {
      Held left = sources.get(0);
      Held right = sources.get(1);
      if (left.kind() == HeldKind.LOCAL && right.kind() == HeldKind.CONSTANT) {
        return left.plus(adds ? right.number() : -right.number());
      }
      if (right.kind() == HeldKind.LOCAL && left.kind() == HeldKind.CONSTANT) {
        return adds ? right.plus(left.number()) : Held.of(HeldKind.OTHER);
      }
    }
    Held joined = Held.NONE;
    for (Held source : sources) {
      joined = joined.join(source.kind() == HeldKind.CONSTANT ? Held.NONE : source);
    }
    if (!joined.kind().isTracked()) {
      return Held.of(HeldKind.OTHER);
    }
    if (joined.kind() == HeldKind.WORKSPACE && transfer == Transfer.COMPARE) {
      return Held.of(HeldKind.TEST);
    }
    boolean keeps =
        switch (transfer) {
          // Parts of an address stay an address, and parts of a test a test.
          case ADD, SUBTRACT, AND, OR, SHIFT_LEFT, INSERT -> true;
          case COMPARE, SELECT -> joined.kind() == HeldKind.TEST;
          default -> false;
        };
    return keeps ? joined : Held.of(HeldKind.UNCLEAR);
  }

  private void load(FunctionFlow flow, int at, Operand.Memory place) {
    Held address = value(flow, at, place.base()).plus(place.offset());
    int width = Widths.element(flow.instruction(at));
    List<Operand> parts = flow.instruction(at).operands().get(0).parts();
    for (int i = 0; i < parts.size(); i++) {
      Held loaded =
          address.kind() == HeldKind.LOCAL
              ? held(address.variable(), address.number() + (long) i * width, width)
              : Held.of(HeldKind.OTHER);
      assign(flow, at, parts.get(i), loaded);
    }
  }

  private void store(FunctionFlow flow, int at, Operand.Memory place) {
    Held address = value(flow, at, place.base()).plus(place.offset());
    int width = Widths.element(flow.instruction(at));
    List<Operand> parts = flow.instruction(at).operands().get(1).parts();
    for (int i = 0; i < parts.size(); i++) {
      Held stored = value(flow, at, parts.get(i));
      if (address.kind() == HeldKind.LOCAL) {
        store(address.variable(), address.number() + (long) i * width, width, stored);
      } else if (address.kind() != HeldKind.NONE && stored.kind().isTracked()) {
        isClear = false;
      }
    }
  }

  @Override
  void leave(FunctionFlow flow, int at, CallSite call, int known) {
    for (int i = known; i < call.arguments().size(); i++) {
      // Unknown code may test it.
      isClear &=
          passed(flow, at, call.arguments().get(i)).stream()
              .noneMatch(held -> held.kind().isTracked());
    }
    if (call.name().isEmpty() || known == 0) {
      call.results().forEach(result -> assign(flow, at, result, Held.of(HeldKind.OTHER)));
    }
  }
}
