package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The functions of a kernel that it is known to run: its own, and those that the instructions which
 * control can reach name. Confined to one thread.
 */
final class ReachedCode {
  private final ModuleAnalysis analysis;
  private final List<FunctionFlow> flows = new ArrayList<>();

  ReachedCode(ModuleAnalysis analysis, PtxFunction entry) {
    this.analysis = analysis;
    Set<String> reached = new HashSet<>(Set.of(entry.name()));
    flows.add(analysis.flow(entry));
    for (int i = 0; i < flows.size(); i++) {
      FunctionFlow flow = flows.get(i);
      analysis.charge(flow.size() + 1);
      for (int at = 0; at < flow.size(); at++) {
        if (flow.isReachable(at)) {
          for (Operand operand : flow.instruction(at).operands()) {
            if (operand instanceof Operand.Name name) {
              named(name)
                  .filter(function -> reached.add(function.name()))
                  .ifPresent(function -> flows.add(analysis.flow(function)));
            }
          }
        }
      }
    }
  }

  private Optional<PtxFunction> named(Operand.Name name) {
    return analysis.module().function(name.label().name()).filter(PtxFunction::hasBody);
  }

  /** A test of an instruction at its place in a function. */
  @FunctionalInterface
  interface PlaceTest {
    boolean accepts(FunctionFlow flow, int at);
  }

  /** The functions, the kernel's own first. */
  List<FunctionFlow> flows() {
    return List.copyOf(flows);
  }

  /** How many instructions the functions have. */
  int instructions() {
    return flows.stream().mapToInt(flow -> flow.size() + 1).sum();
  }

  /** The first instruction that control can reach and that a test accepts. */
  Optional<AccessSite> first(Predicate<Instruction> test, String reason) {
    return first((flow, at) -> test.test(flow.instruction(at)), reason);
  }

  /** The first instruction that control can reach and that a test accepts. */
  Optional<AccessSite> first(PlaceTest test, String reason) {
    for (FunctionFlow flow : flows) {
      for (int at = 0; at < flow.size(); at++) {
        if (flow.isReachable(at) && test.accepts(flow, at)) {
          return Optional.of(site(flow, at, reason));
        }
      }
    }
    return Optional.empty();
  }

  /** The first instruction that reads a special register, or one dimension of it. */
  Optional<AccessSite> reading(String register, String reason) {
    return first(instruction -> reads(instruction, register), reason);
  }

  static boolean reads(Instruction instruction, String register) {
    return has(instruction, operand -> ThreadTaint.reads(operand, register));
  }

  /** Whether any operand of an instruction passes a test. */
  static boolean has(Instruction instruction, Predicate<Operand> test) {
    for (Operand operand : instruction.operands()) {
      if (test.test(operand)) {
        return true;
      }
    }
    return false;
  }

  /** The place of an instruction. */
  AccessSite site(FunctionFlow flow, int at, String reason) {
    return AccessSite.of(analysis.module(), flow.function().name(), flow.instruction(at), reason);
  }
}
