package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.check.Mismatch.Subject;
import dev.streamfence.internal.ptx.symbolic.ElementFloats;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.PlacedParameter;
import dev.streamfence.launch.RecordElement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Compares the components of records in arrays with the floating-point numbers with which a kernel
 * computes. Stateless.
 */
final class RecordCheck {
  private RecordCheck() {}

  /**
   * Returns the first difference of each array.
   *
   * @param kernel the kernel's code, which is asked for only if there is an array of records
   */
  static List<Mismatch> compare(KernelSignature declared, Supplier<KernelFlow> kernel) {
    DeclaredArrays arrays = DeclaredArrays.of(declared);
    List<PlacedParameter> placed = declared.placed();
    Map<Integer, RecordElement> records = new HashMap<>();
    Map<Integer, Integer> sizes = new HashMap<>();
    for (int array = 0; array < arrays.places().size(); array++) {
      if (placed.get(arrays.position(array)).parameter() instanceof KernelParameter.Array each
          && each.elementType() instanceof RecordElement element) {
        records.put(array, element);
        sizes.put(array, element.sizeInBytes());
      }
    }
    if (records.isEmpty()) {
      return List.of();
    }
    KernelFlow flow = kernel.get();
    List<Mismatch> found = new ArrayList<>();
    Set<Integer> seen = new HashSet<>();
    for (ElementFloats place : ElementFloats.of(flow, arrays.places(), arrays.tables(), sizes)) {
      RecordElement element = records.get(place.array());
      if (element != null && !fits(element, place) && seen.add(place.array())) {
        PlacedParameter parameter = placed.get(arrays.position(place.array()));
        Subject subject = new Subject(parameter.passed(), parameter.name(), "");
        AccessSite site =
            AccessSite.of(flow.module(), flow.entry().name(), place.instruction(), "");
        found.add(Mismatch.ofRecord(site, subject, difference(element, place)));
      }
    }
    return found;
  }

  private static boolean fits(RecordElement element, ElementFloats place) {
    int field = fieldAt(element, place.offset());
    ElementType type = field < 0 ? null : element.fields().get(field);
    return type != null && type.isFloatingPoint() && type.sizeInBytes() == place.bytes();
  }

  private static String difference(RecordElement element, ElementFloats place) {
    int field = fieldAt(element, place.offset());
    String number = place.bytes() == Double.BYTES ? "double" : "float";
    String component =
        field < 0
            ? ", which has no component at byte " + place.offset()
            : ", whose component "
                + (field + 1)
                + (" is of type " + element.fields().get(field).typeName());
    return " is "
        + (element.typeName() + "[]" + component)
        + (", but the kernel computes with a " + number + " there");
  }

  /** The component that begins at a byte of an element; negative if none does. */
  private static int fieldAt(RecordElement element, int offset) {
    return IntStream.range(0, element.fields().size())
        .filter(field -> element.offset(field) == offset)
        .findFirst()
        .orElse(-1);
  }
}
