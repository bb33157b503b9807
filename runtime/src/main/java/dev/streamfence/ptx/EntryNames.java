package dev.streamfence.ptx;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Says which entries there are instead of one that is not. Stateless. */
final class EntryNames {
  /** A module may have thousands, and an interface as many wrong names. */
  private static final int MAX_NAMED = 8;

  private EntryNames() {}

  static String insteadOf(String wanted, Collection<String> names) {
    Optional<String> renamed =
        names.stream()
            .filter(name -> MangledName.function(name).equals(Optional.of(wanted)))
            .findFirst();
    if (renamed.isPresent()) {
      String name = renamed.get();
      return name + "; declare that extern \"C\", or name it by @Kernel(\"" + name + "\")";
    }
    List<String> first = names.stream().limit(MAX_NAMED).toList();
    String listed = first.isEmpty() ? "none" : String.join(", ", first);
    int more = names.size() - first.size();
    return more == 0 ? listed : listed + " and " + more + " more";
  }
}
