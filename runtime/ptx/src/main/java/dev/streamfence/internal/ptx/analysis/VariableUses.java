package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.StateSpace;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The accesses of a module's kernels to some of its variables. Immutable.
 *
 * <p>A kernel uses a variable that its code names, or that any code names which it may call. Once
 * the address of a variable may lie in memory, every kernel of the module may use the variable. One
 * limit remains: a kernel of another module that is given such an address. No kernel stores to
 * constant memory.
 */
public final class VariableUses {
  private final Map<String, Map<String, VariableUse>> usesByEntry = new HashMap<>();

  /**
   * Analyses a module. Throws nothing for any module; what is too large to analyse counts as used.
   *
   * @param names the variables, as {@link PtxModule#deviceVariables} knows them
   * @param budget the work budget
   */
  public VariableUses(PtxModule module, Set<String> names, AnalysisBudget budget) {
    Set<String> constants =
        module.deviceVariables().stream()
            .filter(variable -> variable.space() == StateSpace.CONST)
            .map(Variable::name)
            .collect(Collectors.toSet());
    CodeReferences references = new CodeReferences(module);
    ModuleAnalysis analysis = new ModuleAnalysis(module, budget);
    Set<String> spread = new HashSet<>(references.inValues());
    for (PtxEntry entry : module.entries()) {
      CodeReferences.CodeReach reach = references.from(entry.function());
      List<String> named = new ArrayList<>(names);
      named.retainAll(reach.names());
      Map<String, VariableUse> uses = new HashMap<>();
      if (reach.isOpen()) {
        // The code that it calls may be any function of the module.
        spread.addAll(namedByFunctions(module, references));
        names.forEach(name -> uses.put(name, new VariableUse(true, !constants.contains(name))));
      } else if (!named.isEmpty()) {
        KernelAccesses accesses =
            KernelAccesses.of(analysis, entry, ParameterRoles.UNDECLARED, named);
        for (String name : named) {
          uses.put(name, use(accesses.variable(name), constants.contains(name)));
          if (accesses.handsOut(name)) {
            spread.add(name);
          }
        }
      }
      usesByEntry.put(entry.name(), uses);
    }
    spread.retainAll(names);
    for (String name : spread) {
      VariableUse any = new VariableUse(true, !constants.contains(name));
      usesByEntry.values().forEach(uses -> uses.put(name, any));
    }
  }

  private static VariableUse use(ParameterAccess access, boolean isConstant) {
    return new VariableUse(
        access.read().isPresent() || access.possibleRead().isPresent(),
        !isConstant && (access.write().isPresent() || access.possibleWrite().isPresent()));
  }

  private static Set<String> namedByFunctions(PtxModule module, CodeReferences references) {
    Set<String> named = new HashSet<>();
    for (PtxFunction function : module.functions()) {
      if (!function.entry()) {
        named.addAll(references.direct(function).names());
      }
    }
    return named;
  }

  /** Returns a kernel's use of one of the variables. */
  public VariableUse of(String entry, String variable) {
    return usesByEntry.getOrDefault(entry, Map.of()).getOrDefault(variable, VariableUse.NONE);
  }
}
