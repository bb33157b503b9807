package dev.streamfence.internal.ptx.analysis.lattice;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The abstract value of the analysis: a set of alternatives, one of which is true of the real
 * value. Immutable. Joins only grow, and widening makes them stop, so that the analysis reaches a
 * fixpoint.
 */
public final class Provenance {
  /** The least element: no value has been assigned yet. */
  public static final Provenance BOTTOM = new Provenance(List.of());

  public static final Provenance ZERO = of(Derivation.ZERO);
  public static final Provenance NUMBER = of(Derivation.NUMBER);
  public static final Provenance FOREIGN = of(Derivation.FOREIGN);
  public static final Provenance LOADED = of(Derivation.LOADED);

  private final List<Derivation> alternatives;

  Provenance(List<Derivation> alternatives) {
    this.alternatives = alternatives;
  }

  public static Provenance of(Derivation only) {
    return new Provenance(List.of(only));
  }

  /** Returns a number that was loaded from memory with this many bits. */
  public static Provenance loaded(int bits) {
    return of(Derivation.loaded(bits));
  }

  public List<Derivation> alternatives() {
    return alternatives;
  }

  public boolean isBottom() {
    return alternatives.isEmpty();
  }

  /** Returns a measure of the work that operations on this provenance take. */
  public int weight() {
    int weight = alternatives.size();
    for (int i = 0; i < alternatives.size(); i++) {
      weight += alternatives.get(i).size();
    }
    return weight;
  }

  /** Returns whether it contains neither parameters nor addresses of objects. */
  public boolean hasNoOrigin() {
    for (int i = 0; i < alternatives.size(); i++) {
      if (alternatives.get(i).size() > 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether it may be a number that the code computed in a way that is not followed, and
   * within no known limits: the bits of an address, put together.
   */
  public boolean mayBeComputed() {
    return alternatives.stream()
        .anyMatch(each -> each.isNumber() && !each.isLoaded() && !each.isBounded());
  }

  /** Returns whether every alternative is a number. */
  public boolean isNumber() {
    for (int i = 0; i < alternatives.size(); i++) {
      if (!alternatives.get(i).isNumber()) {
        return false;
      }
    }
    return true;
  }

  /** Returns the value if it is always the same constant, otherwise null. */
  public @Nullable Long constant() {
    return alternatives.size() == 1 && alternatives.get(0).isConstant()
        ? Long.valueOf(alternatives.get(0).offset())
        : null;
  }

  /** Returns whether any alternative is bounded. */
  public boolean hasLimits() {
    for (int i = 0; i < alternatives.size(); i++) {
      if (alternatives.get(i).isBounded()) {
        return true;
      }
    }
    return false;
  }

  boolean hasSmallNumber() {
    for (int i = 0; i < alternatives.size(); i++) {
      if (alternatives.get(i).isSmallNumber()) {
        return true;
      }
    }
    return false;
  }

  /** Returns a provenance that covers both. */
  public Provenance join(Provenance other) {
    if (other.isBottom() || equals(other)) {
      return this;
    }
    if (isBottom()) {
      return other;
    }
    Alternatives builder = new Alternatives(this);
    builder.addAll(other);
    return builder.build();
  }

  public Provenance map(UnaryOperator<Derivation> change) {
    // Most values have one alternative.
    if (alternatives.size() == 1) {
      Derivation changed = change.apply(alternatives.get(0));
      return changed.equals(alternatives.get(0)) ? this : Alternatives.only(changed);
    }
    Alternatives builder = new Alternatives();
    for (Derivation alternative : alternatives) {
      builder.add(change.apply(alternative));
    }
    return builder.build();
  }

  /** The transfer function of an operation with two operands, for one alternative of each. */
  @FunctionalInterface
  interface TransferFunction {
    Derivation of(Derivation a, Derivation b);
  }

  /** Applies a transfer function to each pair of alternatives; bottom with anything is bottom. */
  Provenance combine(Provenance other, TransferFunction transfer) {
    if (alternatives.size() == 1 && other.alternatives.size() == 1) {
      return Alternatives.only(transfer.of(alternatives.get(0), other.alternatives.get(0)));
    }
    Alternatives builder = new Alternatives();
    for (Derivation a : alternatives) {
      for (Derivation b : other.alternatives) {
        builder.add(transfer.of(a, b));
      }
    }
    return builder.build();
  }

  /** Widens the alternatives to a single one that covers them all. */
  public Provenance widened() {
    if (alternatives.size() < 2) {
      return alternatives.isEmpty() ? this : of(alternatives.get(0).unbounded());
    }
    Derivation all = alternatives.get(0);
    boolean foreign = false;
    for (Derivation next : alternatives) {
      all = all.combine(next, (o, a, b) -> a.join(b), false);
      // A number among addresses may be an unrecognised address, and the sum no longer shows it.
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
}
