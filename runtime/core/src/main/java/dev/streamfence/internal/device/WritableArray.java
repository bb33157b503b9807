package dev.streamfence.internal.device;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.host.ElementRange;
import dev.streamfence.internal.host.FillBits;
import dev.streamfence.internal.host.HostArray;
import dev.streamfence.internal.host.HostBuffer;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.transfer.HostBytes;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementType;
import java.nio.Buffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link DeviceArray}: what writes the memory, or divides it. */
public final class WritableArray<A> extends TrackedArray<A> implements DeviceArray<A> {
  /** Creates an array; one that owns its memory does once it {@linkplain #hold holds} it. */
  WritableArray(
      TrackedMemory memory,
      Class<A> arrayType,
      ArrayElement elementType,
      long length,
      ArrayBacking backing) {
    super(memory, arrayType, elementType, length, backing);
  }

  /** The array of a variable, which its module owns; the size fits the elements. */
  public static <A> WritableArray<A> ofVariable(
      TrackedRuntime runtime, Class<A> arrayType, Allocation variable) {
    ArrayElement elementType = ArrayElement.ofArray(arrayType);
    return new WritableArray<>(
        runtime.memory(),
        arrayType,
        elementType,
        variable.sizeInBytes() / elementType.sizeInBytes(),
        new ArrayBacking.Variable(Region.of(variable)));
  }

  /** An array without elements; kernels get the null pointer for it. */
  public static <A> WritableArray<A> empty(TrackedRuntime runtime, Class<A> arrayType) {
    return new WritableArray<>(
        runtime.memory(),
        arrayType,
        ArrayElement.ofArray(arrayType),
        0,
        ArrayBacking.Owned.of(null));
  }

  /** The implementation behind a handle. */
  public static <A> WritableArray<A> of(DeviceArray<A> array) {
    return (WritableArray<A>) array;
  }

  @Override
  <B> WritableArray<B> like(
      Class<B> otherType, ArrayElement otherElement, long otherLength, ArrayBacking on) {
    return new WritableArray<>(memory, otherType, otherElement, otherLength, on);
  }

  @Override
  public TrackedArray<A> readable() {
    return new TrackedArray<>(
        memory,
        arrayType,
        elementType,
        length,
        new ArrayBacking.View(region, backing.keeper(this), lifetime));
  }

  @Override
  WritableArray<A> hold() {
    lifetime.hold();
    return this;
  }

  @Override
  public WritableArray<A> view(long from, long count) {
    return (WritableArray<A>) super.view(from, count);
  }

  @Override
  public <B> WritableArray<B> reinterpret(Class<B> arrayType) {
    return (WritableArray<B>) super.reinterpret(arrayType);
  }

  @Override
  public void upload(DeviceStream stream, A source) {
    Objects.requireNonNull(source, "source");
    requireSameLength(HostArray.length(source), "the host array");
    uploadTo(stream, HostArray.from(source, elementType, 0, length), 0, length);
  }

  @Override
  public void upload(DeviceStream stream, long from, A source, int sourceFrom, long count) {
    Objects.requireNonNull(source, "source");
    ElementRange.requireOnHost(sourceFrom, count, HostArray.length(source), "upload");
    requireRange(from, count, "upload");
    uploadTo(stream, HostArray.from(source, elementType, sourceFrom, count), from, count);
  }

  @Override
  public void upload(DeviceStream stream, long from, Buffer source) {
    HostBuffer host =
        HostBuffer.of(Objects.requireNonNull(source, "source"), elementType, "upload");
    requireRange(from, host.length(), "upload");
    uploadTo(stream, host, from, host.length());
  }

  @Override
  public void upload(DeviceStream stream, PinnedArray<A> source) {
    Objects.requireNonNull(source, "source");
    requireSameLength(source.length(), source);
    upload(stream, 0, source, 0, length);
  }

  @Override
  public void upload(
      DeviceStream stream, long from, PinnedArray<A> source, long sourceFrom, long count) {
    TrackedPinnedArray<A> host = pinned(source, sourceFrom, from, count, "upload");
    requireUsable(stream, "upload");
    Region target = used(from, count, "upload");
    if (target == null) {
      host.requireOpen("upload");
    } else {
      memory.transfers().upload(this, stream, host, sourceFrom, target);
    }
  }

  @Override
  public void fill(DeviceStream stream, boolean value) {
    fillBits(stream, 0, length, FillBits.of(value, this));
  }

  @Override
  public void fill(DeviceStream stream, long value) {
    fillBits(stream, 0, length, FillBits.of(value, this));
  }

