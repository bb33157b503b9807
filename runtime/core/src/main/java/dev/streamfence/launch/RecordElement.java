package dev.streamfence.launch;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * An element of an array of records: its fields and their offsets. The layout is that of the C
 * structure with the same fields in the same order: each at the next multiple of its own size, with
 * padding at the end up to a multiple of the largest. A {@code boolean} is a byte, 0 or 1, and a
 * {@code char} an unsigned 16-bit number. Immutable.
 *
 * <p>{@code record Point(float x, double y, byte tag) {}} is {@code struct {float x; double y;
 * signed char tag;}}: 24 bytes, with the fields at 0, 8 and 16.
 */
public final class RecordElement implements ArrayElement {
  /** The most fields. */
  public static final int MAX_FIELDS = 64;

  /** One per class, so that two elements can be compared by reference. */
  private static final ClassValue<RecordElement> OF_CLASS =
      new ClassValue<>() {
        @Override
        protected RecordElement computeValue(Class<?> type) {
          return read(type);
        }
      };

  private final String name;
  private final List<ElementType> fields;
  private final StructLayout layout;

  /**
   * Lays out a record.
   *
   * @param name its canonical name
   * @param fields the types of its components, in order
   * @throws IllegalArgumentException if there are none, or more than {@value #MAX_FIELDS}
   */
  public RecordElement(String name, List<ElementType> fields) {
    if (!canHave(fields.size())) {
      throw new IllegalArgumentException(
          "an array of "
              + name
              + ", a record with "
              + fields.size()
              + " fields; an element has from 1 to "
              + MAX_FIELDS);
    }
    this.name = name;
    this.fields = List.copyOf(fields);
    this.layout = new StructLayout(fields.stream().mapToInt(ElementType::sizeInBytes).toArray());
  }

  /**
   * The element of an array of these records.
   *
   * @throws IllegalArgumentException if it is not a record, is generic, has no components or more
   *     than {@value #MAX_FIELDS}, or has a component that is not a primitive
   */
  public static RecordElement of(Class<?> type) {
    Objects.requireNonNull(type, "type");
    return OF_CLASS.get(type);
  }

  /** Whether an element can have this number of fields. */
  public static boolean canHave(int fields) {
    return fields >= 1 && fields <= MAX_FIELDS;
  }

  private static RecordElement read(Class<?> type) {
    RecordComponent[] components = type.getRecordComponents();
    if (components == null) {
      throw new IllegalArgumentException(type.getTypeName() + " is not a record");
    }
    if (type.getTypeParameters().length > 0) {
      throw new IllegalArgumentException(
          "an array of "
              + type.getTypeName()
              + ", which has the type parameter "
              + type.getTypeParameters()[0]
              + "; kernels are compiled for fixed types");
    }
    List<ElementType> fields = new ArrayList<>();
    for (RecordComponent component : components) {
      if (!component.getType().isPrimitive()) {
        throw new IllegalArgumentException(
            "an array of "
                + type.getTypeName()
                + ", whose "
                + component.getName()
                + " has type "
                + component.getType().getSimpleName()
                + "; the components of such a record are primitives");
      }
      fields.add(ElementType.ofArray(component.getType().arrayType()));
    }
    String canonical = type.getCanonicalName();
    return new RecordElement(canonical == null ? type.getName() : canonical, fields);
  }

  /** The record's canonical name, or its binary name if it has no canonical one. */
  public String name() {
    return name;
  }

  @Override
  public String typeName() {
    return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
  }

  /** The types of the record's components, in order. */
  public List<ElementType> fields() {
    return fields;
  }

  /** Bytes from the start of an element to a field. */
  public int offset(int field) {
    return layout.offset(field);
  }

  /** The last field that begins at a byte of an element, or before it. */
  public int fieldAt(int offset) {
    return layout.fieldAt(offset);
  }

  /** Bytes that one element takes on the device, with the padding at its end. */
  @Override
  public int sizeInBytes() {
    return layout.sizeInBytes();
  }

  @Override
  public int alignment() {
    return layout.alignment();
  }

  @Override
  public boolean equals(Object other) {
    return other == this
        || (other instanceof RecordElement element
            && name.equals(element.name)
            && fields.equals(element.fields));
  }

  @Override
  public int hashCode() {
    return name.hashCode();
  }

  @Override
  public String toString() {
    return name;
  }
}
