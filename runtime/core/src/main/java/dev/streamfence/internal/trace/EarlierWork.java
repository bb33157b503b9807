package dev.streamfence.internal.trace;

import dev.streamfence.trace.TracedDependency;
import dev.streamfence.trace.TracedWork;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Finds work by its stream and ticket. Confined to one thread. */
final class EarlierWork {
  private record Stream(String device, int number) {}

  /** Has the tickets from its first one to the one that it is found by. */
  private record Place(int position, long firstTicket) {}

  /** By the last ticket of each piece of work. */
  private final Map<Stream, TreeMap<Long, Place>> byTicket = new HashMap<>();

  private int count;

  /** Finds works at their positions in a list. */
  EarlierWork(List<TracedWork> works) {
    works.forEach(this::add);
  }

  private void add(TracedWork work) {
    byTicket
        .computeIfAbsent(new Stream(work.device(), work.stream()), stream -> new TreeMap<>())
        .put(work.ticket(), new Place(count++, work.firstTicket()));
  }

  /** The position of the work that another one of the same device comes after; -1 if unknown. */
  int find(TracedWork later, TracedDependency dependency) {
    TreeMap<Long, Place> works = byTicket.get(new Stream(later.device(), dependency.stream()));
    Map.Entry<Long, Place> found = works == null ? null : works.ceilingEntry(dependency.ticket());
    return found == null || dependency.ticket() < found.getValue().firstTicket()
        ? -1
        : found.getValue().position();
  }
}
