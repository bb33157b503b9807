package dev.streamfence.processor.diagnostic;

import java.util.Optional;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;

/** The innermost piece of source that a finding is about. Immutable. */
public sealed interface Culprit {
  /** The declaration itself, or the one that carries the annotation. */
  Element element();

  /**
   * The declaration itself if it is a type, otherwise the enclosing type.
   *
   * @throws IllegalStateException if it is a package or a module
   */
  default TypeElement enclosingType() {
    return typeAround(element())
        .orElseThrow(
            () -> new IllegalStateException("no type encloses " + element().getSimpleName()));
  }

  /**
   * The declaration itself if it is a type, otherwise the enclosing type; empty for a package or a
   * module.
   */
  static Optional<TypeElement> typeAround(Element declaration) {
    for (Element e = declaration; e != null; e = e.getEnclosingElement()) {
      if (e instanceof TypeElement type) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }

  /** A declaration. */
  record Declaration(Element element) implements Culprit {}

  /** An annotation of a declaration. */
  record Annotation(Element element, AnnotationMirror mirror) implements Culprit {}

  /** The value of one attribute of an annotation. */
  record Attribute(Element element, AnnotationMirror mirror, AnnotationValue value)
      implements Culprit {}

  /** A declaration as the culprit. */
  static Culprit of(Element element) {
    return new Declaration(element);
  }

  /** An annotation of {@code element} as the culprit. */
  static Culprit of(Element element, AnnotationMirror mirror) {
    return new Annotation(element, mirror);
  }

  /** An explicit attribute of an annotation of {@code element} as the culprit. */
  static Culprit of(Element element, AnnotationMirror mirror, AnnotationValue value) {
    return new Attribute(element, mirror, value);
  }
}
