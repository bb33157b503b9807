package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.ir.CallSite;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The names of functions and variables that code can reach: those in its text, in the text of the
 * functions among them, and in the initial values of the variables among them. Confined to one
 * thread.
 */
final class CodeReferences {
  /** Functions outside of every module, which touch no variable of one. */
  private static final Set<String> HARMLESS = Set.of("vprintf", "__assertfail", "malloc", "free");

  /**
   * What a function reaches.
   *
   * @param names of functions and variables
   * @param isOpen whether it calls code that its text does not name, or that is outside the module
   */
  record CodeReach(Set<String> names, boolean isOpen) {}

  private final PtxModule module;
  private final Map<String, CodeReach> own = new HashMap<>();

  /** The names in the initial values of each variable that has any. */
  private final Map<String, Set<String>> inValues = new HashMap<>();

  CodeReferences(PtxModule module) {
    this.module = module;
    module.variables().forEach(this::addValues);
    for (PtxFunction function : module.functions()) {
      function.locals().forEach(this::addValues);
    }
  }

  /** The names in the initial values of all variables. */
  Set<String> inValues() {
    Set<String> all = new HashSet<>();
    inValues.values().forEach(all::addAll);
    return all;
  }

  /** What a function reaches, directly and through what it reaches. */
  CodeReach from(PtxFunction function) {
    Set<String> names = new LinkedHashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(function.name()));
    boolean isOpen = false;
    while (!open.isEmpty()) {
      String name = open.remove();
      CodeReach direct = module.function(name).map(this::direct).orElse(null);
      if (direct != null) {
        isOpen |= direct.isOpen();
        direct.names().stream().filter(names::add).forEach(open::add);
      }
      inValues.getOrDefault(name, Set.of()).stream().filter(names::add).forEach(open::add);
    }
    return new CodeReach(names, isOpen);
  }

  /** What the text of a function names. */
  CodeReach direct(PtxFunction function) {
    return own.computeIfAbsent(function.name(), name -> read(function));
  }

  private CodeReach read(PtxFunction function) {
    Set<String> names = new LinkedHashSet<>();
    boolean isOpen = false;
    for (Instruction instruction : function.instructions()) {
      instruction.operands().forEach(operand -> add(operand, names));
      isOpen |= instruction.opcode().equals("call") && leaves(instruction);
    }
    return new CodeReach(names, isOpen);
  }

  /** Whether a call leads to code that is not the body of the function that it names. */
  private boolean leaves(Instruction call) {
    CallSite site = CallSite.of(call);
    String name = site.name().orElse("");
    if (HARMLESS.contains(name)) {
      return false;
    }
    PtxFunction target = module.function(name).orElse(null);
    return target == null
        || !site.odd().isEmpty()
        || !target.hasBody()
        || target.entry()
        || target.parameters().size() != site.arguments().size()
        || target.returns().size() != site.results().size();
  }

  private void addValues(Variable variable) {
    Set<String> names = new HashSet<>();
    for (Variable.Initializer initializer : variable.initializers()) {
      add(initializer.value(), names);
    }
    if (!names.isEmpty()) {
      inValues.merge(
          variable.name(),
          names,
          (one, other) -> {
            one.addAll(other);
            return one;
          });
    }
  }

  private static void add(Operand operand, Set<String> names) {
    operand.forEachSimple(
        each -> {
          if (each instanceof Operand.Name name) {
            names.add(name.label().name());
          } else if (each instanceof Operand.VariableAddress address) {
            names.add(address.variable().name());
          }
        });
  }
}
