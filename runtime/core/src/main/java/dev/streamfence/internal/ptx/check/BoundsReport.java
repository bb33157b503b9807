package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.bounds.ArrayBounds;
import dev.streamfence.internal.ptx.bounds.KernelBounds;
import dev.streamfence.internal.ptx.bounds.LaunchBounds;
import dev.streamfence.internal.ptx.check.Mismatch.Difference;
import dev.streamfence.internal.ptx.check.Mismatch.Subject;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.symbolic.NumberLimits;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.launch.KernelSignature;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a kernel's code shows of the elements that it touches, for each declared array. Confined to
 * one thread.
 */
final class BoundsReport {
  private final PtxModule module;
  private final PtxEntry entry;
  private final DeclaredArrays declared;
  private final KernelBounds bounds;

  /** For each array whose bounds need what is declared of loaded numbers, the arrays of these. */
  private final Map<Integer, Set<Integer>> conditions;

  /** Why each array is not provable; empty if it is. */
  private final List<String> reasons;

  /** Kept, because many launches are tried for them. */
  private @Nullable List<String> words;

  BoundsReport(KernelFlow kernel, KernelSignature signature) {
    this.module = kernel.module();
    this.entry = kernel.entry();
    this.declared = DeclaredArrays.of(signature);
    Map<Integer, NumberLimits> limits = declared.limits();
    KernelBounds whole = bounds(kernel, limits);
    this.conditions = conditions(kernel, limits, whole);
    this.reasons = reasons(whole);
    this.bounds = whole.compact();
  }

  /** The arrays whose limits a bound needs: all of them if those that it cannot do without fail. */
  private Map<Integer, Set<Integer>> conditions(
      KernelFlow kernel, Map<Integer, NumberLimits> limits, KernelBounds whole) {
    Map<Integer, Set<Integer>> found = new HashMap<>();
    if (limits.isEmpty()) {
      return found;
    }
    for (int array : whole.narrowerThan(bounds(kernel, Map.of()))) {
      found.put(array, new TreeSet<>());
    }
    if (limits.size() > 1 && !found.isEmpty()) {
      for (int dropped : limits.keySet()) {
        Map<Integer, NumberLimits> others = DeclaredArrays.without(dropped, limits);
        for (int array : whole.narrowerThan(bounds(kernel, others))) {
          found.computeIfAbsent(array, key -> new TreeSet<>()).add(dropped);
        }
      }
    }
    found.forEach(
        (array, needed) -> {
          if (!areEnough(kernel, limits, needed, array, whole)) {
            needed.addAll(limits.keySet());
          }
        });
    return found;
  }

  /** Whether some limits give the bounds of an array: of others, one of several may be needed. */
  private boolean areEnough(
      KernelFlow kernel,
      Map<Integer, NumberLimits> limits,
      Set<Integer> needed,
      int array,
      KernelBounds whole) {
    if (needed.size() == limits.size()) {
      return true;
    }
    Map<Integer, NumberLimits> some = DeclaredArrays.only(needed, limits);
    return !whole.narrowerThan(bounds(kernel, some)).contains(array);
  }

  private KernelBounds bounds(KernelFlow kernel, Map<Integer, NumberLimits> limits) {
    return KernelBounds.of(kernel, declared.places(), declared.tables(), limits);
  }

  /** What it takes to compute which elements a launch touches. */
  LaunchBounds launches() {
    return bounds.launches();
  }

  /** One clause per array. */
  List<String> inWords() {
    List<String> known = words;
    if (known == null) {
      List<String> found = new ArrayList<>();
      for (int i = 0; i < bounds.arrays().size(); i++) {
        found.add("'" + declared.name(i) + "' " + inWords(i, bounds.isChecked(i)));
      }
      known = List.copyOf(found);
      words = known;
    }
    return known;
  }

  private String inWords(int array, boolean isChecked) {
    String reason = reasons.get(array);
    if (reason.isEmpty()) {
      return (isChecked ? "provable and checked at launch" : "provable") + condition(array);
    }
    return (isChecked ? "checked at launch where certain, otherwise unknown" : "unknown")
        + " ("
        + reason
        + ")";
  }

  private String condition(int array) {
    return declared.condition(conditions.getOrDefault(array, Set.of()));
  }

  private List<String> reasons(KernelBounds whole) {
    List<String> found = new ArrayList<>();
    for (int array = 0; array < whole.arrays().size(); array++) {
      found.add(reason(whole, array));
    }
    return List.copyOf(found);
  }

  private String reason(KernelBounds whole, int array) {
    ArrayBounds found = whole.arrays().get(array);
    if (!found.isLimited()) {
      return found.reason();
    }
    Set<Integer> needed = conditions.getOrDefault(array, Set.of());
    return switch (whole.fit(array, declared.elementBytes(array))) {
      case WITHIN -> "";
      case BEFORE -> "the index may be negative" + asDeclared(needed);
      // Without a declaration, launches that were not tried may have an array that is long enough.
      case BEHIND ->
          needed.isEmpty() ? "" : "the index may be beyond the array" + asDeclared(needed);
    };
  }

  private String asDeclared(Set<Integer> arrays) {
    return arrays.isEmpty() ? "" : " as the numbers in " + declared.names(arrays) + " are declared";
  }

  /** The arrays whose bounds cannot be proved. */
  List<Mismatch> unproved() {
    List<Mismatch> unproved = new ArrayList<>();
    for (int i = 0; i < bounds.arrays().size(); i++) {
      ArrayBounds array = bounds.arrays().get(i);
      String reason = reasons.get(i);
      if (!reason.isEmpty()) {
        Subject subject = new Subject(array.place().parameter(), declared.name(i), reason);
        unproved.add(
            array
                .unclear()
                .map(
                    instruction ->
                        Mismatch.at(
                            AccessSite.of(module, entry.name(), instruction, ""),
                            subject,
                            Difference.UNPROVED_BOUNDS,
                            ""))
                .orElseGet(() -> Mismatch.of(subject, Difference.UNPROVED_BOUNDS, "")));
      }
    }
    return unproved;
  }
}
