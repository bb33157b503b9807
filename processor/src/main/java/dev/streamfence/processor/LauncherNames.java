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
 * The classes of each module by their names without regard to case, which file systems may not tell
 * apart. Only sources count: a class file of that name is the launcher of an earlier build.
 * Confined to one thread at a time.
 */
final class LauncherNames {
  private final Map<String, String> ownersByName = new HashMap<>();
  private final Set<String> modules = new HashSet<>();

  /**
   * Adds the classes that a round compiles.
   *
   * @param moduleOf gives the name of an element's module, empty of the unnamed one
   */
  void addSources(Set<? extends Element> roots, Function<Element, String> moduleOf) {
    for (Element root : roots) {
      if (root instanceof TypeElement type) {
        String name = type.getQualifiedName().toString();
        String module = moduleOf.apply(type);
        modules.add(module);
        ownersByName.putIfAbsent(key(module, name), name);
      }
    }
  }

  /** Takes a name for the launcher of {@code owner}; who has it already, if anyone. */
  Optional<String> claim(String module, QualifiedName launcher, QualifiedName owner) {
    String claimant = "the launcher of " + owner.canonical();
    String holder = ownersByName.putIfAbsent(key(module, launcher.canonical()), claimant);
    return Optional.ofNullable(holder);
  }

  /**
   * What a filer calls the file of a launcher: with its module where several are compiled at once,
   * which may have the same packages. Eclipse's compiler takes a module there alone.
   */
  String ofFile(String module, QualifiedName launcher) {
    return modules.size() > 1 ? module + "/" + launcher.canonical() : launcher.canonical();
  }

  private static String key(String module, String name) {
    return module + "/" + name.toLowerCase(Locale.ROOT);
  }
}
