package dev.streamfence.processor;

import dev.streamfence.processor.diagnostic.Culprit;
import dev.streamfence.processor.diagnostic.Mistake;
import dev.streamfence.processor.diagnostic.Mistakes;
import java.util.List;
import javax.annotation.processing.Messager;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/** Prints mistakes through the compiler's messager. Confined to one thread at a time. */
final class MistakePrinter {
  private final Messager messager;

  MistakePrinter(Messager messager) {
    this.messager = messager;
  }

  void print(Mistakes mistakes) {
    mistakes.all().stream().filter(mistake -> !isSuppressed(mistake)).forEach(this::print);
  }

  private void print(Mistake mistake) {
    Diagnostic.Kind kind = mistake.problem().kind();
    Culprit culprit = mistake.culprit();
    String message = mistake.message();
    if (isAccessor(culprit.element())) {
      messager.printMessage(kind, message, culprit.enclosingType());
    } else if (culprit instanceof Culprit.Attribute on) {
      messager.printMessage(kind, message, on.element(), on.mirror(), on.value());
    } else if (culprit instanceof Culprit.Annotation on) {
      messager.printMessage(kind, message, on.element(), on.mirror());
    } else {
      messager.printMessage(kind, message, culprit.element());
    }
  }

  /**
   * Whether it is the accessor of a record's component. Compilers copy annotations to it, and
   * forget the place. They do not tell whether the source has the accessor itself.
   */
  private static boolean isAccessor(Element declaration) {
    return declaration instanceof ExecutableElement method
        && method.getParameters().isEmpty()
        && Culprit.typeAround(method).stream()
            .flatMap(type -> type.getRecordComponents().stream())
            .anyMatch(each -> each.getSimpleName().equals(method.getSimpleName()));
  }

  private static boolean isSuppressed(Mistake mistake) {
    if (mistake.problem().kind() != Diagnostic.Kind.WARNING) {
      return false;
    }
    String name = mistake.problem().suppression();
    for (Element e = mistake.culprit().element(); e != null; e = e.getEnclosingElement()) {
      if (e.getAnnotationMirrors().stream().anyMatch(mirror -> suppresses(mirror, name))) {
        return true;
      }
    }
    return false;
  }

  /** Avoids {@code getAnnotation}, whose {@code value()} throws if the source has a mistake. */
  private static boolean suppresses(AnnotationMirror mirror, String name) {
    TypeElement type = (TypeElement) mirror.getAnnotationType().asElement();
    return type.getQualifiedName().contentEquals(SuppressWarnings.class.getName())
        && mirror.getElementValues().values().stream().anyMatch(value -> has(value, name));
  }

  private static boolean has(AnnotationValue value, String text) {
    return value.getValue() instanceof List<?> all
        ? all.stream().anyMatch(each -> has((AnnotationValue) each, text))
        : text.equals(value.getValue());
  }
}
