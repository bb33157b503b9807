package dev.streamfence.processor.parse;

import dev.streamfence.processor.diagnostic.Culprit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ExecutableType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import org.jspecify.annotations.Nullable;

/**
 * Finds the methods that an interface leaves to its launcher, and those that it inherits. Confined
 * to one round.
 */
final class AbstractMethods {
  private final Elements elements;
  private final Types types;

  /** Several checks ask about the same type, and comparing all methods takes long. */
  private final Map<TypeElement, List<ExecutableElement>> known = new HashMap<>();

  /** Looked up when the first method is compared with them. */
  private @Nullable List<ExecutableElement> publicOfObject;

  AbstractMethods(Elements elements, Types types) {
    this.elements = elements;
    this.types = types;
  }

  /**
   * The abstract methods that a class which implements {@code type} must have: its own in the order
   * of declaration, then those of each inherited interface, ordered by the interface's name.
   * Methods that {@code Object} implements are not among them unless they are annotated.
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
    return members(type).stream()
        .filter(method -> method.getModifiers().contains(Modifier.ABSTRACT))
        .filter(method -> !isImplementedByObject(method))
        .toList();
  }

  /** The methods that an implementing class has or must have, without overridden ones. */
  List<ExecutableElement> members(TypeElement type) {
    List<ExecutableElement> methods = declared(type);
    // Grouped by name: comparing each of thousands of methods with all others takes seconds.
    Map<String, List<ExecutableElement>> methodsByName =
        methods.stream().collect(Collectors.groupingBy(m -> m.getSimpleName().toString()));
    return methods.stream()
        .filter(
            method ->
                methodsByName.getOrDefault(method.getSimpleName().toString(), List.of()).stream()
                    .noneMatch(other -> overrides(other, method, type)))
        .toList();
  }

  /** The methods of the interface and of all inherited interfaces, including overridden ones. */
  List<ExecutableElement> declared(TypeElement type) {
    List<ExecutableElement> methods = new ArrayList<>();
    for (TypeElement owner : withInherited(type)) {
      ElementFilter.methodsIn(owner.getEnclosedElements()).stream()
          .filter(method -> !method.getModifiers().contains(Modifier.STATIC))
          .filter(method -> !method.getModifiers().contains(Modifier.PRIVATE))
          .forEach(methods::add);
    }
    return methods;
  }

  /** The interface itself, then all inherited interfaces, by name. */
  List<TypeElement> withInherited(TypeElement type) {
    List<TypeElement> all = new ArrayList<>();
    all.add(type);
    inherited(type).stream()
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

  /**
   * Whether a method's signature, as a member of {@code type}, equals the other method's signature
   * there, or the erasure of that.
   */
  boolean isSubsignature(TypeElement type, ExecutableElement method, ExecutableElement other) {
    if (!method.getSimpleName().contentEquals(other.getSimpleName())
        || method.getParameters().size() != other.getParameters().size()) {
      return false;
    }
    if (!method.getTypeParameters().isEmpty()) {
      // Each has its own type variables. Eclipse's compiler only compares erasures, which differ in
      // some correct sources.
      return types.isSubsignature(asMember(type, method), asMember(type, other));
    }
    List<? extends TypeMirror> parameters = parameterTypes(type, method);
    List<? extends TypeMirror> others = parameterTypes(type, other);
    return haveSameTypes(parameters, others)
        || haveSameTypes(parameters, others.stream().map(types::erasure).toList());
  }

  /** The types of a method's parameters as a member of {@code type}. */
  List<? extends TypeMirror> parameterTypes(TypeElement type, ExecutableElement method) {
    return asMember(type, method).getParameterTypes();
  }

  /**
   * A method's type as a member of {@code type}, with the type arguments that it has there.
   *
   * <p>Eclipse's compiler takes the first method in the hierarchy with the same erasure, which may
   * be another method. It is therefore only asked about members of the declaring type itself.
   */
  ExecutableType asMember(TypeElement type, ExecutableElement method) {
    DeclaredType owner =
        supertype((DeclaredType) type.asType(), owner(method))
            .orElseThrow(
                () -> new IllegalArgumentException("no member of " + type.getQualifiedName()));
    return (ExecutableType) types.asMemberOf(owner, method);
  }

  private static TypeElement owner(ExecutableElement method) {
    return Culprit.of(method).enclosingType();
  }

  /** The type itself or the supertype that {@code element} declares. */
  private Optional<DeclaredType> supertype(DeclaredType type, TypeElement element) {
    if (type.asElement().equals(element)) {
      return Optional.of(type);
    }
    return types.directSupertypes(type).stream()
        .filter(DeclaredType.class::isInstance)
        .map(parent -> supertype((DeclaredType) parent, element))
        .flatMap(Optional::stream)
        .findFirst();
  }

  /**
   * Whether a method overrides another one, from an interface that its own interface inherits from
   * (JLS 9.4.1.1). Avoids {@code Elements.overrides}: in Eclipse's compiler it is also true for the
   * overridden method, and for a method from an unrelated interface.
   */
  private boolean overrides(
      ExecutableElement method, ExecutableElement overridden, TypeElement type) {
    TypeElement owner = owner(method);
    TypeElement parent = owner(overridden);
    return !owner.equals(parent)
        && inherited(owner).contains(parent)
        && isSubsignature(type, method, overridden);
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

  private Set<TypeElement> inherited(TypeElement type) {
    Set<TypeElement> inherited = new LinkedHashSet<>();
    collectInherited(type, inherited);
    inherited.remove(type);
    return inherited;
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
    return !Mirrors.has(method, KernelAnnotation.KERNEL) && ofObject(method).isPresent();
  }

  /** The public method of {@code Object} with a method's signature. */
  Optional<ExecutableElement> ofObject(ExecutableElement method) {
    if (publicOfObject == null) {
      publicOfObject = publicOf(elements.getTypeElement("java.lang.Object"));
    }
    return publicOfObject.stream()
        .filter(member -> method.getSimpleName().contentEquals(member.getSimpleName()))
        .filter(
            member ->
                types.isSubsignature(
                    (ExecutableType) method.asType(), (ExecutableType) member.asType()))
        .findFirst();
  }

  private static List<ExecutableElement> publicOf(@Nullable TypeElement object) {
    return object == null
        ? List.of()
        : ElementFilter.methodsIn(object.getEnclosedElements()).stream()
            .filter(member -> member.getModifiers().contains(Modifier.PUBLIC))
            .toList();
  }
}
