package dev.streamfence.processor;

import dev.streamfence.processor.model.QualifiedName;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;

/**
 * The classes of a compilation by their names without regard to case, which file systems may not
 * tell apart. Only sources count: a class file of that name is the launcher of an earlier build.
 * Confined to one thread at a time.
 */
final class LauncherNames {
  private final Map<String, String> ownersByName = new HashMap<>();

  /** Adds the classes that a round compiles. */
  void addSources(Set<? extends Element> roots) {
    for (Element root : roots) {
      if (root instanceof TypeElement type) {
        String name = type.getQualifiedName().toString();
        ownersByName.putIfAbsent(key(name), name);
      }
    }
  }

  /** Takes a name for the launcher of {@code owner}; who has it already, if anyone. */
  Optional<String> claim(QualifiedName launcher, QualifiedName owner) {
    String claimant = "the launcher of " + owner.canonical();
    String holder = ownersByName.putIfAbsent(key(launcher.canonical()), claimant);
    return Optional.ofNullable(holder);
  }

  private static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
