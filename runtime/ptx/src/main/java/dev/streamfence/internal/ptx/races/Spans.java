package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.symbolic.Polynomial;
import dev.streamfence.internal.ptx.symbolic.Polynomial.Monomial;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Accesses that lie at constant distances from each other, as those of an unrolled loop, taken
 * together: a proof about the bytes from the first to the last one holds for each of them. Confined
 * to one thread.
 */
final class Spans {
  /** What the offsets of such accesses have in common. */
  private record Origin(int memory, Polynomial varying) {}

  /** A proof that two different threads never touch a byte of both places. */
  interface Proof {
    boolean proves(PairProof.Place one, PairProof.Place other, boolean isGlobal);
  }

  private final Proof proof;
  private final IdentityHashMap<SharedAccess, Integer> spans = new IdentityHashMap<>();
  private final List<PairProof.Place> places = new ArrayList<>();

  /** The spans of more than one access. */
  private final BitSet several = new BitSet();

  /** What was found of pairs of spans. */
  private final Map<Integer, Boolean> found = new HashMap<>();

  Spans(List<SharedAccess> accesses, PathFacts facts, Proof proof) {
    this.proof = proof;
    Map<Origin, List<SharedAccess>> groups = new HashMap<>();
    for (SharedAccess access : accesses) {
      if (access.isExact() && access.width() > 0) {
        Polynomial varying = access.offset().only(product -> !product.equals(Monomial.ONE));
        groups
            .computeIfAbsent(new Origin(access.memory(), varying), key -> new ArrayList<>())
            .add(access);
      }
    }
    groups.forEach(
        (origin, group) -> {
          PairProof.Place place = place(origin, group, facts);
          if (place != null) {
            group.forEach(access -> spans.put(access, places.size()));
            several.set(places.size(), group.size() > 1);
            places.add(place);
          }
        });
  }

  private static PairProof.@Nullable Place place(
      Origin origin, List<SharedAccess> group, PathFacts facts) {
    long first = Long.MAX_VALUE;
    long end = Long.MIN_VALUE;
    PathFacts.Known known = new PathFacts.Known();
    known.addAll(facts.at(group.get(0).access()));
    for (SharedAccess access : group) {
      long begin = access.offset().coefficient(Monomial.ONE);
      if (Math.abs(begin) > Integer.MAX_VALUE) {
        return null;
      }
      first = Math.min(first, begin);
      end = Math.max(end, begin + access.width());
      known.retainAll(facts.at(access.access()));
    }
    Polynomial offset = origin.varying().plus(Polynomial.constant(first));
    return offset == null ? null : new PairProof.Place(offset, end - first, known);
  }

  /** Whether both accesses are in spans with others. */
  boolean areIn(SharedAccess one, SharedAccess other) {
    return isIn(one) && isIn(other);
  }

  private boolean isIn(SharedAccess access) {
    Integer span = spans.get(access);
    return span != null && several.get(span);
  }

  /**
   * Whether a proof holds for the spans of two accesses; false if one is in none, or each is alone.
   * Asks once for all accesses of the same spans.
   */
  boolean areApart(SharedAccess one, SharedAccess other) {
    Integer first = spans.get(one);
    Integer second = spans.get(other);
    return first != null
        && second != null
        && (several.get(first) || several.get(second))
        && found.computeIfAbsent(
            first * places.size() + second,
            key -> proof.proves(places.get(first), places.get(second), one.isGlobal()));
  }
}
