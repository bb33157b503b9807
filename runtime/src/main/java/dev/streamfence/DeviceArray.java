// Long for its documentation: each operation says what it orders, whether it waits and what it
// refuses.
package dev.streamfence;

import dev.streamfence.internal.memory.Block;
import dev.streamfence.internal.order.Deadline;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An array of primitives in device memory. The runtime tracks its uses: it orders each read and
 * write after the earlier ones that it depends on, on any stream and from any thread.
 *
 * <p>Every operation names the stream that it runs on. Thread-safe; writes of two threads to one
 * array happen in either order, but never mix. An array of length 0 takes no device memory and can
 * be used like any other.
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

  /** Whether it is open. A kernel launched before {@link #close} can still use it afterwards. */
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
    Objects.requireNonNull(source, "source");
    requireSameLength(HostArray.length(source), "the host array");
    requireUsable(stream, "upload");
    Block target = block;
    if (target != null) {
      HostArray host = new HostArray(source, elementType);
      carryOut(() -> runtime.copies().upload(stream.timeline(), host, target, 0, sizeInBytes()));
      runtime.memory().transfers().uploaded(sizeInBytes());
    }
  }

  /**
   * Copies the whole array to a new host array. Waits until the copy is done.
   *
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if this array is longer than a Java array can be
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
   * Copies the whole array to the start of a host array. Waits until the copy is done; later
   * elements of the host array stay unchanged.
   *
   * @throws IllegalStateException if {@link DeviceMemory#refuseDownloads} is on
   * @throws IllegalArgumentException if the host array is shorter
   * @throws UseAfterFreeException if this array is closed
   */
  public void download(DeviceStream stream, A target) {
    requireRoom(target);
    requireDownload(stream);
    copyOut(stream, target);
  }

  /**
   * Copies like {@link #download(DeviceStream, Object)}, but waits no longer than a timeout for
   * other threads that use the stream, for earlier work, and for the copy itself. The timeout does
   * not cover a launch that uses this array on another stream and that another thread holds between
   * preflight and commit.
   *
   * @param timeout at least 0
   * @return whether the copy is done; if not, the content of {@code target} is undefined
   * @throws InterruptedException if the thread is interrupted before or while it waits; {@code
   *     target} is then undefined as after a timeout
   */
  public boolean download(DeviceStream stream, A target, Duration timeout)
      throws InterruptedException {
    Deadline deadline = Deadline.after(timeout);
    requireRoom(target);
    requireDownload(stream);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Block source = block;
    if (source == null) {
      return true;
    }
    HostArray host = new HostArray(target, elementType);
    runtime.life().enter();
    try {
      boolean done =
          runtime.copies().download(stream.timeline(), source, 0, sizeInBytes(), host, deadline);
      if (done) {
        runtime.memory().transfers().downloaded(sizeInBytes());
      }
      return done;
    } finally {
      runtime.life().leave();
      Reference.reachabilityFence(this);
    }
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
   * Fills an array of {@code double}, or of {@code float} with the nearest value. Does not
   * synchronise.
   *
   * @throws IllegalArgumentException if the elements are integers
   */
  public void fill(DeviceStream stream, double value) {
    fillBits(stream, FillBits.of(value, this));
  }

  /**
   * Overwrites the whole array with another array of the same length. Does not synchronise.
   *
   * @throws IllegalArgumentException if the lengths differ or it is this array
   * @throws UseAfterFreeException if either array is closed
   */
  public void copyFrom(DeviceStream stream, DeviceArray<A> source) {
    requireSameLength(source.length, source.toString());
    if (source == this) {
      throw new IllegalArgumentException(this + " cannot be copied to itself");
    }
    requireUsable(stream, "copy");
    source.requireUsable(stream, "copy");
    Block from = source.block;
    Block to = block;
    if (from != null && to != null) {
      try {
        carryOut(() -> runtime.copies().copy(stream.timeline(), from, 0, to, 0, sizeInBytes()));
      } finally {
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
    } catch (RuntimeException | Error e) {
      copy.closeAfter(e);
      throw e;
    }
  }

  /**
   * Hands this array's memory over to a new array of another type, bytes unchanged, and closes this
   * array. The new array frees the memory. Copies nothing and makes no driver call.
   *
   * @param arrayType the Java array type, such as {@code byte[].class}
   * @throws IllegalArgumentException if this array's bytes are not a whole number of such elements
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
    runtime.life().enter();
    try {
      requireNotGone("reinterpret");
      // First: if the Java heap is full, nothing has changed.
      DeviceArray<B> heir =
          new DeviceArray<>(memory, arrayType, type, sizeInBytes() / type.sizeInBytes(), block);
      if (!lifetime.handOver(heir.toString())) {
        heir.lifetime.handOver(toString());
        throw useAfterFree("reinterpret");
      }
      return heir;
    } finally {
      runtime.life().leave();
      Reference.reachabilityFence(this);
    }
  }

  /**
   * Frees the device memory after every launch and copy that uses it. Does not synchronise, unless
   * the runtime's memory is guarded or direct. Closing again does nothing, and so does closing
   * after the runtime, which has freed the array.
   *
   * <p>If an array becomes unreachable without being closed, the runtime reports it through the
   * logger named after {@link DeviceRuntime}, counts it, and frees it in the same order.
   *
   * @throws CudaDriverException if the free could not be queued; the array stays open and can be
   *     closed again
   */
  @Override
  public void close() {
    try {
      if (block == null) {
        lifetime.close();
      } else if (runtime.life().tryEnter()) {
        try {
          lifetime.close();
        } finally {
          runtime.life().leave();
        }
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

  void closeAfter(Throwable failure) {
    try {
      close();
    } catch (RuntimeException | Error e) {
      failure.addSuppressed(e);
    }
  }

  private void fillBits(DeviceStream stream, long bits) {
    requireUsable(stream, "fill");
    Block target = block;
    if (target != null) {
      int width = elementType.sizeInBytes();
      carryOut(() -> runtime.copies().fill(stream.timeline(), target, 0, width, bits, length));
    }
  }

  private void requireDownload(DeviceStream stream) {
    requireUsable(stream, "download");
    if (block != null) {
      runtime.memory().transfers().requireDownload(this);
    }
  }

  private void copyOut(DeviceStream stream, A target) {
    Block source = block;
    if (source != null) {
      HostArray host = new HostArray(target, elementType);
      carryOut(() -> runtime.copies().download(stream.timeline(), source, 0, sizeInBytes(), host));
      runtime.memory().transfers().downloaded(sizeInBytes());
    }
  }

  /** Performs an operation on the memory while the runtime is open. */
  private void carryOut(Runnable operation) {
    runtime.life().enter();
    try {
      operation.run();
    } finally {
      runtime.life().leave();
      // Otherwise the array could become unreachable, and the cleaner free it, before the
      // operation.
      Reference.reachabilityFence(this);
    }
  }

  private void requireRoom(A target) {
    Objects.requireNonNull(target, "target");
    int available = HostArray.length(target);
    if (available < length) {
      throw new IllegalArgumentException(
          "the host array has " + available + " elements; " + this + " needs " + length);
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

  /** The exception for a use of this array, which no longer has memory. */
  UseAfterFreeException useAfterFree(String use) {
    long generation = block == null ? 0 : block.generation();
    String heir = lifetime.heir();
    return heir == null
        ? new UseAfterFreeException(use, toString(), generation, null)
        : UseAfterFreeException.handedOver(use, toString(), generation, heir);
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
