package dev.streamfence.processor.parse;

import dev.streamfence.processor.model.QualifiedName;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import javax.annotation.processing.Generated;
import javax.lang.model.element.Element;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.ModuleElement;
import javax.lang.model.element.ModuleElement.RequiresDirective;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import org.jspecify.annotations.Nullable;

/**
 * Answers which names a launcher in an interface's package can see and use. Confined to one round.
 */
final class Surroundings {
  /** Classes that every file sees unless its package has a class of that name. */
  private static final List<Class<?>> IMPLICITLY_IMPORTED =
      List.of(Object.class, String.class, Override.class, Deprecated.class, SuppressWarnings.class);

  private final Elements elements;
  private final AbstractMethods methods;

  /** Interfaces of one package or module ask for the same classes, and a look-up takes long. */
  private final Map<Sought, Boolean> known = new HashMap<>();

  private record Sought(@Nullable ModuleElement module, String canonicalName) {}

  Surroundings(Elements elements, AbstractMethods methods) {
    this.elements = elements;
    this.methods = methods;
  }

  boolean isPublic(TypeElement type) {
    for (Element e = type; e instanceof TypeElement; e = e.getEnclosingElement()) {
      if (!e.getModifiers().contains(Modifier.PUBLIC)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Simple names that an implementing class inherits, or that mean another class in its package.
   */
  Set<String> takenNames(TypeElement type) {
    Set<String> names = new TreeSet<>();
    for (TypeElement owner : methods.withInherited(type)) {
      // A constant hides a class of its name at the start of an expression.
      owner.getEnclosedElements().stream()
          .filter(member -> member.getKind().isField() || member instanceof TypeElement)
          .forEach(member -> names.add(member.getSimpleName().toString()));
    }
    for (Class<?> each : IMPLICITLY_IMPORTED) {
      QualifiedName neighbour = new QualifiedName(packageOf(type), List.of(each.getSimpleName()));
      if (sees(type, neighbour.canonical())) {
        names.add(each.getSimpleName());
      }
    }
    return names;
  }

  boolean readsCompilerModule(TypeElement type) {
    ModuleElement module = elements.getModuleOf(type);
    // Eclipse's compiler also finds classes in modules that the type's module does not read.
    return sees(type, Generated.class.getName())
        && (module == null || module.isUnnamed() || reads(module, "java.compiler", false));
  }

  private static boolean reads(ModuleElement module, String name, boolean isTransitive) {
    for (RequiresDirective required : ElementFilter.requiresIn(module.getDirectives())) {
      ModuleElement dependency = required.getDependency();
      if ((required.isTransitive() || !isTransitive)
          && (dependency.getQualifiedName().contentEquals(name) || reads(dependency, name, true))) {
        return true;
      }
    }
    return false;
  }

  /** Whether the type's module can name a class. */
  boolean sees(TypeElement type, String canonicalName) {
    return known.computeIfAbsent(
        new Sought(elements.getModuleOf(type), canonicalName), this::isThere);
  }

  private boolean isThere(Sought sought) {
    // There are no modules before Java 9.
    return (sought.module() == null
            ? elements.getTypeElement(sought.canonicalName())
            : elements.getTypeElement(sought.module(), sought.canonicalName()))
        != null;
  }

  private String packageOf(TypeElement type) {
    return elements.getPackageOf(type).getQualifiedName().toString();
  }
}
