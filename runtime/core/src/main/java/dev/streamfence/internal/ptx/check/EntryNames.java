package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.syntax.MangledName;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Lists the entries or variables that exist, for messages about a missing one. Stateless. */
final class EntryNames {
  /** A module may have thousands of entries, and an interface as many wrong names. */
  private static final int MAX_NAMED = 8;

  private EntryNames() {}

  static String insteadOf(String wanted, Collection<String> names) {
    return insteadOf(wanted, names, "Kernel");
  }

  /**
   * The names that exist.
   *
   * @param annotation the annotation that can give a name
   */
  static String insteadOf(String wanted, Collection<String> names, String annotation) {
    List<String> renamed =
        names.stream()
            .filter(name -> MangledName.function(name).equals(Optional.of(wanted)))
            .toList();
    if (renamed.isEmpty()) {
      return listed(names);
    }
    String name = renamed.get(0);
    // Of several overloads or template instances, at most one could be declared extern "C".
    return renamed.size() > 1
        ? listed(renamed) + "; name one of them by @" + annotation + "(\"…\")"
        : name + "; declare that extern \"C\", or name it by @" + annotation + "(\"" + name + "\")";
  }

  private static String listed(Collection<String> names) {
    List<String> first = names.stream().limit(MAX_NAMED).toList();
    String listed = first.isEmpty() ? "none" : String.join(", ", first);
    int more = names.size() - first.size();
    return more == 0 ? listed : listed + " and " + more + " more";
  }
}
