package dev.streamfence;

import dev.streamfence.memory.Block;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import org.jspecify.annotations.Nullable;

/**
 * An array of primitives in device memory, which the runtime tracks: whatever reads or writes it is
 * ordered after what it must come after, on whichever stream and from whichever thread that was.
 *
 * <p>Every operation names the stream that it runs on. Thread-safe; two threads that write the same
 * array are ordered somehow, but never mixed. An array of length 0 takes no device memory and may
 * be used like any other.
 *
 * <p>Long for its documentation: each operation says what it orders, whether it waits and what it
 * refuses.
 *
 * @param <A> the Java array type: {@code float[]}, {@code int[]} and so on for the eight primitives
 */
public final class DeviceArray<A> implements AutoCloseable {
  private final DeviceRuntime runtime;
  private final DeviceMemory memory;
  private final Class<A> arrayType;
  private final ElementType elementType;
  private final long length;
  private final @Nullable Block block;
  private final OpenArrays.Lifetime lifetime;

  DeviceArray(
      DeviceMemory memory,
      Class<A> arrayType,
      ElementType elementType,
      long length,
      @Nullable Block block) {
    this.runtime = memory.runtime();
    this.memory = memory;
    this.arrayType = arrayType;
    this.elementType = elementType;
    this.length = length;
    this.block = block;
    this.lifetime = memory.arrays().watch(this, block);
  }

  /** The runtime that it belongs to. */
  public DeviceRuntime runtime() {
    return runtime;
  }

  /** The type of its elements. */
  public ElementType elementType() {
    return elementType;
  }

  /** How many elements it has. */
  public long length() {
    return length;
  }

  /** Its size on the device. */
  public long sizeInBytes() {
    return length * elementType.sizeInBytes();
  }

  /** Whether it is open. A kernel that was launched before still has it after {@link #close}. */
  public boolean isOpen() {
    return !lifetime.isGone() && (block == null || block.dependencies().isOpen());
  }

  /**
   * Overwrites the whole array with a host array of the same length. The host array may be changed
   * as soon as this returns. Synchronises only while staging memory is short.
   *
   * @throws IllegalArgumentException if the lengths differ
   * @throws UseAfterFreeException if this array is closed
   */
  public void upload(DeviceStream stream, A source) {
    requireSameLength(HostArray.length(source), "the host array");
    requireUsable(stream, "upload");
    if (block != null) {
      try {
        runtime
            .copies()
            .upload(stream.timeline(), new HostArray(source, elementType), block, 0, sizeInBytes());
        runtime.memory().transfers().uploaded(sizeInBytes());
      } finally {
        Reference.reachabilityFence(this);
      }
    }
  }

  /**
   * Copies the whole array to a new host array. Waits until it is there.
   *
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if it is longer than a Java array can be
   * @throws UseAfterFreeException if this array is closed
   */
  public A download(DeviceStream stream) {
    if (length > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(this + " is longer than a Java array can be");
    }
    requireDownload(stream);
    A target = arrayType.cast(Array.newInstance(elementType.primitive(), (int) length));
    copyOut(stream, target);
    return target;
  }

  /**
   * Copies the whole array to the start of a host array. Waits until it is there; elements behind
   * it stay as they are.
   *
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if the host array is shorter
   * @throws UseAfterFreeException if this array is closed
   */
  public void download(DeviceStream stream, A target) {
    int available = HostArray.length(target);
    if (available < length) {
      throw new IllegalArgumentException(
          "the host array has " + available + " elements; " + this + " needs " + length);
    }
    requireDownload(stream);
    copyOut(stream, target);
  }

  /** Fills an array of {@code boolean}. Does not synchronise. */
  public void fill(DeviceStream stream, boolean value) {
    fillBits(stream, FillBits.of(value, this));
  }

  /**
   * Fills with a number, as an assignment in Java would: exact for integer types, rounded for
   * {@code float} and {@code double}. Does not synchronise.
   *
   * @throws IllegalArgumentException if the elements cannot hold it
   */
  public void fill(DeviceStream stream, long value) {
    fillBits(stream, FillBits.of(value, this));
  }

  /**
   * Fills an array of {@code float}, which takes the nearest one, or of {@code double}. Does not
   * synchronise.
   *
   * @throws IllegalArgumentException if the elements are integers
   */
  public void fill(DeviceStream stream, double value) {
    fillBits(stream, FillBits.of(value, this));
  }

