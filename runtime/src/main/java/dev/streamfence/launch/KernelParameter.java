package dev.streamfence.launch;

import dev.streamfence.Access;
import dev.streamfence.ElementType;
import java.util.List;
import java.util.function.Function;

/** One parameter of a kernel's method, as the interface declares it. Immutable. */
public sealed interface KernelParameter {
  /** Its name in the interface. */
  String name();

  /** What it takes, for errors. */
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
      Function<? super Threads, R> threadCount) {}

  /** One that the kernel itself receives. */
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
          new PassedCases<>(cases.value(), cases.struct(), cases.array(), cases.threadCount()));
    }
  }

  /**
   * A number by value.
   *
   * @param name its name in the interface
   * @param type its type
   */
  record Value(String name, ElementType type) implements Passed {
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
   * @param layout its fields
   */
  record Struct(String name, StructLayout layout) implements Passed {
    /** A structure of fields of these types, from 1 to {@value StructLayout#MAX_FIELDS} of them. */
    public static Struct of(String name, List<ElementType> fields) {
      return new Struct(name, new StructLayout(fields));
    }

    @Override
    public String inWords() {
      return "a structure";
    }

    @Override
    public int sizeInBytes() {
      return layout.sizeInBytes();
    }

    @Override
    public int alignment() {
      return layout.alignment();
    }

    @Override
    public <R> R match(PassedCases<R> cases) {
      return cases.struct().apply(this);
    }
  }

  /**
   * The address of a tracked array.
   *
   * @param name its name in the interface
   * @param elementType the type of its elements
   * @param access how the kernel uses it
   * @param trusted whether the declared access is trusted where the kernel's code leaves it unclear
   */
  record Array(String name, ElementType elementType, Access access, boolean trusted)
      implements Passed {
    @Override
    public String inWords() {
      return "an array of " + elementType.primitive();
    }

    @Override
    public int sizeInBytes() {
      return Long.BYTES;
    }

    @Override
    public <R> R match(PassedCases<R> cases) {
      return cases.array().apply(this);
    }
  }

  /**
   * The number of threads of a launch, which is also passed by value.
   *
   * @param name its name in the interface
   * @param type {@code INT} or {@code LONG}
   * @param blockSize threads per block, at least 1
   */
  record Threads(String name, ElementType type, int blockSize) implements Passed {
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
