package dev.streamfence.processor;

import dev.streamfence.processor.model.QualifiedName;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;

/**
 * The names of each module's classes and packages; those of classes without case, because some file
 * systems ignore it. Only sources count: a class file with a launcher's name comes from an earlier
 * build. Confined to one thread at a time.
 */
final class LauncherNames {
  private final Map<String, String> ownersByName = new HashMap<>();

  /** The packages of the classes and their parent packages, each after its module. Case matters. */
  private final Set<String> packages = new HashSet<>();

  private final Set<String> modules = new HashSet<>();

  /**
   * Adds the classes that a round compiles.
   *
   * @param moduleOf gives the name of an element's module, empty for the unnamed one
   */
  void addSources(Set<? extends Element> roots, Function<Element, String> moduleOf) {
    for (Element root : roots) {
      if (root instanceof TypeElement type) {
        String name = type.getQualifiedName().toString();
        String module = moduleOf.apply(type);
        modules.add(module);
        ownersByName.putIfAbsent(key(module, name), name);
        for (int dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
          packages.add(module + "/" + name.substring(0, dot));
        }
      }
    }
  }

  /** Claims a name for the launcher of {@code owner}; returns its current holder, if any. */
  Optional<String> claim(String module, QualifiedName launcher, QualifiedName owner) {
    if (packages.contains(module + "/" + launcher.canonical())) {
      return Optional.of("the package " + launcher.canonical());
    }
    String claimant = "the launcher of " + owner.canonical();
    String holder = ownersByName.putIfAbsent(key(module, launcher.canonical()), claimant);
    return Optional.ofNullable(holder);
  }

  /**
   * The name of a launcher's file for a filer. It includes the module if several are compiled at
   * once, which may have the same packages. Eclipse's compiler accepts a module only in that case.
   */
  String ofFile(String module, QualifiedName launcher) {
    return modules.size() > 1 ? module + "/" + launcher.canonical() : launcher.canonical();
  }

  private static String key(String module, String name) {
    return module + "/" + name.toLowerCase(Locale.ROOT);
  }
}
