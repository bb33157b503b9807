package dev.streamfence.processor.parse;

import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelSymbol;
import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import dev.streamfence.processor.model.EntryName;
import dev.streamfence.processor.model.HandleType;
import dev.streamfence.processor.model.SymbolMethod;
import java.util.Optional;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.util.Elements;

/**
 * Reads one abstract method that gives a variable. Confined to one thread at a time, like its
 * mistakes.
 */
final class SymbolMethodParser {
  private final Elements elements;
  private final Mistakes mistakes;

  SymbolMethodParser(Elements elements, Mistakes mistakes) {
    this.elements = elements;
    this.mistakes = mistakes;
  }

  /** The method with its type as a member of the interface; empty after a mistake. */
  Optional<ParsedSymbol> parse(ExecutableElement method, ExecutableType member) {
    AnnotationMirror symbol = Mirrors.find(method, KernelAnnotation.SYMBOL).orElseThrow();
    Optional<String> written = Mirrors.value(symbol, "value", String.class);
    int before = mistakes.errors();
    if (!JavaNames.isWritable(method)) {
      mistakes.report(
          Problem.NO_JAVA_NAME,
          Culprit.of(method),
          Descriptions.quote(method.getSimpleName().toString()),
          "implement");
      return Optional.empty();
    }
    if (Mirrors.has(method, KernelAnnotation.KERNEL)) {
      mistakes.report(
          Problem.SYMBOL_AND_KERNEL, Culprit.of(method, symbol), method.getSimpleName());
      return Optional.empty();
    }
    MethodRules.check(method, mistakes);
    if (!method.getParameters().isEmpty()) {
      mistakes.report(
          Problem.SYMBOL_PARAMETERS,
          Culprit.of(method.getParameters().get(0)),
          method.getSimpleName());
    }
    Optional<HandleType> handle =
        TypeKinds.handleType(member.getReturnType()).filter(type -> !type.isColumn());
    Optional<ElementType> element =
        handle.flatMap(t -> TypeKinds.elementOf(member.getReturnType()));
    if (element.isEmpty()) {
      mistakes.report(
          Problem.SYMBOL_TYPE,
          Culprit.of(method),
          method.getSimpleName(),
          Descriptions.describe(member.getReturnType()),
          UntrackedTypes.primitives(member.getReturnType()).orElse("float[]"));
    }
    String name =
        written.filter(given -> !given.isEmpty()).orElse(method.getSimpleName().toString());
    Culprit place = Mirrors.culprit(method, symbol, "value");
    if (!EntryName.isLegal(name)) {
      mistakes.report(Problem.SYMBOL_NAME, place, Descriptions.quote(name), EntryName.MAX_LENGTH);
    }
    if (mistakes.errors() > before || written.isEmpty() || element.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new ParsedSymbol(
            new SymbolMethod(
                method.getSimpleName().toString(),
                new KernelSymbol(name, element.get()),
                handle.orElseThrow(),
                Deprecations.of(method, elements)),
            method,
            place));
  }

  /** Reports {@code @Symbol} on a method with a body. */
  static void checkNoSymbol(ExecutableElement method, Mistakes mistakes) {
    Mirrors.find(method, KernelAnnotation.SYMBOL)
        .ifPresent(
            mirror ->
                mistakes.report(
                    Problem.SYMBOL_NOT_ABSTRACT,
                    Culprit.of(method, mirror),
                    method.getSimpleName()));
  }
}
