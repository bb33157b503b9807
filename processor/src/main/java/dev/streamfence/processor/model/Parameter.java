package dev.streamfence.processor.model;

import dev.streamfence.Access;
import dev.streamfence.ElementType;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.StructLayout;
import java.util.List;

/** A parameter of a kernel method. Immutable. */
public sealed interface Parameter {
  /** The name in the interface; a name by position if a class file has no names. */
  String name();

  /**
   * The parameter without its Java types, as it is compared with code.
   *
   * @param blockSize threads per block, if it counts threads
   */
  KernelParameter declaration(int blockSize);

  /** Whether the kernel itself receives it. */
  default boolean isPassed() {
    return true;
  }

  /** A primitive that is passed by value. */
  record Value(String name, ElementType type) implements Parameter {
    @Override
    public KernelParameter declaration(int blockSize) {
      return new KernelParameter.Value(name, type);
    }
  }

  /**
   * A device array that is passed as its address.
   *
   * @param isTrusted whether the user vouches for the access where the code leaves it open
   */
  record Buffer(String name, ElementType element, Access access, boolean isTrusted)
      implements Parameter {
    @Override
    public KernelParameter declaration(int blockSize) {
      return new KernelParameter.Array(name, element, access, isTrusted);
    }
  }

  /**
   * A record of primitives that is passed by value. Invariant: it has from 1 to {@value
   * #MAX_FIELDS} fields.
   *
   * @param deprecation of the record, an enclosing type, or a component
   */
  record Struct(String name, QualifiedName type, List<Field> fields, Deprecation deprecation)
      implements Parameter {
    /** The most fields that the runtime can pass. */
    public static final int MAX_FIELDS = StructLayout.MAX_FIELDS;

    /** One component of the record. */
    public record Field(String name, ElementType type) {}

    public Struct {
      fields = List.copyOf(fields);
      if (fields.isEmpty() || fields.size() > MAX_FIELDS) {
        throw new IllegalArgumentException(name + " has " + fields.size() + " fields");
      }
    }

    @Override
    public KernelParameter declaration(int blockSize) {
      return KernelParameter.Struct.of(name, fields.stream().map(Field::type).toList());
    }
  }

  /**
   * The number of threads, which is also passed by value. Invariant: it is an {@code int} or a
   * {@code long}.
   */
  record ThreadCount(String name, ElementType type) implements Parameter {
    public ThreadCount {
      if (type != ElementType.INT && type != ElementType.LONG) {
        throw new IllegalArgumentException(name + " counts threads as " + type);
      }
    }

    @Override
    public KernelParameter declaration(int blockSize) {
      return new KernelParameter.ThreadCount(name, type, blockSize);
    }
  }

  /** The grid and the blocks of the launch. */
  record Shape(String name) implements Parameter {
    @Override
    public KernelParameter declaration(int blockSize) {
      return new KernelParameter.Shape(name);
    }

    @Override
    public boolean isPassed() {
      return false;
    }
  }

  /** Bytes of dynamic shared memory per block, an {@code int}. */
  record SharedBytes(String name) implements Parameter {
    @Override
    public KernelParameter declaration(int blockSize) {
      return new KernelParameter.SharedBytes(name);
    }

    @Override
    public boolean isPassed() {
      return false;
    }
  }
}
