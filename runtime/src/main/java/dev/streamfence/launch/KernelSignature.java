package dev.streamfence.launch;

import dev.streamfence.Access;
import dev.streamfence.ElementType;
import dev.streamfence.internal.ptx.check.KernelDeclaration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An interface's declaration of one kernel: its entry point, its parameters in order with their
 * access, and the shape of its launches. Immutable.
 */
public final class KernelSignature {
  private final String entry;
  private final List<KernelParameter> parameters;
  private final String threadCount;
  private final String launchShape;
  private final String dynamicSharedBytesParameter;
  private final int blockSize;
  private final int dynamicSharedBytes;
  private final boolean mayAlias;
  private final boolean cooperative;

  private KernelSignature(Builder builder) {
    this.entry = builder.entry;
    this.parameters = List.copyOf(builder.parameters);
    this.threadCount = builder.threadCount;
    this.launchShape = builder.launchShape;
    this.dynamicSharedBytesParameter = builder.dynamicSharedBytesParameter;
    this.blockSize = builder.blockSize;
    this.dynamicSharedBytes = builder.dynamicSharedBytes;
    this.mayAlias = builder.mayAlias;
    this.cooperative = builder.cooperative;
  }

  /** Starts the signature of the kernel with the given entry point. */
  public static Builder entry(String entry) {
    return new Builder(entry);
  }

  String entry() {
    return entry;
  }

  List<KernelParameter> parameters() {
    return parameters;
  }

  /** A parameter of the kernel, for errors. */
  String use(int index) {
    return entry + ": parameter '" + parameters.get(index).name() + "'";
  }

  /** The parameter that counts threads, for errors; empty when launches are given a shape. */
  String threadCount() {
    return threadCount;
  }

  /** The interface's parameter with the shape, for errors; empty when there is none. */
  String launchShape() {
    return launchShape;
  }

  /**
   * The interface's parameter with the dynamic shared memory, for errors; empty when there is none.
   */
  String dynamicSharedBytesParameter() {
    return dynamicSharedBytesParameter;
  }

  int blockSize() {
    return blockSize;
  }

  int dynamicSharedBytes() {
    return dynamicSharedBytes;
  }

  /** Whether one array may be passed for two parameters, one of them written. */
  boolean mayAlias() {
    return mayAlias;
  }

  /** Whether all blocks of a launch run at the same time, so that they may wait for each other. */
  boolean isCooperative() {
    return cooperative;
  }

  /** The declaration to compare with the kernel's code. */
  KernelDeclaration declaration() {
    return new KernelDeclaration(
        entry,
        parameters.stream().map(KernelSignature::declaration).toList(),
        threadCount.isEmpty() ? 0 : blockSize);
  }

  private static KernelDeclaration.Parameter declaration(KernelParameter parameter) {
    if (parameter instanceof KernelParameter.Buffer buffer) {
      return new KernelDeclaration.Buffer(buffer.access().reads(), buffer.access().writes());
    }
    if (parameter instanceof KernelParameter.Struct struct) {
      return struct.layout().declaration();
    }
    KernelParameter.Value value = (KernelParameter.Value) parameter;
    return new KernelDeclaration.Scalar(value.sizeInBytes(), value.type().isFloatingPoint());
  }

  @Override
  public String toString() {
    return entry;
  }

  /**
   * Builds a signature. A parameter without a name is named by its position, from {@code #0} on.
   * Confined to one thread at a time.
   */
  public static final class Builder {
    private final String entry;
    private final List<KernelParameter> parameters = new ArrayList<>();
    private String threadCount = "";
    private String launchShape = "";
    private String dynamicSharedBytesParameter = "";
    private int blockSize = 256;
    private int dynamicSharedBytes;
    private boolean mayAlias;
    private boolean cooperative;

    private Builder(String entry) {
      this.entry = entry;
    }

    /** Adds a number by value; {@code type} is the class of a primitive. */
    public Builder value(String name, Class<?> type) {
      parameters.add(new KernelParameter.Value(named(name), ElementType.ofArray(type.arrayType())));
      return this;
    }

    /** Adds a tracked array. */
    public Builder buffer(String name, ElementType elementType, Access access) {
      parameters.add(new KernelParameter.Buffer(named(name), elementType, access, false));
      return this;
    }

    /**
     * Adds a tracked array whose declared access is trusted where the kernel's code leaves it
     * unclear.
     */
    public Builder trustedBuffer(String name, ElementType elementType, Access access) {
      parameters.add(new KernelParameter.Buffer(named(name), elementType, access, true));
      return this;
    }

    /** Adds a structure by value; {@code fields} are the classes of primitives, in order. */
    public Builder struct(String name, Class<?>... fields) {
      List<ElementType> types =
          Arrays.stream(fields).map(type -> ElementType.ofArray(type.arrayType())).toList();
      parameters.add(new KernelParameter.Struct(named(name), new StructLayout(types)));
      return this;
    }

    /** Allows one array to be passed for two parameters, one of them written. */
    public Builder mayAlias() {
      mayAlias = true;
      return this;
    }

    /** Launches all blocks at the same time, so that they may wait for each other. */
    public Builder cooperative() {
      cooperative = true;
      return this;
    }

    /** Adds a number by value that also sets the number of threads of a launch. */
    public Builder threadCount(String name, Class<?> type) {
      threadCount = named(name);
      return value(name, type);
    }

    /** Names the interface's parameter that shapes launches; the kernel does not receive it. */
    public Builder launchShape(String name) {
      launchShape = name.isBlank() ? "shape" : name;
      return this;
    }

    /**
     * Names the interface's parameter that sets the dynamic shared memory; the kernel does not
     * receive it.
     */
    public Builder dynamicSharedBytesParameter(String name) {
      dynamicSharedBytesParameter = name.isBlank() ? "dynamicSharedBytes" : name;
      return this;
    }

    /** Sets the threads per block of a launch that is given a number of threads; 256 by default. */
    public Builder blockSize(int threads) {
      if (threads < 1) {
        throw new IllegalArgumentException(
            entry + ": a block of " + threads + " threads; it has at least 1");
      }
      blockSize = threads;
      return this;
    }

    /** Sets the dynamic shared memory per block of a launch that sets none itself; 0 by default. */
    public Builder dynamicSharedBytes(int bytes) {
      if (bytes < 0) {
        throw new IllegalArgumentException(
            entry + ": " + bytes + " bytes of dynamic shared memory; the size is at least 0");
      }
      dynamicSharedBytes = bytes;
      return this;
    }

    /** The next parameter's name in errors: a signature written by hand may leave names out. */
    private String named(String name) {
      return name.isBlank() ? "#" + parameters.size() : name;
    }

    /** Returns the signature. */
    public KernelSignature build() {
      return new KernelSignature(this);
    }
  }
}
