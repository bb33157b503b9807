package dev.streamfence.processor.parse;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** Finds what an interface leaves to its launcher, and what it inherits. Confined to one round. */
final class AbstractMethods {
  private final Elements elements;
  private final Types types;

  /** Several checks ask for those of the same type, and comparing all of them takes long. */
  private final Map<TypeElement, List<ExecutableElement>> known = new HashMap<>();

  AbstractMethods(Elements elements, Types types) {
    this.elements = elements;
    this.types = types;
  }

  /**
   * The abstract methods that a class which implements {@code type} must have: the own ones in the
   * order of declaration, then those of each inherited interface, by its name. Methods that {@code
   * Object} implements are not among them unless they are annotated.
   */
  List<ExecutableElement> of(TypeElement type) {
    List<ExecutableElement> found = known.get(type);
    if (found == null) {
      found = find(type);
      known.put(type, found);
    }
    return found;
  }

  private List<ExecutableElement> find(TypeElement type) {
    List<ExecutableElement> methods = new ArrayList<>();
    for (TypeElement owner : withInherited(type)) {
      ElementFilter.methodsIn(owner.getEnclosedElements()).stream()
          .filter(method -> !method.getModifiers().contains(Modifier.STATIC))
          .filter(method -> !method.getModifiers().contains(Modifier.PRIVATE))
          .forEach(methods::add);
    }
    // Thousands of methods take seconds when each is compared with all others.
    Map<String, List<ExecutableElement>> methodsByName =
        methods.stream().collect(Collectors.groupingBy(m -> m.getSimpleName().toString()));
    return methods.stream()
        .filter(method -> method.getModifiers().contains(Modifier.ABSTRACT))
        .filter(method -> !isImplementedByObject(method))
        .filter(
            method ->
                methodsByName.getOrDefault(method.getSimpleName().toString(), List.of()).stream()
                    .noneMatch(other -> elements.overrides(other, method, type)))
        .toList();
  }

  /** The interface itself, then all that it inherits from, by name. */
  List<TypeElement> withInherited(TypeElement type) {
    Set<TypeElement> inherited = new LinkedHashSet<>();
    collectInherited(type, inherited);
    inherited.remove(type);
    List<TypeElement> all = new ArrayList<>();
    all.add(type);
    inherited.stream()
        .sorted(Comparator.comparing(t -> t.getQualifiedName().toString()))
        .forEach(all::add);
    return all;
  }

  /** Whether two methods have one signature as members of {@code type}. */
  boolean isSameSignature(TypeElement type, ExecutableElement one, ExecutableElement other) {
    return one.getSimpleName().contentEquals(other.getSimpleName())
        && parameterTypes(type, one).size() == parameterTypes(type, other).size()
        && haveSameTypes(parameterTypes(type, one), parameterTypes(type, other));
  }

  /** The types of a method's parameters as a member of {@code type}. */
  List<? extends TypeMirror> parameterTypes(TypeElement type, ExecutableElement method) {
    return asMember(type, method).getParameterTypes();
  }

  /** A method's type as a member of {@code type}, with the type arguments that it has there. */
  ExecutableType asMember(TypeElement type, ExecutableElement method) {
    return (ExecutableType) types.asMemberOf((DeclaredType) type.asType(), method);
  }

  private boolean haveSameTypes(
      List<? extends TypeMirror> some, List<? extends TypeMirror> others) {
    for (int i = 0; i < some.size(); i++) {
      if (!types.isSameType(some.get(i), others.get(i))) {
        return false;
      }
    }
    return true;
  }

  private void collectInherited(TypeElement type, Set<TypeElement> inherited) {
    for (TypeMirror each : type.getInterfaces()) {
      Element element = types.asElement(each);
      if (element instanceof TypeElement parent && inherited.add(parent)) {
        collectInherited(parent, inherited);
      }
    }
  }

  private boolean isImplementedByObject(ExecutableElement method) {
    if (Mirrors.has(method, KernelAnnotation.KERNEL)) {
      return false;
    }
    TypeElement object = elements.getTypeElement("java.lang.Object");
    return object != null
        && object.getEnclosedElements().stream()
            .filter(member -> member.getKind() == ElementKind.METHOD)
            .filter(member -> member.getModifiers().contains(Modifier.PUBLIC))
            .map(ExecutableElement.class::cast)
            .anyMatch(member -> isSubsignature(method, member));
  }

  private boolean isSubsignature(ExecutableElement method, ExecutableElement other) {
    return method.getSimpleName().contentEquals(other.getSimpleName())
        && types.isSubsignature((ExecutableType) method.asType(), (ExecutableType) other.asType());
  }
}
