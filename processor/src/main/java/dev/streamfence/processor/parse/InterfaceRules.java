package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import java.util.Optional;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.NestingKind;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.TypeParameterElement;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;

/**
 * Checks that a final class in the interface's package can implement it. Confined to one thread at
 * a time, like its mistakes.
 */
final class InterfaceRules {
  /** The static methods of each launcher, which take the stream. */
  private static final Set<String> LAUNCHER_METHODS = Set.of("on", "module");

  private final AbstractMethods methods;
  private final Surroundings surroundings;
  private final Mistakes mistakes;

  InterfaceRules(AbstractMethods methods, Surroundings surroundings, Mistakes mistakes) {
    this.methods = methods;
    this.surroundings = surroundings;
    this.mistakes = mistakes;
  }

  void check(TypeElement type) {
    for (TypeParameterElement parameter : type.getTypeParameters()) {
      mistakes.report(
          Problem.GENERIC, Culprit.of(parameter), type.getSimpleName(), parameter.getSimpleName());
    }
    checkAccessible(type);
    if (type.getModifiers().contains(Modifier.SEALED)) {
      mistakes.report(Problem.SEALED_INTERFACE, Culprit.of(type), type.getSimpleName());
    }
    ElementFilter.methodsIn(type.getEnclosedElements()).stream()
        .filter(method -> !method.getModifiers().contains(Modifier.ABSTRACT))
        .forEach(
            method -> {
              checkNoKernel(method, mistakes);
              SymbolMethodParser.checkNoSymbol(method, mistakes);
            });
    methods
        .declared(type)
        .forEach(
            method ->
                whyNotOverridden(method)
                    .ifPresent(
                        why ->
                            mistakes.report(
                                Problem.FINAL_METHOD,
                                Culprit.of(method),
                                method.getSimpleName(),
                                why,
                                Mirrors.has(method, KernelAnnotation.SYMBOL)
                                    ? "Symbol"
                                    : "Kernel")));
    for (TypeElement owner : methods.withInherited(type)) {
      ElementFilter.methodsIn(owner.getEnclosedElements()).stream()
          .filter(method -> method.getModifiers().contains(Modifier.DEFAULT))
          .forEach(method -> checkNoClash(type, owner, method));
    }
  }

  /** Why no class can override a method; empty if a class can. */
  private Optional<String> whyNotOverridden(ExecutableElement method) {
    if (methods
        .ofObject(method)
        .filter(member -> member.getModifiers().contains(Modifier.FINAL))
        .isPresent()) {
      return Optional.of("is final");
    }
    // It is protected in Object, so the compiler accepts it in an interface.
    boolean isFinalize =
        method.getSimpleName().contentEquals("finalize") && method.getParameters().isEmpty();
    return isFinalize && method.getReturnType().getKind() != TypeKind.VOID
        ? Optional.of("returns void")
        : Optional.empty();
  }

  /** Reports {@code @Kernel} on a method with a body. */
  static void checkNoKernel(ExecutableElement method, Mistakes mistakes) {
    Mirrors.find(method, KernelAnnotation.KERNEL)
        .ifPresent(
            mirror ->
                mistakes.report(
                    Problem.KERNEL_NOT_ABSTRACT,
                    Culprit.of(method, mirror),
                    method.getSimpleName()));
  }

  private void checkAccessible(TypeElement type) {
    for (Element e = type; e instanceof TypeElement outer; e = e.getEnclosingElement()) {
      if (!outer.equals(type)
          && outer.getNestingKind() == NestingKind.TOP_LEVEL
          && !surroundings.sees(type, outer.getQualifiedName().toString())) {
        mistakes.report(Problem.COMPACT_SOURCE, Culprit.of(type), type.getSimpleName());
      }
      if (e.getModifiers().contains(Modifier.PRIVATE)) {
        mistakes.report(
            Problem.PRIVATE_INTERFACE,
            Culprit.of(type),
            type.getSimpleName(),
            e.equals(type) ? "it is" : "its enclosing type " + e.getSimpleName() + " is");
        return;
      }
    }
  }

  /** Reports a default method with the signature of one that every launcher has. */
  private void checkNoClash(TypeElement type, TypeElement owner, ExecutableElement method) {
    if (method.getParameters().size() != 1) {
      return;
    }
    TypeMirror parameter = methods.parameterTypes(type, method).get(0);
    String name = method.getSimpleName().toString();
    if (LAUNCHER_METHODS.contains(name)
        && TypeKinds.isDeviceStream(TypeKinds.leftmostBound(parameter))) {
      mistakes.report(
          Problem.LAUNCHER_METHOD_CLASH, Culprit.of(method), name, owner.getSimpleName());
    }
  }
}
