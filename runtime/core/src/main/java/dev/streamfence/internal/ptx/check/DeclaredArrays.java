package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.NumberLimits;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import dev.streamfence.launch.ElementLimit;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.PlacedParameter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The arrays that a kernel's interface declares, other than those in tables. Immutable. */
public final class DeclaredArrays {
  private final List<ArrayPlace> places = new ArrayList<>();
  private final List<ArrayPlace> tables = new ArrayList<>();
  private final List<String> names = new ArrayList<>();
  private final List<Boolean> trusted = new ArrayList<>();
  private final List<Integer> sizes = new ArrayList<>();
  private final Map<Integer, Integer> distinct = new HashMap<>();
  private final Map<Integer, NumberLimits> limits = new HashMap<>();
  private final List<Integer> indexes = new ArrayList<>();
  private final List<Integer> positions = new ArrayList<>();

  private DeclaredArrays() {}

  /** The arrays of a signature, in order. */
  public static DeclaredArrays of(KernelSignature signature) {
    DeclaredArrays arrays = new DeclaredArrays();
    List<PlacedParameter> placed = signature.placed();
    placed.forEach(arrays::add);
    for (PlacedParameter each : placed) {
      if (each.parameter() instanceof KernelParameter.Array array && !array.limits().isEmpty()) {
        List<NumberLimits.Limit> limits = new ArrayList<>();
        for (ElementLimit limit : array.limits()) {
          limits.add(arrays.limit(limit, signature.limiting(each, limit).orElseThrow()));
        }
        arrays.limits.put(
            arrays.indexes.get(placed.indexOf(each)),
            new NumberLimits(array.elementType().sizeInBytes(), array.least(), limits));
      }
    }
    return arrays;
  }

  private NumberLimits.Limit limit(ElementLimit limit, PlacedParameter other) {
    if (other.parameter() instanceof KernelParameter.Array) {
      int array = places.indexOf(new ArrayPlace(other.passed(), other.offset()));
      return new NumberLimits.ArrayLength(array, limit.isBelow());
    }
    int size = ((KernelParameter.Passed) other.parameter()).sizeInBytes();
    NumberPlace place = new NumberPlace(other.passed(), other.offset(), size);
    return new NumberLimits.PassedNumber(place, limit.isBelow());
  }

  private void add(PlacedParameter placed) {
    KernelParameter parameter = placed.parameter();
    ArrayPlace place = new ArrayPlace(placed.passed(), placed.offset());
    indexes.add(parameter instanceof KernelParameter.Array ? places.size() : -1);
    if (parameter instanceof KernelParameter.Table) {
      tables.add(place);
    }
    if (parameter instanceof KernelParameter.Array array) {
      if (array.distinct()) {
        distinct.put(places.size(), array.elementType().sizeInBytes());
      }
      positions.add(indexes.size() - 1);
      places.add(place);
      names.add(placed.name());
      trusted.add(array.trusted());
      sizes.add(array.elementType().sizeInBytes());
    }
  }

  /** Where the kernel receives each array. */
  public List<ArrayPlace> places() {
    return List.copyOf(places);
  }

  /** Where the kernel receives each table of arrays. */
  public List<ArrayPlace> tables() {
    return List.copyOf(tables);
  }

  /** The name of an array's parameter, {@code column.values} for a field of a structure. */
  public String name(int array) {
    return names.get(array);
  }

  /**
   * What has to be true of the numbers in some arrays, as the end of a sentence; empty if there are
   * none.
   */
  String condition(Collection<Integer> arrays) {
    return arrays.isEmpty() ? "" : " if the numbers in " + names(arrays) + " are as declared";
  }

  /** The names of some arrays, for a sentence. */
  String names(Collection<Integer> arrays) {
    return arrays.stream()
        .map(array -> "'" + name(array) + "'")
        .collect(Collectors.joining(" and "));
  }

  /** The size of the elements of each array whose elements are declared to be distinct. */
  Map<Integer, Integer> distinct() {
    return Map.copyOf(distinct);
  }

  /** The limits of the elements of each array that has some. */
  Map<Integer, NumberLimits> limits() {
    return Map.copyOf(limits);
  }

  /** Whether the elements of an array have limits. */
  public boolean hasLimits() {
    return !limits.isEmpty();
  }

  /** Whether the length of an array limits the elements of one. */
  public boolean hasLengthsAsLimits() {
    return limits.values().stream()
        .flatMap(numbers -> numbers.limits().stream())
        .anyMatch(NumberLimits.ArrayLength.class::isInstance);
  }

  /** The size of the elements of an array, in bytes. */
  int elementBytes(int array) {
    return sizes.get(array);
  }

  /** Whether the declaration vouches for an array. */
  boolean isTrusted(int array) {
    return trusted.get(array);
  }

  /**
   * The index of an array.
   *
   * @param position its parameter, counted with the fields of structures in their place
   * @return the index; negative if the parameter is no array
   */
  public int indexAt(int position) {
    return indexes.get(position);
  }

  /** The position of an array's parameter, see {@link #indexAt}. */
  public int position(int array) {
    return positions.get(array);
  }

  /** What is declared of some arrays. */
  static <T> Map<Integer, T> only(Set<Integer> arrays, Map<Integer, T> declared) {
    Map<Integer, T> some = new HashMap<>(declared);
    some.keySet().retainAll(arrays);
    return some;
  }

  /** What is declared of the other arrays. */
  static <T> Map<Integer, T> without(int array, Map<Integer, T> declared) {
    Map<Integer, T> others = new HashMap<>(declared);
    others.remove(array);
    return others;
  }
}
