package dev.streamfence.ptx;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * All the ways in which a value may come about: it is one of several derivations. Immutable. Joins
 * only grow, and stop growing, so that a fix-point is reached.
 */
final class Provenance {
  /** Enough for what one register takes over from the branches before it. */
  private static final int MAX_ALTERNATIVES = 8;

  /** More than a kernel has parameters and a table has entries. */
  private static final int MAX_ORIGINS = 512;

  /** Nothing has been assigned yet. */
  static final Provenance NOTHING = new Provenance(List.of());

  static final Provenance ZERO = of(Derivation.ZERO);
  static final Provenance NUMBER = of(Derivation.NUMBER);
  static final Provenance FOREIGN = of(Derivation.FOREIGN);

  private final List<Derivation> alternatives;

  private Provenance(List<Derivation> alternatives) {
    this.alternatives = alternatives;
  }

  static Provenance of(Derivation only) {
    return new Provenance(List.of(only));
  }

  List<Derivation> alternatives() {
    return alternatives;
  }

  boolean isNothing() {
    return alternatives.isEmpty();
  }

  /** Returns whether it contains neither parameters nor addresses of objects. */
  boolean hasNoOrigin() {
    for (Derivation alternative : alternatives) {
      if (alternative.size() > 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether it is nothing but numbers. */
  boolean isNumber() {
    for (Derivation alternative : alternatives) {
      if (!alternative.isNumber()) {
        return false;
      }
    }
    return true;
  }

  /** Returns the value if it is always the same constant, otherwise null. */
  @Nullable Long constant() {
    return alternatives.size() == 1 && alternatives.get(0).isConstant()
        ? Long.valueOf(alternatives.get(0).offset())
        : null;
  }

  boolean hasConstant() {
    for (Derivation alternative : alternatives) {
      if (alternative.isConstant()) {
        return true;
      }
    }
    return false;
  }

  Provenance or(Provenance other) {
    if (other.isNothing() || equals(other)) {
      return this;
    }
    if (isNothing()) {
      return other;
    }
    Builder builder = new Builder();
    builder.addAll(this);
    builder.addAll(other);
    return builder.build();
  }

  Provenance map(UnaryOperator<Derivation> change) {
    Builder builder = new Builder();
    for (Derivation alternative : alternatives) {
      builder.add(change.apply(alternative));
    }
    return builder.build();
  }

  /** What two derivations become. */
  @FunctionalInterface
  interface Operation {
    Derivation of(Derivation a, Derivation b);
  }

  /** Combines each way with each way; nothing with anything is nothing. */
  Provenance combine(Provenance other, Operation operation) {
    Builder builder = new Builder();
    for (Derivation a : alternatives) {
      for (Derivation b : other.alternatives) {
        builder.add(operation.of(a, b));
      }
    }
    return builder.build();
  }

  /** Returns one derivation that covers all, from which further joins grow no alternatives. */
  Provenance collapsed() {
    if (alternatives.size() < 2) {
      return alternatives.isEmpty() ? this : of(alternatives.get(0).unfixed());
    }
    Derivation all = alternatives.get(0);
    boolean foreign = false;
    for (Derivation next : alternatives) {
      all = all.combine(next, (o, a, b) -> a.or(b), false, false, 0);
      // A number among addresses may be one that nobody recognised; no sum shows it any more.
      foreign |= next.isForeign() || (next.isOffset() && !next.isZero());
    }
    return of(all.withForeign(foreign && !all.isOffset()));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof Provenance provenance && alternatives.equals(provenance.alternatives));
  }

  @Override
  public int hashCode() {
    return alternatives.hashCode();
  }

  /** Collects alternatives; those that differ in numbers alone become one. */
  private static final class Builder {
    private final List<Derivation> found = new ArrayList<>();

    void addAll(Provenance provenance) {
      provenance.alternatives.forEach(this::add);
    }

    void add(Derivation added) {
      if (added.size() > MAX_ORIGINS) {
        throw new TooLargeException();
      }
      for (int i = 0; i < found.size(); i++) {
        Derivation earlier = found.get(i);
        if (covers(earlier, added)) {
          return;
        }
        if (isSame(earlier, added)) {
          found.set(i, merged(earlier, added));
          return;
        }
      }
      found.add(added);
      if (found.size() > MAX_ALTERNATIVES) {
        shrink();
      }
    }

    private void shrink() {
      List<Derivation> all = List.copyOf(found);
      found.clear();
      for (Derivation each : all) {
        Derivation unfixed = each.unfixed();
        int same = 0;
        while (same < found.size() && !isSame(found.get(same), unfixed)) {
          same++;
        }
        if (same < found.size()) {
          found.set(same, merged(found.get(same), unfixed));
        } else {
          found.add(unfixed);
        }
      }
      // Half, so that not every further alternative gets here again.
      if (found.size() > MAX_ALTERNATIVES / 2) {
        Provenance whole = new Provenance(List.copyOf(found)).collapsed();
        found.clear();
        found.addAll(whole.alternatives);
      }
    }

    /** Returns whether whatever the second allows is allowed by the first already. */
    private static boolean covers(Derivation a, Derivation b) {
      if (b.isForeign() && !a.isForeign()) {
        return false;
      }
      if (a.isFixed() && (!b.isFixed() || a.offset() != b.offset())) {
        return false;
      }
      if (b.isOffset() && !a.isOffset() && !b.isZero() && !a.isForeign()) {
        return false;
      }
      int j = 0;
      for (int i = 0; i < a.size(); i++) {
        boolean both = j < b.size() && b.origin(j) == a.origin(i);
        if (a.multiple(i) != Multiple.ANY && !(both && b.multiple(j) == a.multiple(i))) {
          return false;
        }
        j += both ? 1 : 0;
      }
      return j == b.size();
    }

    private static boolean isSame(Derivation a, Derivation b) {
      if (a.hasObject() && a.isFixed() && b.isFixed() && a.offset() != b.offset()) {
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
      boolean fixed = a.isFixed() && b.isFixed() && a.offset() == b.offset();
      return a.combine(b, (o, x, y) -> x.or(y), a.isForeign() || b.isForeign(), fixed, a.offset());
    }

    Provenance build() {
      return found.isEmpty() ? NOTHING : new Provenance(List.copyOf(found));
    }
  }
}
