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

  /** Kept, because many launches are tried for them. */
  private @Nullable List<String> words;

  BoundsReport(KernelFlow kernel, KernelSignature signature) {
    this.module = kernel.module();
    this.entry = kernel.entry();
    this.declared = DeclaredArrays.of(signature);
    Map<Integer, NumberLimits> limits = declared.limits();
    KernelBounds whole = bounds(kernel, limits);
    this.conditions = conditions(kernel, limits, whole);
    this.bounds = whole.compact();
  }

  /** The arrays whose limits a bound needs: all of them if it would need no single one. */
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
        Map<Integer, NumberLimits> others = new HashMap<>(limits);
        others.remove(dropped);
        for (int array : whole.narrowerThan(bounds(kernel, others))) {
          found.computeIfAbsent(array, key -> new TreeSet<>()).add(dropped);
        }
      }
    }
    found.values().stream().filter(Set::isEmpty).forEach(needed -> needed.addAll(limits.keySet()));
    return found;
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
        found.add(
            "'"
                + declared.name(i)
                + "' "
                + inWords(bounds.arrays().get(i), bounds.isChecked(i))
                + declared.condition(conditions.getOrDefault(i, Set.of())));
      }
      known = List.copyOf(found);
      words = known;
    }
    return known;
  }

  private static String inWords(ArrayBounds array, boolean isChecked) {
    if (array.isLimited()) {
      return isChecked ? "provable and checked at launch" : "provable";
    }
    String why = array.reason().isEmpty() ? "" : " (" + array.reason() + ")";
    return (isChecked ? "checked at launch where certain, otherwise unknown" : "unknown") + why;
  }

  /** The arrays whose bounds cannot be proved. */
  List<Mismatch> unproved() {
    List<Mismatch> unproved = new ArrayList<>();
    for (int i = 0; i < bounds.arrays().size(); i++) {
      ArrayBounds array = bounds.arrays().get(i);
      if (!array.isLimited()) {
        Subject subject = new Subject(array.place().parameter(), declared.name(i), array.reason());
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
