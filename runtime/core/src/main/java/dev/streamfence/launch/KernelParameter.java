// Long because each kind of parameter is a record with its own documentation.
package dev.streamfence.launch;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One parameter of a kernel's method, as the interface declares it. Immutable. */
public sealed interface KernelParameter {
  /** Its name in the interface. */
  String name();

  /** A description of what it takes, for errors. */
  String inWords();

  /** Applies the function for this kind of parameter. */
  <R> R match(Cases<R> cases);

  /**
   * One function per kind of parameter; a new kind breaks each caller at compile time.
   *
   * @param <R> the type of the results
   */
  record Cases<R>(
      Function<? super Value, R> value,
      Function<? super Struct, R> struct,
      Function<? super Array, R> array,
      Function<? super Table, R> table,
      Function<? super Threads, R> threadCount,
      Function<? super Shape, R> shape,
      Function<? super SharedBytes, R> sharedBytes) {}

  /**
   * One function per kind of parameter that the kernel itself receives.
   *
   * @param <R> the type of the results
   */
  record PassedCases<R>(
      Function<? super Value, R> value,
      Function<? super Struct, R> struct,
      Function<? super Array, R> array,
      Function<? super Table, R> table,
      Function<? super Threads, R> threadCount) {}

  /** A parameter that the kernel itself receives. */
  sealed interface Passed extends KernelParameter {
    /** Bytes that the kernel receives. */
    int sizeInBytes();

    /** The alignment of these bytes, a power of two. */
    default int alignment() {
      return sizeInBytes();
    }

    /** Applies the function for this kind of parameter. */
    <R> R match(PassedCases<R> cases);

    @Override
    default <R> R match(Cases<R> cases) {
      return match(
          new PassedCases<>(
              cases.value(), cases.struct(), cases.array(), cases.table(), cases.threadCount()));
    }
  }

  /** A parameter that can also be a field of a structure. */
  sealed interface Field extends Passed {}

  /** A parameter through which the kernel accesses memory whose uses are recorded. */
  sealed interface Tracked extends Field {
    /** How the kernel uses the memory. */
    Access access();

    /** Whether the declared access is trusted where the kernel's code leaves it unclear. */
    boolean trusted();

    /** The same parameter, with its declared access trusted. */
    Tracked asTrusted();

    /** Whether a launch may pass an array of another device. */
    boolean peer();

    /** The same parameter, for which a launch may pass an array of another device. */
    Tracked asPeer();

    @Override
    default int sizeInBytes() {
      return Long.BYTES;
    }
  }

  /**
   * A number by value.
   *
   * @param name its name in the interface
   * @param type its type
   */
  record Value(String name, ElementType type) implements Field {
    @Override
    public String inWords() {
      return KernelParameter.inWords(type);
    }

    @Override
    public int sizeInBytes() {
      return type.sizeInBytes();
    }

    @Override
    public <R> R match(PassedCases<R> cases) {
      return cases.value().apply(this);
    }
  }

  /**
   * A structure by value.
   *
   * @param name its name in the interface
   * @param fields from 1 to {@value StructLayout#MAX_FIELDS} of them, in order
   */
  record Struct(String name, List<Field> fields) implements Passed {
    public Struct {
      fields = List.copyOf(fields);
      StructLayout.of(fields);
    }

    /** Where its fields lie. */
    public StructLayout layout() {
      return StructLayout.of(fields);
    }

    /** A field's name in errors, {@code column.rows}. */
    public String name(Field field) {
      return name + "." + field.name();
    }

    @Override
    public String inWords() {
      return "a structure";
    }

    @Override
    public int sizeInBytes() {
      return layout().sizeInBytes();
    }

    @Override
    public int alignment() {
      return layout().alignment();
    }

    @Override
    public <R> R match(PassedCases<R> cases) {
      return cases.struct().apply(this);
    }
  }

  /**
   * The address of a tracked array; 0 for an array that is absent or has no elements.
   *
   * @param name its name in the interface
   * @param elementType the type of its elements
   * @param access how the kernel uses it
   * @param trusted whether the declared access is trusted where the kernel's code leaves it unclear
   * @param optional whether a launch may pass no array
   * @param distinct whether no two of the elements that a launch loads are equal
   * @param peer whether a launch may pass an array of another device
   * @param limits the limits of the elements that a launch loads; all of them hold
   * @param least the least of these elements if they have limits, otherwise 0: 0 for indexes, -1
   *     where that stands for none
   */
  record Array(
      String name,
      ArrayElement elementType,
      Access access,
      boolean trusted,
      boolean optional,
      boolean distinct,
      boolean peer,
      List<ElementLimit> limits,
      long least)
      implements Tracked {
    public Array {
      limits = List.copyOf(limits);
      boolean isPlain = access != Access.READ || !areWhole(elementType);
      if (isPlain && (distinct || !limits.isEmpty())) {
        throw new IllegalArgumentException(
            name
                + ": only an array of whole numbers that a kernel only reads can be "
                + (distinct ? "distinct" : "limited"));
      }
      if (limits.isEmpty() && least != 0) {
        throw new IllegalArgumentException(
            name + ": the least element is " + least + ", but no limit is declared; declare one");
      }
    }

    /** Whether elements of a type are whole numbers, of which more can be declared. */
    public static boolean areWhole(ArrayElement type) {
      return type == ElementType.BYTE
          || type == ElementType.SHORT
          || type == ElementType.INT
          || type == ElementType.LONG;
    }

    @Override
    public String inWords() {
      return "an array of " + elementType.typeName();
    }

    @Override
    public Array asTrusted() {
      return new Array(name, elementType, access, true, optional, distinct, peer, limits, least);
    }

    @Override
    public Array asPeer() {
      return new Array(name, elementType, access, trusted, optional, distinct, true, limits, least);
    }

    /** The same parameter, for which a launch may pass no array. */
    public Array asOptional() {
      return new Array(name, elementType, access, trusted, true, distinct, peer, limits, least);
    }

    /**
     * The same parameter, of which no two elements that a launch loads are equal.
     *
     * @throws IllegalArgumentException unless it is an array of whole numbers that is only read
     */
    public Array asDistinct() {
      return new Array(name, elementType, access, trusted, optional, true, peer, limits, least);
    }

    /**
     * The same parameter, with one more limit of the elements that a launch loads.
     *
     * @throws IllegalArgumentException unless it is an array of whole numbers that is only read
     */
    public Array limited(ElementLimit limit) {
      List<ElementLimit> more = new ArrayList<>(limits);
      more.add(limit);
      return new Array(name, elementType, access, trusted, optional, distinct, peer, more, least);
    }

    /**
     * The same parameter, with another least number among the elements that have limits.
     *
     * @throws IllegalArgumentException if they have none
     */
    public Array from(long other) {
      return new Array(name, elementType, access, trusted, optional, distinct, peer, limits, other);
    }

    @Override
    public <R> R match(PassedCases<R> cases) {
      return cases.array().apply(this);
    }
  }

