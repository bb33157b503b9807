package dev.streamfence.processor.parse;

import dev.streamfence.processor.model.Deprecation;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;

/** Reads how much an element is deprecated. Stateless. */
final class Deprecations {
  private Deprecations() {}

  /** The deprecation of one element alone. */
  static Deprecation of(Element element, Elements elements) {
    if (!elements.isDeprecated(element)) {
      return Deprecation.NONE;
    }
    return element.getAnnotationMirrors().stream().anyMatch(Deprecations::isForRemoval)
        ? Deprecation.FOR_REMOVAL
        : Deprecation.DEPRECATED;
  }

  /** The strongest deprecation of a type and its enclosing types, which are named with it. */
  static Deprecation around(TypeElement type, Elements elements) {
    Deprecation strongest = Deprecation.NONE;
    for (Element e = type; e instanceof TypeElement; e = e.getEnclosingElement()) {
      strongest = strongest.or(of(e, elements));
    }
    return strongest;
  }

  private static boolean isForRemoval(AnnotationMirror mirror) {
    TypeElement type = (TypeElement) mirror.getAnnotationType().asElement();
    return type.getQualifiedName().contentEquals(Deprecated.class.getName())
        && Mirrors.attribute(mirror, "forRemoval")
            .filter(value -> Boolean.TRUE.equals(value.getValue()))
            .isPresent();
  }
}
