package dev.streamfence.launch;

import dev.streamfence.Access;
import dev.streamfence.ElementType;
import dev.streamfence.internal.ptx.KernelDeclaration;

/** One parameter of a kernel's method, as the interface declares it. Immutable. */
sealed interface KernelParameter {
  /** Its name in the interface. */
  String name();

  /** What it takes, for errors. */
  String inWords();

  /** One that the kernel itself receives. */
  sealed interface Passed extends KernelParameter {
    /** Bytes that the kernel receives. */
    int sizeInBytes();

    /** The declaration to compare with the kernel's code. */
    KernelDeclaration.Parameter declaration();
  }

  /** A number by value. */
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
    public KernelDeclaration.Parameter declaration() {
      return new KernelDeclaration.Scalar(sizeInBytes(), type.isFloatingPoint());
    }
  }

  /** A structure by value. */
  record Struct(String name, StructLayout layout) implements Passed {
    @Override
    public String inWords() {
      return "a structure";
    }

    @Override
    public int sizeInBytes() {
      return layout.sizeInBytes();
    }

    @Override
    public KernelDeclaration.Parameter declaration() {
      return layout.declaration();
    }
  }

  /**
   * The address of a tracked array.
   *
   * @param trusted whether the declared access is trusted where the kernel's code leaves it unclear
   */
  record Buffer(String name, ElementType elementType, Access access, boolean trusted)
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
    public KernelDeclaration.Parameter declaration() {
      return new KernelDeclaration.Buffer(access.reads(), access.writes());
    }
  }

  /**
   * The number of threads of a launch, which is also passed by value.
   *
   * @param type {@code INT} or {@code LONG}
   * @param blockSize threads per block, at least 1
   */
  record ThreadCount(String name, ElementType type, int blockSize) implements Passed {
    @Override
    public String inWords() {
      return "the number of threads";
    }

    @Override
    public int sizeInBytes() {
      return type.sizeInBytes();
    }

    @Override
    public KernelDeclaration.Parameter declaration() {
      return new KernelDeclaration.Scalar(sizeInBytes(), false);
    }
  }

  /** The grid and the blocks of a launch; the kernel does not receive it. */
  record Shape(String name) implements KernelParameter {
    @Override
    public String inWords() {
      return "the launch shape";
    }
  }

  /** The dynamic shared memory of a launch; the kernel does not receive it. */
  record SharedBytes(String name) implements KernelParameter {
    @Override
    public String inWords() {
      return "the size of dynamic shared memory";
    }
  }

  /** A number of a type, for errors. */
  static String inWords(ElementType type) {
    return (type == ElementType.INT ? "an " : "a ") + type.primitive();
  }
}
