// Long because a handle has many operations, each of which checks what it is given by name.
package dev.streamfence.internal.device;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.ElementType;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.order.Deadline;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceArray}. */
public final class TrackedArray<A> implements DeviceArray<A> {
  private final TrackedRuntime runtime;
  private final TrackedMemory memory;
  private final Class<A> arrayType;
  private final ElementType elementType;
  private final long length;
  private final @Nullable Allocation allocation;
  final OpenArrays.Lifetime lifetime;

  TrackedArray(
      TrackedMemory memory,
      Class<A> arrayType,
      ElementType elementType,
      long length,
      @Nullable Allocation allocation) {
    this.runtime = memory.runtime();
    this.memory = memory;
    this.arrayType = arrayType;
    this.elementType = elementType;
    this.length = length;
    this.allocation = allocation;
    this.lifetime = memory.arrays().watch(this, allocation);
  }

  @Override
  public TrackedRuntime runtime() {
    return runtime;
  }

  @Override
  public ElementType elementType() {
    return elementType;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public long sizeInBytes() {
    return length * elementType.sizeInBytes();
  }

  @Override
  public boolean isOpen() {
    return !lifetime.isGone() && (allocation == null || allocation.isOpen());
  }

  @Override
  public void upload(DeviceStream stream, A source) {
    Objects.requireNonNull(source, "source");
    requireSameLength(HostArray.length(source), "the host array");
    requireUsable(stream, "upload");
    Allocation target = allocation;
    if (target != null) {
      HostArray host = new HostArray(source, elementType);
      carryOut(
          () ->
              runtime
                  .copies()
                  .upload(TrackedStream.timelineOf(stream), host, target, 0, sizeInBytes()));
      memory.transfers().uploaded(sizeInBytes());
    }
  }

  @Override
  public A download(DeviceStream stream) {
    if (length > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(this + " is longer than a Java array can be");
    }
    requireDownload(stream);
    A target = arrayType.cast(Array.newInstance(elementType.primitive(), (int) length));
    copyOut(stream, target);
    return target;
  }

  @Override
  public void download(DeviceStream stream, A target) {
    requireRoom(target);
    requireDownload(stream);
    copyOut(stream, target);
  }

  @Override
  public boolean download(DeviceStream stream, A target, Duration timeout)
      throws InterruptedException {
    Deadline deadline = Deadline.after(timeout);
    requireRoom(target);
    requireDownload(stream);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    Allocation source = allocation;
    if (source == null) {
      return true;
    }
    HostArray host = new HostArray(target, elementType);
    runtime.life().enter();
    try {
      boolean done =
          runtime
              .copies()
              .download(TrackedStream.timelineOf(stream), source, 0, sizeInBytes(), host, deadline);
      if (done) {
        memory.transfers().downloaded(sizeInBytes());
      }
      return done;
    } finally {
      runtime.life().leave();
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void fill(DeviceStream stream, boolean value) {
    fillBits(stream, FillBits.of(value, this));
  }

  @Override
  public void fill(DeviceStream stream, long value) {
    fillBits(stream, FillBits.of(value, this));
  }

  @Override
  public void fill(DeviceStream stream, double value) {
    fillBits(stream, FillBits.of(value, this));
  }

  @Override
  public void copyFrom(DeviceStream stream, DeviceArray<A> other) {
    TrackedArray<A> source = of(Objects.requireNonNull(other, "source"));
    requireSameLength(source.length, source.toString());
    if (source == this) {
      throw new IllegalArgumentException(this + " cannot be copied to itself");
    }
    requireUsable(stream, "copy");
    source.requireUsable(stream, "copy");
    Allocation from = source.allocation;
    Allocation to = allocation;
    if (from != null && to != null) {
      try {
        carryOut(
            () ->
                runtime
                    .copies()
                    .copy(TrackedStream.timelineOf(stream), from, 0, to, 0, sizeInBytes()));
      } finally {
        Reference.reachabilityFence(source);
      }
    }
  }

  @Override
  public TrackedArray<A> copy(DeviceStream stream) {
    TrackedArray<A> copy = memory.allocate(stream, arrayType, length);
    try {
      copy.copyFrom(stream, this);
      return copy;
    } catch (RuntimeException | Error e) {
      copy.closeAfter(e);
      throw e;
    }
  }

  @Override
  public <B> TrackedArray<B> reinterpret(Class<B> arrayType) {
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
      TrackedArray<B> heir =
          new TrackedArray<>(
              memory, arrayType, type, sizeInBytes() / type.sizeInBytes(), allocation);
      if (!heir.lifetime.takeOver(lifetime, heir.toString())) {
        throw useAfterFree("reinterpret");
      }
      return heir;
    } finally {
      runtime.life().leave();
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void close() {
    try {
      if (allocation == null) {
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

  /** The implementation behind a handle. */
  public static <A> TrackedArray<A> of(DeviceArray<A> array) {
    return (TrackedArray<A>) array;
  }

  /** Its memory; null for an empty array. */
  public @Nullable Allocation allocation() {
    return allocation;
  }

  /** Whether it was closed while empty, or its memory was handed over to another array. */
  public boolean isGone() {
    return lifetime.isGone();
  }

  /** Makes this new array the holder of its allocation, if any. */
  TrackedArray<A> hold() {
    lifetime.hold();
    return this;
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
    Allocation target = allocation;
    if (target != null) {
      int width = elementType.sizeInBytes();
      carryOut(
          () ->
              runtime
                  .copies()
                  .fill(TrackedStream.timelineOf(stream), target, 0, width, bits, length));
    }
  }

  private void requireDownload(DeviceStream stream) {
    requireUsable(stream, "download");
    if (allocation != null) {
      memory.transfers().requireDownload(this);
    }
  }

  private void copyOut(DeviceStream stream, A target) {
    Allocation source = allocation;
    if (source != null) {
      HostArray host = new HostArray(target, elementType);
      carryOut(
          () ->
              runtime
                  .copies()
                  .download(TrackedStream.timelineOf(stream), source, 0, sizeInBytes(), host));
      memory.transfers().downloaded(sizeInBytes());
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
    TrackedStream.timelineOf(stream);
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
  public UseAfterFreeException useAfterFree(String use) {
    long generation = allocation == null ? 0 : allocation.generation();
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
    return elementType.primitive()
        + "["
        + length
        + "]"
        + (allocation == null ? "" : " in " + allocation);
  }
}
