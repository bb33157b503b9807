package dev.streamfence.launch;

import dev.streamfence.Access;
import dev.streamfence.ElementType;
import java.util.ArrayList;
import java.util.List;

/**
 * What an interface says about one kernel: its entry point, its parameters in order with their
 * access, and how its launches are shaped. Immutable.
 */
public final class KernelSignature {
  private final String entry;
  private final List<KernelParameter> parameters;
  private final String threadCount;
  private final String launchShape;
  private final String dynamicSharedBytesParameter;
  private final int blockSize;
  private final int dynamicSharedBytes;

  private KernelSignature(Builder builder) {
    this.entry = builder.entry;
    this.parameters = List.copyOf(builder.parameters);
    this.threadCount = builder.threadCount;
    this.launchShape = builder.launchShape;
    this.dynamicSharedBytesParameter = builder.dynamicSharedBytesParameter;
    this.blockSize = builder.blockSize;
    this.dynamicSharedBytes = builder.dynamicSharedBytes;
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

  @Override
  public String toString() {
    return entry;
  }

  /** Collects a signature. Confined to one thread at a time. */
  public static final class Builder {
    private final String entry;
    private final List<KernelParameter> parameters = new ArrayList<>();
    private String threadCount = "";
    private String launchShape = "";
    private String dynamicSharedBytesParameter = "";
    private int blockSize = 256;
    private int dynamicSharedBytes;

    private Builder(String entry) {
      this.entry = entry;
    }

    /** Adds a number by value; {@code type} is the class of a primitive. */
    public Builder value(String name, Class<?> type) {
      parameters.add(new KernelParameter.Value(name, ElementType.ofArray(type.arrayType())));
      return this;
    }

    /** Adds a tracked array. */
    public Builder buffer(String name, ElementType elementType, Access access) {
      parameters.add(new KernelParameter.Buffer(name, elementType, access));
      return this;
    }

    /** Adds the number by value that also says how many threads a launch has. */
    public Builder threadCount(String name, Class<?> type) {
      threadCount = name;
      return value(name, type);
    }

    /**
     * Says that launches are given a shape, by the interface's parameter of this name; the kernel
     * does not receive it.
     */
    public Builder launchShape(String name) {
      launchShape = name;
      return this;
    }

    /**
     * Says which of the interface's parameters sets the dynamic shared memory; the kernel does not
     * receive it.
     */
    public Builder dynamicSharedBytesParameter(String name) {
      dynamicSharedBytesParameter = name;
      return this;
    }

    /** Threads per block of a launch that is given a number of threads; 256 when left out. */
    public Builder blockSize(int threads) {
      if (threads < 1) {
        throw new IllegalArgumentException(
            entry + ": a block of " + threads + " threads; it has at least 1");
      }
      blockSize = threads;
      return this;
    }

    /** Dynamic shared memory per block of a launch that sets none itself; 0 when left out. */
    public Builder dynamicSharedBytes(int bytes) {
      if (bytes < 0) {
        throw new IllegalArgumentException(
            entry + ": " + bytes + " bytes of dynamic shared memory; the size is at least 0");
      }
      dynamicSharedBytes = bytes;
      return this;
    }

    /** The signature. */
    public KernelSignature build() {
      return new KernelSignature(this);
    }
  }
}
