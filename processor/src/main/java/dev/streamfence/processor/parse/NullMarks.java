package dev.streamfence.processor.parse;

import dev.streamfence.processor.model.NullMark;
import java.util.List;
import java.util.Optional;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.ModuleElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;

/**
 * Finds the {@code @Nullable} of a parameter, of whichever library: tools that check for nulls ask
 * for the same annotation on the launcher's parameter. Stateless.
 */
final class NullMarks {
  private NullMarks() {}

  /**
   * Returns the annotation; empty if there is none, or the launcher could not name it.
   *
   * @param type the parameter's type
   * @param owner the interface of the launcher
   */
  static Optional<NullMark> of(
      VariableElement parameter, TypeMirror type, TypeElement owner, Elements elements) {
    return find(type.getAnnotationMirrors(), true, owner, elements)
        .or(() -> find(parameter.getAnnotationMirrors(), false, owner, elements));
  }

  private static Optional<NullMark> find(
      List<? extends AnnotationMirror> annotations,
      boolean isOnType,
      TypeElement owner,
      Elements elements) {
    return annotations.stream()
        .map(annotation -> (TypeElement) annotation.getAnnotationType().asElement())
        .filter(annotation -> annotation.getSimpleName().contentEquals("Nullable"))
        .filter(annotation -> canBeWritten(annotation, owner, elements))
        .map(
            annotation ->
                new NullMark(
                    QualifiedNames.of(annotation),
                    isOnType,
                    Deprecations.around(annotation, elements)))
        .findFirst();
  }

  /** Whether the launcher can write it; that of a parent in another module it may not. */
  private static boolean canBeWritten(
      TypeElement annotation, TypeElement owner, Elements elements) {
    ModuleElement module = elements.getModuleOf(owner);
    boolean isSeen =
        module == null || elements.getTypeElement(module, annotation.getQualifiedName()) != null;
    return isSeen
        && !StructParser.isHidden(annotation, elements.getPackageOf(owner))
        && ElementFilter.methodsIn(annotation.getEnclosedElements()).stream()
            .allMatch(element -> element.getDefaultValue() != null);
  }
}
