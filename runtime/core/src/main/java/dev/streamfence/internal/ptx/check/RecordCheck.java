package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.check.Mismatch.Subject;
import dev.streamfence.internal.ptx.symbolic.ElementAccess;
import dev.streamfence.internal.ptx.symbolic.ElementAccess.Kind;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.PlacedParameter;
import dev.streamfence.launch.RecordElement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Compares the components of the records in one array with a kernel's accesses: with their
 * distances, and with the places where the kernel computes with floating-point numbers. Immutable.
 */
final class RecordCheck {
  /** A place in an element. */
  private record Place(int offset, int bytes) {}

  private final RecordElement element;

  /**
   * Where the kernel computes with integers. If it also does so with floats, it has a union there.
   */
  private final Set<Place> integers = new HashSet<>();

  private RecordCheck(RecordElement element, List<ElementAccess> accesses) {
    this.element = element;
    for (ElementAccess access : accesses) {
      if (access.kind() == Kind.INTEGER && isAtOnePlace(access)) {
        integers.add(place(access));
      }
    }
  }

  /**
   * Returns the first difference of each array of records.
   *
   * @param kernel the kernel's code, which is asked for only if there is such an array
   */
  static List<Mismatch> compare(KernelSignature declared, Supplier<KernelFlow> kernel) {
    DeclaredArrays arrays = DeclaredArrays.of(declared);
    Map<Integer, RecordElement> records = new LinkedHashMap<>();
    for (int array = 0; array < arrays.places().size(); array++) {
      KernelParameter parameter = declared.placed().get(arrays.position(array)).parameter();
      if (parameter instanceof KernelParameter.Array each
          && each.elementType() instanceof RecordElement element) {
        records.put(array, element);
      }
    }
    if (records.isEmpty()) {
      return List.of();
    }
    KernelFlow flow = kernel.get();
    List<ElementAccess> all =
        ElementAccess.of(flow, arrays.places(), arrays.tables(), arrays.limits());
    List<Mismatch> found = new ArrayList<>();
    records.forEach(
        (array, element) -> {
          List<ElementAccess> own = all.stream().filter(each -> each.array() == array).toList();
          RecordCheck check = new RecordCheck(element, own);
          PlacedParameter placed = declared.placed().get(arrays.position(array));
          Subject subject = new Subject(placed.passed(), placed.name(), "");
          for (ElementAccess access : own) {
            Optional<String> difference = check.difference(access);
            if (difference.isPresent()) {
              AccessSite site =
                  AccessSite.of(flow.module(), flow.entry().name(), access.instruction(), "");
              found.add(Mismatch.ofRecord(site, subject, difference.get()));
              return;
            }
          }
        });
    return found;
  }

  /** The predicate of a sentence about the array; empty if an access fits its elements. */
  private Optional<String> difference(ElementAccess access) {
    int size = element.sizeInBytes();
    String declared = " is " + element.typeName() + "[]";
    if (!isAtOnePlace(access)) {
      // A smaller distance may be one within an element, and a kernel may take numbers of one type
      // several at a time.
      return access.step() < size || hasOneWidth()
          ? Optional.empty()
          : Optional.of(
              declared
                  + ", whose elements have "
                  + size
                  + " bytes, but the kernel accesses elements at a distance of "
                  + access.step());
    }
    Place place = place(access);
    if (access.kind() != Kind.FLOAT || integers.contains(place)) {
      return Optional.empty();
    }
    int field = element.fieldAt(place.offset());
    ElementType type = element.fields().get(field);
    boolean isBegin = element.offset(field) == place.offset();
    if (mayHold(type, place.bytes(), isBegin)) {
      return Optional.empty();
    }
    return Optional.of(
        declared
            + (isBegin
                ? ", whose component " + (field + 1) + " is of type " + type.typeName()
                : ", which has no component at byte " + place.offset())
            + ", but the kernel computes with a "
            + (place.bytes() == Double.BYTES ? "double" : "float")
            + " there");
  }

  /** Whether a component may hold a number: bytes are any memory, and a long two such numbers. */
  static boolean mayHold(ElementType type, int bytes, boolean isBegin) {
    return switch (type) {
      case BOOLEAN, BYTE -> true;
      case LONG -> bytes == Float.BYTES;
      default -> type.isFloatingPoint() && type.sizeInBytes() == bytes && isBegin;
    };
  }

  private boolean hasOneWidth() {
    return element.fields().stream().mapToInt(ElementType::sizeInBytes).distinct().count() == 1;
  }

  /** Whether an access lies at the same place of every element that it touches. */
  private boolean isAtOnePlace(ElementAccess access) {
    return access.step() % element.sizeInBytes() == 0;
  }

  private Place place(ElementAccess access) {
    return new Place(
        (int) Math.floorMod(access.first(), (long) element.sizeInBytes()), access.bytes());
  }
}
