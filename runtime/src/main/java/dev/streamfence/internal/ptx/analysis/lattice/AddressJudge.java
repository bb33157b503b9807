package dev.streamfence.internal.ptx.analysis.lattice;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Decides which parameter's memory an address lies in.
 *
 * <p>A sum has one base, which says which memory is meant; the rest are offsets. A buffer is a base
 * before what may be one, and a number is one only if nothing else can be.
 */
public final class AddressJudge {
  private static final int MAX_NAMED = 4;

  /** Parameters that the address may belong to. */
  private final Set<Integer> touched = new TreeSet<>();

  private boolean exact = true;

  /** Whether it may as well lie in memory that no parameter leads to. */
  private boolean elsewhere;

  private AddressJudge() {}

  public static AddressJudge of(Provenance address) {
    AddressJudge judge = new AddressJudge();
    for (Derivation alternative : address.alternatives()) {
      if (!alternative.isZero()) {
        judge.add(alternative);
      }
    }
    return judge;
  }

  public Set<Integer> touched() {
    return touched;
  }

  /** Returns whether there is one parameter, and no doubt about it. */
  public boolean isDefinite() {
    return touched.size() == 1 && exact && !elsewhere;
  }

  /**
   * Says why it is not definite.
   *
   * @param names names the parameter or field with an index
   */
  public String doubt(IntFunction<String> names) {
    if (touched.size() > MAX_NAMED) {
      return "its address may come from any of " + touched.size() + " parameters or fields";
    }
    if (touched.size() > 1) {
      return touched.stream()
          .map(origin -> names.apply(Origin.index(origin)))
          .collect(Collectors.joining(" or ", "its address may come from ", ""));
    }
    return elsewhere
        ? "its address may come from elsewhere as well"
        : "how its address comes about is not clear";
  }

  private void add(Derivation sum) {
    List<Integer> unclear = with(sum, multiple -> multiple == Multiple.TOP);
    boolean unclearObject = hasObject(sum, multiple -> multiple == Multiple.TOP);
    List<Integer> whole = with(sum, Multiple::isWhole);
    List<Integer> buffers = only(whole, ParameterRole.BUFFER);
    // Bits of another pointer may be those that tell its memory from what else is in the sum.
    List<Integer> parts = with(sum, multiple -> multiple == Multiple.PART);
    parts.removeIf(origin -> Origin.is(origin, ParameterRole.NUMBER));
    doubt(parts);
    if (hasObject(sum, Multiple::isWhole) && !unclearObject) {
      elsewhere = true;
      buffers.addAll(only(unclear, ParameterRole.BUFFER));
      doubt(buffers);
    } else if (buffers.size() == 1
        && only(unclear, ParameterRole.BUFFER).isEmpty()
        && !unclearObject) {
      touched.addAll(buffers);
    } else if (unclear.isEmpty() && !unclearObject) {
      addPlain(sum, whole, buffers);
    } else {
      addUnclear(sum, whole, unclear, unclearObject);
    }
  }

  private void addUnclear(
      Derivation sum, List<Integer> whole, List<Integer> unclear, boolean unclearObject) {
    List<Integer> candidates = new ArrayList<>(unclear);
    candidates.addAll(whole);
    if (whole.isEmpty()) {
      // Nothing is surely the base, so that what looks like an index may be it after all.
      candidates = all(sum);
    }
    if (!candidates.stream().allMatch(origin -> Origin.is(origin, ParameterRole.NUMBER))) {
      candidates.removeIf(origin -> Origin.is(origin, ParameterRole.NUMBER));
    }
    removeNarrow(candidates, sum);
    boolean other = unclearObject || sum.isForeign() || isLoadedNumber(candidates, sum);
    if (candidates.size() == 1 && !other) {
      touched.addAll(candidates);
    } else {
      elsewhere |= other;
      doubt(candidates);
    }
  }

  /** Adds a sum in which every multiple is known. */
  private void addPlain(Derivation sum, List<Integer> whole, List<Integer> buffers) {
    List<Integer> either = only(whole, ParameterRole.EITHER);
    List<Integer> numbers = only(whole, ParameterRole.NUMBER);
    removeNarrow(numbers, sum);
    if (buffers.size() > 1) {
      doubt(buffers);
    } else if (!either.isEmpty()) {
      base(either, sum);
    } else if (sum.isForeign()) {
      elsewhere = true;
      doubt(numbers);
    } else if (!numbers.isEmpty()) {
      numbers.addAll(rest(sum));
      base(numbers, sum);
    } else {
      List<Integer> rest = rest(sum);
      if (rest.isEmpty()) {
        rest = only(all(sum), ParameterRole.NUMBER);
      }
      elsewhere |= rest.isEmpty();
      doubt(rest);
    }
  }

  /** Takes out what is too narrow for an address, if anything else may be one. */
  private static void removeNarrow(List<Integer> candidates, Derivation sum) {
    if (sum.isForeign() || !candidates.stream().allMatch(Origin::isNarrow)) {
      candidates.removeIf(Origin::isNarrow);
    }
  }

  private void base(List<Integer> candidates, Derivation sum) {
    boolean other = sum.isForeign() || isLoadedNumber(candidates, sum);
    if (candidates.size() == 1 && !other) {
      touched.addAll(candidates);
    } else {
      elsewhere |= other;
      doubt(candidates);
    }
  }

  /** Returns whether only numbers are left, and one of unknown provenance is no worse than they. */
  private static boolean isLoadedNumber(List<Integer> candidates, Derivation sum) {
    return sum.isLoaded() && only(candidates, ParameterRole.NUMBER).size() == candidates.size();
  }

  private void doubt(List<Integer> candidates) {
    exact &= candidates.isEmpty();
    touched.addAll(candidates);
  }

  /** Returns what may be a pointer, but is in the sum in such a way that it is none there. */
  private static List<Integer> rest(Derivation sum) {
    List<Integer> rest = all(sum);
    rest.removeIf(origin -> Origin.is(origin, ParameterRole.NUMBER));
    return rest;
  }

  private static List<Integer> all(Derivation sum) {
    List<Integer> all = new ArrayList<>();
    for (int i = 0; i < sum.size() && !Origin.isObject(sum.origin(i)); i++) {
      all.add(sum.origin(i));
    }
    return all;
  }

  private static List<Integer> with(Derivation sum, Predicate<Multiple> wanted) {
    List<Integer> found = all(sum);
    found.removeIf(origin -> !wanted.test(sum.multipleOf(origin)));
    return found;
  }

  private static List<Integer> only(List<Integer> origins, ParameterRole role) {
    List<Integer> found = new ArrayList<>(origins);
    found.removeIf(origin -> !Origin.is(origin, role));
    return found;
  }

  private static boolean hasObject(Derivation sum, Predicate<Multiple> wanted) {
    for (int i = sum.size() - 1; i >= 0 && Origin.isObject(sum.origin(i)); i--) {
      if (wanted.test(sum.multiple(i))) {
        return true;
      }
    }
    return false;
  }
}
