package dev.streamfence.internal.ptx.analysis.lattice;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Decides in the memory of which parameters an address may lie.
 *
 * <p>A sum has one base, which is a pointer; the rest is offsets. A declared buffer is the base
 * rather than a parameter of unknown role, and a number is the base only if nothing else can be.
 */
public final class AddressJudge {
  private static final int MAX_NAMED = 4;

  /** The origins in whose memory the address may lie. */
  private final Set<Integer> touched = new TreeSet<>();

  /** Numbers that may be the address if their declaration is wrong; not touched otherwise. */
  private final Set<Integer> suspects = new TreeSet<>();

  /** The sums whose base may be an address that was loaded from memory. */
  private final List<Derivation> loaded = new ArrayList<>();

  private boolean exact = true;

  /** Whether the address may also lie in memory that belongs to no parameter. */
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

  /** Returns the numbers that may be the address if their declaration is wrong. */
  public Set<Integer> suspects() {
    suspects.removeIf(Origin::isNarrow);
    return suspects;
  }

  /** Returns all numbers that may be the address. */
  public Set<Integer> numbers() {
    Set<Integer> numbers = new TreeSet<>(suspects());
    touched.stream()
        .filter(origin -> Origin.is(origin, ParameterRole.NUMBER))
        .forEach(numbers::add);
    return numbers;
  }

  /** Returns the sums whose base may be an address that was loaded from memory. */
  public List<Derivation> loaded() {
    return loaded;
  }

  /**
   * Returns a value that certainly is an address, with its base marked as a buffer; unchanged if
   * its base is unclear.
   */
  public static Provenance converted(Provenance address) {
    AddressJudge judge = of(address);
    Integer base = judge.isDefinite() ? judge.touched.iterator().next() : null;
    if (base == null || Origin.is(base, ParameterRole.BUFFER)) {
      return address;
    }
    return address.map(
        sum -> sum.multipleOf(base).isWhole() ? sum.withRole(base, ParameterRole.BUFFER) : sum);
  }

  /** Returns whether the address certainly derives from exactly one parameter. */
  public boolean isDefinite() {
    return touched.size() == 1 && exact && !elsewhere;
  }

  /** Returns whether the address certainly derives from one of the touched parameters. */
  public boolean isChoice() {
    return touched.size() > 1 && exact && !elsewhere;
  }

  /**
   * Returns the reason why the address is not definite.
   *
   * @param names names the parameter or field with an index
   */
  public String doubt(IntFunction<String> names) {
    if (touched.size() > MAX_NAMED) {
      return "its address may come from any of " + touched.size() + " parameters or fields";
    }
    if (touched.size() > 1) {
      return touched.stream()
          .map(Origin::index)
          .distinct()
          .sorted()
          .map(names::apply)
          .collect(Collectors.joining(" or ", "its address may come from ", ""));
    }
    return elsewhere
        ? "its address may also come from elsewhere"
        : "the origin of its address is unclear";
  }

  private void add(Derivation sum) {
    List<Integer> unclear = with(sum, multiple -> multiple == Multiple.TOP);
    boolean unclearObject = hasObject(sum, multiple -> multiple == Multiple.TOP);
    List<Integer> whole = with(sum, Multiple::isWhole);
    List<Integer> buffers = only(whole, ParameterRole.BUFFER);
    // Bits of another pointer may move the sum into the memory of that pointer.
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
      if (only(all(sum), ParameterRole.BUFFER).size() > 1) {
        // With the distance of two buffers, the base may be anything.
        suspects.addAll(only(whole, ParameterRole.NUMBER));
      }
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
      // No origin is certainly the base, so one that looks like an index may be it.
      candidates = all(sum);
    }
    if (!candidates.stream().allMatch(origin -> Origin.is(origin, ParameterRole.NUMBER))) {
      suspects.addAll(only(candidates, ParameterRole.NUMBER));
      candidates.removeIf(origin -> Origin.is(origin, ParameterRole.NUMBER));
    }
    removeNarrow(candidates, sum);
    boolean other = unclearObject || sum.isForeign() || isLoadedNumber(candidates, sum);
    if (sum.isForeign() && only(candidates, ParameterRole.NUMBER).size() == candidates.size()) {
      loaded.add(sum);
    }
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
      loaded.add(sum);
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

  /**
   * Removes the origins that are too narrow for an address, if anything else may be the address.
   */
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

  /**
   * Returns whether only numbers are left and the sum has a loaded number, which may as well be the
   * base.
   */
  private static boolean isLoadedNumber(List<Integer> candidates, Derivation sum) {
    return sum.isLoaded() && only(candidates, ParameterRole.NUMBER).size() == candidates.size();
  }

  private void doubt(List<Integer> candidates) {
    exact &= candidates.isEmpty();
    touched.addAll(candidates);
  }

  /** Returns the origins that may be pointers, with any multiple. */
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
