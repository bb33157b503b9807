package dev.streamfence.processor.parse;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;

/**
 * Checks names for use in a launcher's source; class files of other languages may have others.
 * Stateless.
 */
final class JavaNames {
  /** Words that can be any name but a type's. */
  private static final Set<String> NO_TYPES = Set.of("permits", "record", "sealed", "var", "yield");

  private JavaNames() {}

  /** Whether Java source can refer to a declaration by its name. */
  static boolean isWritable(Element element) {
    return isName(element.getSimpleName().toString());
  }

  /** Whether Java source can refer to a type by its package, enclosing types and own name. */
  static boolean isWritable(TypeElement type) {
    Element e = type;
    for (; e instanceof TypeElement; e = e.getEnclosingElement()) {
      String name = e.getSimpleName().toString();
      if (!isName(name) || NO_TYPES.contains(name)) {
        return false;
      }
    }
    String around = QualifiedNames.of(type).packageName();
    return around.isEmpty() || SourceVersion.isName(around);
  }

  /**
   * The names of a method's parameters; a name by position replaces each illegal or repeated name.
   */
  static List<String> ofParameters(ExecutableElement method) {
    List<? extends VariableElement> parameters = method.getParameters();
    Set<String> taken = new HashSet<>();
    for (VariableElement parameter : parameters) {
      taken.add(parameter.getSimpleName().toString());
    }
    Set<String> given = new HashSet<>();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < parameters.size(); i++) {
      String name = parameters.get(i).getSimpleName().toString();
      if (!isName(name) || given.contains(name)) {
        name = "arg" + i;
        while (!taken.add(name)) {
          name += "_";
        }
      }
      given.add(name);
      names.add(name);
    }
    return names;
  }

  private static boolean isName(String name) {
    return SourceVersion.isIdentifier(name) && !SourceVersion.isKeyword(name);
  }
}
