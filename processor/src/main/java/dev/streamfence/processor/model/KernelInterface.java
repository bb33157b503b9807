package dev.streamfence.processor.model;

import dev.streamfence.launch.KernelSymbol;
import java.util.List;
import java.util.Set;

/**
 * An interface whose abstract methods launch the kernels of one module. Invariant: there is at
 * least one kernel. Immutable.
 *
 * @param name the interface's name
 * @param resource where the module's code is
 * @param kernels in the order of declaration, inherited ones last
 * @param symbols the methods that give variables, in the same order
 * @param isPublic whether the interface and all its enclosers are public
 * @param deprecation how strongly its use is discouraged
 * @param takenNames simple names that mean something else inside an implementing class
 * @param readsCompilerModule whether its module can name the types of {@code java.compiler}
 */
public record KernelInterface(
    QualifiedName name,
    ResourceName resource,
    List<KernelMethod> kernels,
    List<SymbolMethod> symbols,
    boolean isPublic,
    Deprecation deprecation,
    Set<String> takenNames,
    boolean readsCompilerModule) {
  public KernelInterface {
    kernels = List.copyOf(kernels);
    symbols = List.copyOf(symbols);
    takenNames = Set.copyOf(takenNames);
    if (kernels.isEmpty()) {
      throw new IllegalArgumentException(name.canonical() + " has no kernel");
    }
  }

  /** The variables of the module that it declares. */
  public List<KernelSymbol> declaredSymbols() {
    return symbols.stream().map(SymbolMethod::symbol).toList();
  }
}
