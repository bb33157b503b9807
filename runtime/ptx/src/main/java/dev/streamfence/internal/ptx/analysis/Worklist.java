package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.TooLargeException;
import dev.streamfence.internal.ptx.syntax.CodeLimits;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;

/** The instructions to evaluate again, and the work done so far. */
final class Worklist {
  private final ModuleAnalysis module;
  private final Deque<Activation> waiting = new ArrayDeque<>();
  private boolean closed;
  private long work;

  Worklist(ModuleAnalysis module) {
    this.module = module;
  }

  /** Evaluates one instruction. */
  @FunctionalInterface
  interface StepVisitor {
    void visit(Step step);
  }

  /** Evaluates instructions until none is left; in each activation, from its start to its end. */
  void drain(StepVisitor visitor) {
    while (!waiting.isEmpty()) {
      Activation activation = waiting.remove();
      activation.stopWaiting();
      int next = activation.pending().nextSetBit(0);
      while (next >= 0) {
        activation.pending().clear(next);
        visitor.visit(new Step(activation, next));
        next = activation.pending().nextSetBit(next + 1);
      }
      if (!activation.pending().isEmpty()) {
        add(activation);
      }
    }
  }

  /** Accepts no further instructions: the fixpoint is reached. */
  void close() {
    closed = true;
  }

  void add(Activation activation) {
    if (!closed && activation.await()) {
      waiting.add(activation);
    }
  }

  void add(Activation activation, int instruction) {
    activation.pending().set(instruction);
    add(activation);
  }

  void addAll(Collection<Step> steps) {
    charge(1 + steps.size() / 16);
    steps.forEach(step -> add(step.activation(), step.index()));
  }

  /** Counts work; exceeding the limit ends the analysis. */
  void charge(int units) {
    work += units;
    if (work > CodeLimits.KERNEL_WORK) {
      throw new TooLargeException(TooLargeException.KERNEL);
    }
    module.charge(units);
  }
}
