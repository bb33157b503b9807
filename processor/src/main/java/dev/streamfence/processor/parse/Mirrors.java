package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Name;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;

/** Reads annotations of elements without loading them. Stateless. */
final class Mirrors {
  /** What compilers return for a value that they refuse. */
  private static final Object REFUSED = "<error>";

  private Mirrors() {}

  /** The annotation of this type on {@code element}. */
  static Optional<AnnotationMirror> find(Element element, KernelAnnotation type) {
    for (AnnotationMirror mirror : element.getAnnotationMirrors()) {
      if (isA(mirror, type)) {
        return Optional.of(mirror);
      }
    }
    return Optional.empty();
  }

  /** Whether {@code element} has an annotation of this type. */
  static boolean has(Element element, KernelAnnotation type) {
    return find(element, type).isPresent();
  }

  /** The annotations of these types on {@code element}, in the order of the source. */
  static List<AnnotationMirror> all(Element element, List<KernelAnnotation> types) {
    // Without streams: this is asked more often than anything else.
    List<AnnotationMirror> all = new ArrayList<>();
    for (AnnotationMirror mirror : element.getAnnotationMirrors()) {
      Name name = qualifiedName(mirror);
      for (KernelAnnotation type : types) {
        if (name.contentEquals(type.qualifiedName())) {
          all.add(mirror);
        }
      }
    }
    return all;
  }

  /** Whether the annotation is of this type. */
  static boolean isA(AnnotationMirror mirror, KernelAnnotation type) {
    return qualifiedName(mirror).contentEquals(type.qualifiedName());
  }

  private static Name qualifiedName(AnnotationMirror mirror) {
    return ((TypeElement) mirror.getAnnotationType().asElement()).getQualifiedName();
  }

  /** The simple name of the annotation, as used in messages. */
  static Name name(AnnotationMirror mirror) {
    return mirror.getAnnotationType().asElement().getSimpleName();
  }

  /** The explicit values of an annotation; none if the compiler has refused one. */
  private static Map<? extends ExecutableElement, ? extends AnnotationValue> values(
      AnnotationMirror mirror) {
    return readable(mirror).orElse(Map.of());
  }

  /** Eclipse's compiler throws where a value has another type than its attribute. */
  private static Optional<Map<? extends ExecutableElement, ? extends AnnotationValue>> readable(
      AnnotationMirror mirror) {
    try {
      return Optional.of(mirror.getElementValues());
    } catch (RuntimeException refused) {
      return Optional.empty();
    }
  }

  /** The value of an attribute that is explicit in the source. */
  static Optional<AnnotationValue> attribute(AnnotationMirror mirror, String name) {
    for (Map.Entry<? extends ExecutableElement, ? extends AnnotationValue> entry :
        values(mirror).entrySet()) {
      if (entry.getKey().getSimpleName().contentEquals(name)) {
        return Optional.of(entry.getValue());
      }
    }
    return Optional.empty();
  }

  /**
   * The innermost place for a finding about an attribute: its value if explicit, otherwise the
   * annotated declaration.
   */
  static Culprit culprit(Element annotated, AnnotationMirror mirror, String attribute) {
    return attribute(mirror, attribute)
        .map(value -> Culprit.of(annotated, mirror, value))
        .orElseGet(() -> Culprit.of(annotated));
  }

  /**
   * Whether one of the attributes may be an undeclared constant, or has a value that the compiler
   * refuses: compilers give it as {@link #REFUSED}, which a source could also contain.
   */
  static boolean mayBeUnresolved(AnnotationMirror mirror) {
    return readable(mirror).isEmpty()
        || values(mirror).values().stream().anyMatch(Mirrors::mayBeUnresolved);
  }

  /** Whether one certainly is. */
  static boolean isUnresolved(AnnotationMirror mirror) {
    return readable(mirror).isEmpty()
        || values(mirror).values().stream().anyMatch(value -> hasText(value, Mirrors::isRefused));
  }

  /**
   * Whether a value with the text of an unresolved one is no text of the source. javac only puts
   * quotes around those.
   */
  private static boolean isRefused(AnnotationValue value) {
    // Compares identity: Eclipse's compiler returns a literal of its own code, which is the one
    // here, and makes a new String for a text of the source.
    return value.getValue() == REFUSED || !value.toString().startsWith("\"");
  }

  private static boolean mayBeUnresolved(AnnotationValue value) {
    return hasText(value, each -> true);
  }

  /** Whether a value, or one in an array, has the text of an unresolved one, and a condition. */
  private static boolean hasText(AnnotationValue value, Predicate<AnnotationValue> condition) {
    return value.getValue() instanceof List<?> values
        ? values.stream()
            .anyMatch(each -> each instanceof AnnotationValue one && hasText(one, condition))
        : REFUSED.equals(value.getValue()) && condition.test(value);
  }

  /**
   * The value of an attribute, explicit or default; empty if the compiler has refused the value in
   * the source.
   */
  static <T> Optional<T> value(AnnotationMirror mirror, String name, Class<T> type) {
    return attribute(mirror, name)
        .or(() -> defaultOf(mirror, name))
        .map(AnnotationValue::getValue)
        .filter(type::isInstance)
        .map(type::cast);
  }

  /** The texts of an attribute that is an array; none if it is not in the source. */
  static List<String> texts(AnnotationMirror mirror, String name) {
    return attribute(mirror, name)
        .map(AnnotationValue::getValue)
        .filter(List.class::isInstance)
        .map(values -> (List<?>) values)
        .orElse(List.of())
        .stream()
        .map(value -> value instanceof AnnotationValue each ? each.getValue() : value)
        .filter(String.class::isInstance)
        .map(String.class::cast)
        .toList();
  }

  /** The default of an attribute. All of them at once take long, and most are not wanted. */
  private static Optional<AnnotationValue> defaultOf(AnnotationMirror mirror, String name) {
    Element type = mirror.getAnnotationType().asElement();
    for (ExecutableElement attribute : ElementFilter.methodsIn(type.getEnclosedElements())) {
      if (attribute.getSimpleName().contentEquals(name)) {
        return Optional.ofNullable(attribute.getDefaultValue());
      }
    }
    return Optional.empty();
  }
}
