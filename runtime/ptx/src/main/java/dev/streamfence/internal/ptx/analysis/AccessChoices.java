package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.Origin;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/** Collects the accesses whose address certainly derives from one of several parameters. */
final class AccessChoices {
  /** More sets of parameters than a kernel chooses from. */
  private static final int MAX_SETS = 32;

  private final EntryParameters parameters;

  /** The first such read, by the indexes of the parameters. */
  private final Map<Set<Integer>, AccessSite> reads = new LinkedHashMap<>();

  /** The first such write, by the indexes of the parameters. */
  private final Map<Set<Integer>, AccessSite> writes = new LinkedHashMap<>();

  AccessChoices(EntryParameters parameters) {
    this.parameters = parameters;
  }

  /**
   * Adds an access.
   *
   * @param line its line in the text
   * @param site makes its site
   */
  void add(
      Set<Integer> origins, int line, boolean isRead, boolean isWrite, Supplier<AccessSite> site) {
    Set<Integer> indexes = new TreeSet<>();
    origins.forEach(origin -> indexes.add(Origin.index(origin)));
    if (isRead) {
      add(reads, indexes, line, site);
    }
    if (isWrite) {
      add(writes, indexes, line, site);
    }
  }

  private static void add(
      Map<Set<Integer>, AccessSite> choices,
      Set<Integer> indexes,
      int line,
      Supplier<AccessSite> site) {
    AccessSite known = choices.get(indexes);
    if (known == null ? choices.size() < MAX_SETS : line < known.line()) {
      choices.put(indexes, site.get());
    }
  }

  void clear() {
    reads.clear();
    writes.clear();
  }

  List<AccessChoice> all() {
    List<AccessChoice> found = new ArrayList<>();
    reads.forEach((indexes, site) -> found.add(choice(indexes, true, site)));
    writes.forEach((indexes, site) -> found.add(choice(indexes, false, site)));
    return found;
  }

  private AccessChoice choice(Set<Integer> indexes, boolean isRead, AccessSite site) {
    return new AccessChoice(indexes.stream().map(parameters::member).toList(), isRead, site);
  }
}
