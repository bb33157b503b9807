package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.analysis.lattice.ProvenanceArithmetic;
import dev.streamfence.internal.ptx.ir.CallSite;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.Register;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The data flow of calls: into functions and back, and out of the module where a function is
 * unknown.
 */
final class CallFlow {
  /** Functions that at most read the memory behind their arguments, and keep no address. */
  private static final Set<String> READERS = Set.of("vprintf", "__assertfail");

  /** Functions that take only numbers and return a pointer to new memory. */
  private static final Set<String> ALLOCATORS = Set.of("malloc");

  private final AccessAnalysis analysis;
  private final ValueFlow values;

  CallFlow(AccessAnalysis analysis, ValueFlow values) {
    this.analysis = analysis;
    this.values = values;
  }

  void evaluate(Step step) {
    CallSite call = CallSite.of(step.instruction());
    Operand called = call.target();
    if (called == null) {
      return;
    }
    for (Operand argument : call.arguments()) {
      object(step, argument, object -> object.dependents().add(step));
    }
    List<Operand> oddities = new ArrayList<>();
    call.odd().forEach(each -> ValueFlow.addSimple(each, oddities));
    for (Operand odd : oddities) {
      analysis.escapes().unknown(step, values.value(step, odd), "it is passed in an unusual way");
    }
    Provenance target = values.value(step, called);
    boolean known = !target.isBottom() && call.odd().isEmpty();
    int at = 0;
    for (Derivation alternative : target.alternatives()) {
      PtxFunction function = analysis.functionAt(alternative);
      boolean fits =
          function != null
              && function.hasBody()
              && !function.entry()
              && function.parameters().size() == call.arguments().size()
              && function.returns().size() == call.results().size();
      if (function != null && fits) {
        enter(step, call, function, at++);
      } else if (function != null && !function.hasBody() && called instanceof Operand.Name) {
        leave(step, call, analysis.isItself(function.name()) ? function.name() : "");
      } else {
        known = false;
      }
    }
    if (!known && !target.isBottom()) {
      leave(step, call, "");
    }
  }

  private void enter(Step step, CallSite call, PtxFunction function, int ordinal) {
    boolean plain = true;
    for (Operand argument : call.arguments()) {
      plain &= isPlain(step, argument);
    }
    Activation callee = analysis.activations().callee(step, ordinal, function, plain);
    for (int i = 0; i < call.arguments().size(); i++) {
      pass(step, call.arguments().get(i), callee, function.parameters().get(i));
    }
    for (int i = 0; i < call.results().size(); i++) {
      take(step, call.results().get(i), callee, function.returns().get(i));
    }
  }

  private interface ObjectUse {
    void on(MemoryObject object);
  }

  private boolean object(Step step, Operand operand, ObjectUse use) {
    if (operand instanceof Operand.VariableAddress address
        && address.variable().space() == StateSpace.PARAM) {
      use.on(analysis.object(step.activation(), address.variable()));
      return true;
    }
    return false;
  }

  private boolean isPlain(Step step, Operand argument) {
    boolean[] plain = {true};
    boolean inMemory = object(step, argument, object -> plain[0] = object.hasNoOrigin());
    return inMemory ? plain[0] : values.value(step, argument).hasNoOrigin();
  }

  private void pass(Step step, Operand argument, Activation callee, PtxFunction.Formal formal) {
    if (formal instanceof PtxFunction.Formal.InMemory memory) {
      MemoryObject to = analysis.object(callee, memory.variable());
      if (!object(step, argument, from -> analysis.copy(from, to))) {
        int width = (int) Math.min(16, memory.variable().sizeInBytes());
        if (to.store(0, width, values.value(step, argument))) {
          analysis.changed(to);
        }
      }
      return;
    }
    Register register = ((PtxFunction.Formal.InRegister) formal).register();
    Provenance[] value = {values.value(step, argument)};
    object(step, argument, from -> value[0] = from.load(0, register.type().bytes()));
    analysis.assign(
        callee, register.index(), ProvenanceArithmetic.held(value[0], register.type().bits));
  }

  private void take(Step step, Operand result, Activation callee, PtxFunction.Formal formal) {
    if (formal instanceof PtxFunction.Formal.InMemory memory) {
      MemoryObject from = analysis.object(callee, memory.variable());
      from.dependents().add(step);
      if (!object(step, result, to -> analysis.copy(from, to))) {
        int width = (int) Math.min(16, memory.variable().sizeInBytes());
        values.assign(step, result, from.load(0, width));
      }
      return;
    }
    Register register = ((PtxFunction.Formal.InRegister) formal).register();
    callee.calls().add(step);
    Provenance value = callee.slot(register.index());
    boolean inMemory =
        object(
            step,
            result,
            to -> {
              if (to.store(0, register.type().bytes(), value)) {
                analysis.changed(to);
              }
            });
    if (!inMemory) {
      values.assign(step, result, value);
    }
  }

  /** Handles a call of a function outside the module. */
  private void leave(Step step, CallSite call, String name) {
    List<Provenance> passed = new ArrayList<>();
    for (Operand argument : call.arguments()) {
      if (!object(step, argument, object -> passed.addAll(object.contents()))) {
        passed.add(values.value(step, argument));
      }
    }
    if (READERS.contains(name)) {
      passed.forEach(value -> analysis.escapes().show(step, value, "'" + name + "' may read it"));
    } else if (!ALLOCATORS.contains(name)) {
      analysis.ledger().callUnknown();
      String callee = name.isEmpty() ? "an unknown function" : "'" + name + "'";
      passed.forEach(value -> analysis.escapes().handOut(step, value, "it is passed to " + callee));
      // Unknown code can reach the variables that the threads of its block share.
      analysis.escapes().open(step, StateSpace.SHARED);
    }
    for (Operand result : call.results()) {
      boolean inMemory =
          object(
              step,
              result,
              to -> {
                if (to.storeAnywhere(analysis.pointerBytes(), Provenance.FOREIGN)) {
                  analysis.changed(to);
                }
              });
      if (!inMemory) {
        values.assign(step, result, Provenance.FOREIGN);
      }
    }
  }
}
