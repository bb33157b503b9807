package dev.streamfence.internal.ptx.analysis.lattice;

import dev.streamfence.internal.ptx.syntax.CodeLimits;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds a join: collects alternatives, and merges those that differ only in numbers. */
final class Alternatives {
  /** Enough for the values that one register receives from the branches before it. */
  private static final int MAX_ALTERNATIVES = 8;

  private final Provenance first;

  /** The alternatives, once they are others than those of the first value. */
  private @Nullable List<Derivation> found;

  Alternatives() {
    this(Provenance.BOTTOM);
  }

  /** Starts with the alternatives of a value. */
  Alternatives(Provenance first) {
    this.first = first;
  }

  /** The join of one alternative. */
  static Provenance only(Derivation derivation) {
    requireSmall(derivation);
    return Provenance.of(derivation);
  }

  private static void requireSmall(Derivation derivation) {
    if (derivation.size() > CodeLimits.ORIGINS) {
      throw new TooLargeException(TooLargeException.KERNEL);
    }
  }

  void addAll(Provenance provenance) {
    for (int i = 0; i < provenance.alternatives().size(); i++) {
      add(provenance.alternatives().get(i));
    }
  }

  void add(Derivation added) {
    requireSmall(added);
    List<Derivation> earlier = found == null ? first.alternatives() : found;
    for (int i = 0; i < earlier.size(); i++) {
      if (covers(earlier.get(i), added)) {
        return;
      }
      if (isSame(earlier.get(i), added)) {
        own().set(i, merged(earlier.get(i), added));
        return;
      }
    }
    own().add(added);
    if (own().size() > MAX_ALTERNATIVES) {
      shrink(own());
    }
  }

  private List<Derivation> own() {
    List<Derivation> own = found == null ? new ArrayList<>(first.alternatives()) : found;
    found = own;
    return own;
  }

  private static void shrink(List<Derivation> found) {
    List<Derivation> all = List.copyOf(found);
    found.clear();
    for (Derivation each : all) {
      Derivation unbounded = each.unbounded();
      int same = 0;
      while (same < found.size() && !isSame(found.get(same), unbounded)) {
        same++;
      }
      if (same < found.size()) {
        found.set(same, merged(found.get(same), unbounded));
      } else {
        found.add(unbounded);
      }
    }
    // Half of the limit, so that not every further alternative shrinks the list again.
    if (found.size() > MAX_ALTERNATIVES / 2) {
      Provenance whole = new Provenance(List.copyOf(found)).widened();
      found.clear();
      found.addAll(whole.alternatives());
    }
  }

  /** Returns whether the first is equal to or above the second in the lattice. */
  private static boolean covers(Derivation a, Derivation b) {
    if (!a.isForeign() && (b.isForeign() || b.loadedBits() > a.loadedBits())) {
      return false;
    }
    if (!a.coversSource(b)) {
      return false;
    }
    if (!a.spans(b)) {
      return false;
    }
    if (b.isOffset() && !a.isOffset() && !b.isZero() && !a.isForeign()) {
      return false;
    }
    int j = 0;
    for (int i = 0; i < a.size(); i++) {
      boolean both = j < b.size() && b.origin(j) == a.origin(i);
      if (!a.multiple(i).covers(both ? b.multiple(j) : Multiple.NONE)) {
        return false;
      }
      j += both ? 1 : 0;
    }
    return j == b.size();
  }

  private static boolean isSame(Derivation a, Derivation b) {
    if (a.isForeign() && b.isForeign() && !a.coversSource(b) && !b.coversSource(a)) {
      return false;
    }
    if (a.hasObject() && a.isBounded() && b.isBounded() && !a.spans(b) && !b.spans(a)) {
      return false;
    }
    int i = 0;
    int j = 0;
    while (true) {
      i = skipNumbers(a, i);
      j = skipNumbers(b, j);
      if (i == a.size() || j == b.size()) {
        return i == a.size() && j == b.size();
      }
      if (a.origin(i) != b.origin(j) || a.multiple(i) != b.multiple(j)) {
        return false;
      }
      i++;
      j++;
    }
  }

  private static int skipNumbers(Derivation derivation, int from) {
    int at = from;
    while (at < derivation.size() && Origin.is(derivation.origin(at), ParameterRole.NUMBER)) {
      at++;
    }
    return at;
  }

  private static Derivation merged(Derivation a, Derivation b) {
    Derivation limits = Derivation.NUMBER;
    if (a.spans(b)) {
      limits = a;
    } else if (b.spans(a)) {
      limits = b;
    }
    return a.combine(
        b, (o, x, y) -> x.join(y), a.isForeign() || b.isForeign(), limits.offset(), limits.span());
  }

  Provenance build() {
    return found == null ? first : new Provenance(List.copyOf(found));
  }
}
