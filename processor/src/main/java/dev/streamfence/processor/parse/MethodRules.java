package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import java.util.List;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Name;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.type.TypeMirror;

/** Checks what kernels and the methods of variables have in common. Stateless. */
final class MethodRules {
  private MethodRules() {}

  /** Reports type parameters and checked exceptions. */
  static void check(ExecutableElement method, Mistakes mistakes) {
    Name name = method.getSimpleName();
    for (TypeParameterElement parameter : method.getTypeParameters()) {
      mistakes.report(Problem.GENERIC, Culprit.of(parameter), name, parameter.getSimpleName());
    }
    List<? extends TypeMirror> checked =
        method.getThrownTypes().stream().filter(type -> !TypeKinds.isUnchecked(type)).toList();
    if (!checked.isEmpty()) {
      mistakes.report(
          Problem.THROWS_CLAUSE, Culprit.of(method), name, Descriptions.describe(checked));
    }
  }
}
