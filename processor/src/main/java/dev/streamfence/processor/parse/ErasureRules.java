package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Types;

/**
 * Checks that no two methods have the same erasure unless one overrides the other (JLS 8.4.8.3).
 * The compiler reports this as well, but possibly in the launcher. Confined to one thread at a
 * time, like its mistakes.
 */
final class ErasureRules {
  private final AbstractMethods methods;
  private final Types types;
  private final Mistakes mistakes;

  ErasureRules(AbstractMethods methods, Types types, Mistakes mistakes) {
    this.methods = methods;
    this.types = types;
    this.mistakes = mistakes;
  }

  void check(TypeElement type) {
    // Grouped by erasure: comparing each of thousands of overloads with all others takes too long.
    Map<String, List<ExecutableElement>> methodsByErasure = new LinkedHashMap<>();
    for (ExecutableElement method : methods.declared(type)) {
      methodsByErasure.computeIfAbsent(erasure(method), key -> new ArrayList<>()).add(method);
    }
    for (ExecutableElement method : methods.members(type)) {
      methodsByErasure.getOrDefault(erasure(method), List.of()).stream()
          .filter(other -> clash(type, method, other))
          .findFirst()
          .ifPresent(
              other -> {
                report(type, method, other);
                // Reports each clash once, not from the other method's side as well.
                methodsByErasure.remove(erasure(method));
              });
    }
  }

  /** Any compiler reports two methods of one interface at their declaration. */
  private boolean clash(TypeElement type, ExecutableElement method, ExecutableElement other) {
    return !owner(method).equals(owner(other))
        && !methods.isSubsignature(type, method, other)
        && !methods.isSubsignature(type, other, method);
  }

  private void report(TypeElement type, ExecutableElement method, ExecutableElement other) {
    mistakes.report(
        Problem.ERASURE_CLASH,
        Culprit.of(owner(method).equals(type) ? method : type),
        method.getSimpleName(),
        owner(method).getSimpleName(),
        owner(other).getSimpleName());
  }

  private static TypeElement owner(ExecutableElement method) {
    return Culprit.of(method).enclosingType();
  }

  private String erasure(ExecutableElement method) {
    return method.getParameters().stream()
        .map(parameter -> Descriptions.erased(types.erasure(parameter.asType())))
        .collect(Collectors.joining(",", method.getSimpleName() + "(", ")"));
  }
}