  /**
   * The address of a table with the addresses of any number of tracked arrays, {@code T* const*}.
   * The kernel reads the table, and uses the arrays as declared.
   *
   * @param name its name in the interface
   * @param elementType the type of the arrays' elements; null if each array has its own
   * @param access how the kernel uses the arrays
   * @param trusted whether the declared access is trusted where the kernel's code leaves it unclear
   * @param peer whether a launch may pass arrays of another device
   */
  record Table(
      String name, @Nullable ArrayElement elementType, Access access, boolean trusted, boolean peer)
      implements Tracked {
    @Override
    public String inWords() {
      return elementType == null
          ? "a table of arrays"
          : "a table of arrays of " + elementType.typeName();
    }

    /** The name of one of its arrays in errors, {@code columns[3]}. */
    public static String entry(String name, int index) {
      return name + "[" + index + "]";
    }

    @Override
    public Table asTrusted() {
      return new Table(name, elementType, access, true, peer);
    }

    @Override
    public Table asPeer() {
      return new Table(name, elementType, access, trusted, true);
    }

    @Override
    public <R> R match(PassedCases<R> cases) {
      return cases.table().apply(this);
    }
  }

  /**
   * The number of threads of a launch, which is also passed by value.
   *
   * @param name its name in the interface
   * @param type {@code INT} or {@code LONG}
   * @param blockSize threads per block, at least 1, or {@link #AUTO}
   */
  record Threads(String name, ElementType type, int blockSize) implements Passed {
    /**
     * The block size that is chosen when the kernel is loaded; a number that is unlikely to be
     * written by mistake.
     */
    public static final int AUTO = Integer.MIN_VALUE;

    /** Whether the block size is chosen when the kernel is loaded. */
    public boolean isAutomatic() {
      return blockSize == AUTO;
    }

    /** Whether numbers of this type can count threads. */
    public static boolean canCount(ElementType type) {
      return type == ElementType.INT || type == ElementType.LONG;
    }

    @Override
    public String inWords() {
      return "the number of threads";
    }

    @Override
    public int sizeInBytes() {
      return type.sizeInBytes();
    }

    @Override
    public <R> R match(PassedCases<R> cases) {
      return cases.threadCount().apply(this);
    }
  }

  /**
   * The grid and the blocks of a launch; the kernel does not receive it.
   *
   * @param name its name in the interface
   */
  record Shape(String name) implements KernelParameter {
    @Override
    public String inWords() {
      return "the launch shape";
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.shape().apply(this);
    }
  }

  /**
   * The dynamic shared memory of a launch; the kernel does not receive it.
   *
   * @param name its name in the interface
   */
  record SharedBytes(String name) implements KernelParameter {
    @Override
    public String inWords() {
      return "the size of dynamic shared memory";
    }

    @Override
    public <R> R match(Cases<R> cases) {
      return cases.sharedBytes().apply(this);
    }
  }

  /**
   * An array, or a table of arrays.
   *
   * @param type the type of the host array; an array of that type for a table, and {@code Object[]}
   *     for a table of arrays with elements of any type
   * @throws IllegalArgumentException if {@code type} is another class
   */
  static Tracked tracked(String name, Class<?> type, Access access) {
    if (type == Object[].class) {
      return new Table(name, null, access, false, false);
    }
    Class<?> component = type.getComponentType();
    return component != null && component.isArray()
        ? new Table(name, ArrayElement.ofArray(component), access, false, false)
        : new Array(
            name, ArrayElement.ofArray(type), access, false, false, false, false, List.of(), 0);
  }

  /** The annotation that declares an access, for errors. */
  static String annotation(Access access) {
    return switch (access) {
      case READ -> "@Reads";
      case WRITE -> "@Writes";
      case READ_WRITE -> "@ReadWrites";
    };
  }

  /** A number of a type, for errors. */
  static String inWords(ElementType type) {
    return (type == ElementType.INT ? "an " : "a ") + type.primitive();
  }
}