  @Override
  public void fill(DeviceStream stream, double value) {
    fillBits(stream, 0, length, FillBits.of(value, this));
  }

  @Override
  public void fill(DeviceStream stream, long from, long count, boolean value) {
    requireRange(from, count, "fill");
    fillBits(stream, from, count, FillBits.of(value, this));
  }

  @Override
  public void fill(DeviceStream stream, long from, long count, long value) {
    requireRange(from, count, "fill");
    fillBits(stream, from, count, FillBits.of(value, this));
  }

  @Override
  public void fill(DeviceStream stream, long from, long count, double value) {
    requireRange(from, count, "fill");
    fillBits(stream, from, count, FillBits.of(value, this));
  }

  @Override
  public void copyFrom(DeviceStream stream, ReadableArray<A> other) {
    TrackedArray<A> source = TrackedArray.of(Objects.requireNonNull(other, "source"));
    requireSameLength(source.length, source);
    if (source == this) {
      throw new IllegalArgumentException(this + " cannot be copied to itself");
    }
    copyRange(stream, source, 0, 0, length);
  }

  @Override
  public void copyFrom(
      DeviceStream stream, long from, ReadableArray<A> other, long sourceFrom, long count) {
    TrackedArray<A> source = TrackedArray.of(Objects.requireNonNull(other, "source"));
    source.requireRange(sourceFrom, count, "copy");
    requireRange(from, count, "copy");
    copyRange(stream, source, sourceFrom, from, count);
  }

  @Override
  public TrackedParts<A> split(long... at) {
    Objects.requireNonNull(at, "at");
    // Before the hazard state is asked: the close of the runtime closes the array, too.
    runtime.life().enter();
    try {
      requireNotGone("a split");
      runtime.life().requireNotRecording(() -> "a split of " + this);
      requireWhole();
      return TrackedParts.of(this, at);
    } finally {
      runtime.life().leave();
    }
  }

  private void requireWhole() {
    if (!backing.whyNotSplit().isEmpty()) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.NOT_WHOLE, this + " is " + backing.whyNotSplit());
    }
  }

  /** A part of it, with a hazard state of its own; without one if this array is empty. */
  WritableArray<A> part(long from, long count, @Nullable HazardState state) {
    Region part = range(from, count);
    return like(
        arrayType,
        elementType,
        count,
        new ArrayBacking.Part(
            part == null || state == null ? null : part.orderedBy(state),
            backing.keeper(this),
            lifetime));
  }

  private void uploadTo(DeviceStream stream, HostBytes source, long from, long count) {
    requireUsable(stream, "upload");
    Region target = used(from, count, "upload");
    if (target != null) {
      memory.transfers().upload(this, stream, source, target);
    }
  }

  private void fillBits(DeviceStream stream, long from, long count, long bits) {
    requireUsable(stream, "fill");
    Region target = used(from, count, "fill");
    if (target != null) {
      // FillBits has refused records.
      memory.transfers().fill(this, stream, target, (ElementType) elementType, bits);
    }
  }

  /** Sets all bytes to 0, padding included. */
  void clear(DeviceStream stream) {
    requireUsable(stream, "fill");
    if (region != null) {
      memory.transfers().clear(this, stream, region, elementType.alignment());
    }
  }

  private void requirePeer(TrackedArray<A> source) {
    source.requireNotGone("copy");
    if (!runtime.isPeerOf(source.runtime)) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "copy of "
              + source
              + " of "
              + source.runtime
              + " to "
              + runtime
              + ": only GPUs, and simulated devices that were built together, copy to each other");
    }
  }

  private void copyRange(
      DeviceStream stream, TrackedArray<A> source, long sourceFrom, long from, long count) {
    requireSameElements(source.elementType, source, "copy");
    requireUsable(stream, "copy");
    boolean isPeer = source.runtime != runtime;
    if (isPeer) {
      requirePeer(source);
    } else {
      source.requireUsable(stream, "copy");
    }
    Region read = source.used(sourceFrom, count, "copy");
    Region written = used(from, count, "copy");
    if (read == null || written == null) {
      return;
    }
    if (isPeer) {
      memory.transfers().copyFromPeer(source, this, stream, read, written);
      return;
    }
    if (read.overlaps(written)) {
      throw new IllegalArgumentException(
          ElementRange.inWords(sourceFrom, count)
              + " of "
              + source
              + " cannot be copied to "
              + ElementRange.inWords(from, count)
              + " of "
              + this
              + ": they overlap");
    }
    memory.transfers().copy(source, this, stream, read, written);
  }
}