  /**
   * Overwrites the whole array with another one of the same length. Does not synchronise.
   *
   * @throws IllegalArgumentException if the lengths differ or it is this array
   * @throws UseAfterFreeException if one of them is closed
   */
  public void copyFrom(DeviceStream stream, DeviceArray<A> source) {
    requireSameLength(source.length, source.toString());
    if (source == this) {
      throw new IllegalArgumentException(this + " cannot be copied to itself");
    }
    requireUsable(stream, "copy");
    source.requireUsable(stream, "copy");
    if (block != null && source.block != null) {
      try {
        runtime.copies().copy(stream.timeline(), source.block, 0, block, 0, sizeInBytes());
      } finally {
        Reference.reachabilityFence(this);
        Reference.reachabilityFence(source);
      }
    }
  }

  /** A new array with the same content, from the same memory and budget. Does not synchronise. */
  public DeviceArray<A> copy(DeviceStream stream) {
    DeviceArray<A> copy = memory.allocate(stream, arrayType, length);
    try {
      copy.copyFrom(stream, this);
      return copy;
    } catch (RuntimeException e) {
      copy.closeAfter(e);
      throw e;
    }
  }

  /**
   * The same memory as an array of another type, with the bytes as they are. This array is closed
   * by that: its memory is the new array's, which frees it. Copies nothing and makes no driver
   * call.
   *
   * @param arrayType the Java array type, such as {@code byte[].class}
   * @throws IllegalArgumentException if this array's bytes are no whole number of such elements
   * @throws UseAfterFreeException if this array is closed
   */
  public <B> DeviceArray<B> reinterpret(Class<B> arrayType) {
    ElementType type = ElementType.ofArray(arrayType);
    if (sizeInBytes() % type.sizeInBytes() != 0) {
      throw new IllegalArgumentException(
          this
              + " has "
              + sizeInBytes()
              + " bytes, which are no whole number of "
              + type.primitive());
    }
    runtime.requireOpen();
    try {
      requireNotGone("reinterpret");
      // First, so that nothing has changed if there is no room for it on the Java heap.
      DeviceArray<B> heir =
          new DeviceArray<>(memory, arrayType, type, sizeInBytes() / type.sizeInBytes(), block);
      if (!lifetime.handOver()) {
        heir.lifetime.handOver();
        throw useAfterFree("reinterpret");
      }
      return heir;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Frees the device memory, after every launch and copy that uses it. Does not synchronise, unless
   * the runtime's memory is guarded or direct. Closing again does nothing.
   *
   * <p>An array that is never closed and becomes unreachable is reported through the logger named
   * after {@link DeviceRuntime}, counted, and freed in the same order.
   *
   * @throws CudaDriverException if the free could not be queued; the array is open as before, and
   *     may be closed again
   */
  @Override
  public void close() {
    try {
      if (block == null || runtime.isOpen()) {
        lifetime.close();
      }
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  /** Its memory; null for an empty array. */
  @Nullable Block block() {
    return block;
  }

  boolean isGone() {
    return lifetime.isGone();
  }

  void closeAfter(RuntimeException failure) {
    try {
      close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private void fillBits(DeviceStream stream, long bits) {
    requireUsable(stream, "fill");
    if (block != null) {
      try {
        runtime.copies().fill(stream.timeline(), block, 0, elementType.sizeInBytes(), bits, length);
      } finally {
        Reference.reachabilityFence(this);
      }
    }
  }

  private void requireDownload(DeviceStream stream) {
    requireUsable(stream, "download");
    if (block != null) {
      runtime.memory().transfers().requireDownload(this);
    }
  }

  private void copyOut(DeviceStream stream, A target) {
    if (block != null) {
      HostArray host = new HostArray(target, elementType);
      try {
        runtime.copies().download(stream.timeline(), block, 0, sizeInBytes(), host);
        runtime.memory().transfers().downloaded(sizeInBytes());
      } finally {
        // Otherwise the last use of this array would be before the copy, and the cleaner might free
        // it in between.
        Reference.reachabilityFence(this);
      }
    }
  }

  private void requireUsable(DeviceStream stream, String operation) {
    stream.timeline();
    if (stream.runtime() != runtime) {
      throw new StreamMisuseException(
          operation + " of " + this + " on " + stream + ": they belong to two runtimes");
    }
    requireNotGone(operation);
  }

  private void requireNotGone(String operation) {
    if (lifetime.isGone()) {
      throw useAfterFree(operation);
    }
  }

  private UseAfterFreeException useAfterFree(String operation) {
    return new UseAfterFreeException(
        operation, toString(), block == null ? 0 : block.generation(), null);
  }

  private void requireSameLength(long other, String what) {
    if (other != length) {
      throw new IllegalArgumentException(
          what + " has " + other + " elements; " + this + " has " + length);
    }
  }

  @Override
  public String toString() {
    return elementType.primitive() + "[" + length + "]" + (block == null ? "" : " in " + block);
  }
}
