// Long because a handle has many operations, each of which checks what it is given by name.
package dev.streamfence.internal.device;

import dev.streamfence.DeviceException.AttemptedUse;
import dev.streamfence.DeviceStream;
import dev.streamfence.PinnedArray;
import dev.streamfence.ReadableArray;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.completion.PinnedDelivery;
import dev.streamfence.internal.completion.TrackedDownload;
import dev.streamfence.internal.host.ElementRange;
import dev.streamfence.internal.host.HostArray;
import dev.streamfence.internal.host.HostBuffer;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.HazardState;
import dev.streamfence.internal.transfer.HostBytes;
import dev.streamfence.launch.ArrayElement;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link ReadableArray}: what reads the memory, and what all handles share.
 * Arrays that can be written are {@link WritableArray}s.
 */
public sealed class TrackedArray<A> implements ReadableArray<A> permits WritableArray {
  // Beside the memory, which has it too: launches read it.
  final TrackedRuntime runtime;
  final TrackedMemory memory;
  final Class<A> arrayType;
  final ArrayElement elementType;
  final long length;
  final ArrayBacking backing;

  /** That of the backing, which launches read. */
  final @Nullable Region region;

  final OpenArrays.Lifetime lifetime;

  /** Creates an array; one that owns its memory does once it {@linkplain #hold holds} it. */
  TrackedArray(
      TrackedMemory memory,
      Class<A> arrayType,
      ArrayElement elementType,
      long length,
      ArrayBacking backing) {
    this.runtime = memory.runtime();
    this.memory = memory;
    this.arrayType = arrayType;
    this.elementType = elementType;
    this.length = length;
    this.backing = backing;
    this.region = backing.region();
    this.lifetime = backing.watch(memory.arrays(), this);
  }

  /** Another array on the same memory, or on some of it; it can be written if this one can. */
  <B> TrackedArray<B> like(
      Class<B> otherType, ArrayElement otherElement, long otherLength, ArrayBacking on) {
    return new TrackedArray<>(memory, otherType, otherElement, otherLength, on);
  }

  /** The same elements, only to be read. */
  public TrackedArray<A> readable() {
    return this;
  }

  private <B> TrackedArray<B> view(
      Class<B> viewType, ArrayElement viewElement, long viewLength, @Nullable Region viewed) {
    return like(
        viewType,
        viewElement,
        viewLength,
        new ArrayBacking.View(viewed, backing.keeper(this), lifetime));
  }

  @Override
  public TrackedRuntime runtime() {
    return runtime;
  }

  @Override
  public ArrayElement elementType() {
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
    return !lifetime.isGone()
        && !runtime.life().isClosed()
        && (region == null || region.hazards().acceptsUses());
  }

  @Override
  public void download(DeviceStream stream, PinnedArray<A> target) {
    Objects.requireNonNull(target, "target");
    requireSameLength(target.length(), target);
    download(stream, 0, target, 0, length);
  }

  @Override
  public void download(
      DeviceStream stream, long from, PinnedArray<A> target, long targetFrom, long count) {
    downloadPinned(stream, from, target, targetFrom, count);
  }

  @Override
  public A download(DeviceStream stream) {
    return download(stream, 0, length);
  }

  @Override
  public A download(DeviceStream stream, long from, long count) {
    A target = newTarget(stream, from, count);
    downloadFrom(stream, from, count, HostArray.to(target, elementType, 0, count));
    return target;
  }

  /**
   * Downloads like {@link #download(DeviceStream, long, long)}, and counts the copy as one of
   * metadata, which is never refused.
   */
  public A readMetadata(DeviceStream stream, long from, long count) {
    requireJavaArray(from, count);
    requireUsable(stream, "download");
    A target = newJavaArray(count);
    Region source = used(from, count, "download");
    if (source != null) {
      HostBytes host = HostArray.to(target, elementType, 0, count);
      memory.transfers().readMetadata(this, stream, source, host);
      host.received();
    }
    return target;
  }

  @Override
  public void download(DeviceStream stream, A target) {
    requireRoom(target);
    requireDownload(stream);
    downloadFrom(stream, 0, length, HostArray.to(target, elementType, 0, length));
  }

  @Override
  public void download(DeviceStream stream, long from, A target, int targetFrom, long count) {
    requireTarget(from, target, targetFrom, count);
    requireDownload(stream);
    downloadFrom(stream, from, count, HostArray.to(target, elementType, targetFrom, count));
  }

  @Override
  public void download(DeviceStream stream, long from, Buffer target) {
    HostBuffer host = targetBuffer(from, target);
    requireDownload(stream);
    downloadFrom(stream, from, host.length(), host);
  }

  @Override
  public TrackedDownload<A> downloadLater(DeviceStream stream) {
    return downloadLater(stream, 0, length);
  }

  @Override
  public TrackedDownload<A> downloadLater(DeviceStream stream, long from, long count) {
    A target = newTarget(stream, from, count);
    return begin(stream, from, count, target, HostArray.to(target, elementType, 0, count), true);
  }

  @Override
  public TrackedDownload<A> downloadLater(
      DeviceStream stream, long from, A target, int targetFrom, long count) {
    requireTarget(from, target, targetFrom, count);
    requireDownload(stream);
    return begin(
        stream, from, count, target, HostArray.to(target, elementType, targetFrom, count), false);
  }

  @Override
  public <B extends Buffer> TrackedDownload<B> downloadLater(
      DeviceStream stream, long from, B target) {
    HostBuffer host = targetBuffer(from, target);
    requireDownload(stream);
    return begin(stream, from, host.length(), target, host, false);
  }

  @Override
  public TrackedDownload<PinnedArray<A>> downloadLater(
      DeviceStream stream, long from, PinnedArray<A> target, long targetFrom, long count) {
    runtime.life().requireNotRecording(() -> purpose(from, count));
    long ticket = downloadPinned(stream, from, target, targetFrom, count);
    return new TrackedDownload<>(
        new PinnedDelivery<>(
            runtime.completion(TrackedStream.timelineOf(stream), ticket, purpose(from, count)),
            target));
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
    Region source = used(0, length, "download");
    if (source == null) {
      return true;
    }
    HostBytes host = HostArray.to(target, elementType, 0, length);
    boolean isDone = memory.transfers().download(this, stream, source, host, deadline);
    if (isDone) {
      host.received();
    }
    return isDone;
  }

  @Override
  public WritableArray<A> copy(DeviceStream stream) {
    return copy(memory, stream);
  }

  @Override
  public WritableArray<A> copyTo(DeviceStream stream) {
    Objects.requireNonNull(stream, "stream");
    return copy(((TrackedRuntime) stream.runtime()).memory(), stream);
  }

  private WritableArray<A> copy(TrackedMemory target, DeviceStream stream) {
    Objects.requireNonNull(stream, "stream");
    WritableArray<A> copy = target.allocate(stream, arrayType, length, "");
    try {
      copy.copyFrom(stream, this);
      return copy;
    } catch (RuntimeException | Error e) {
      copy.closeAfter(e);
      throw e;
    }
  }

  @Override
  public TrackedArray<A> view(long from, long count) {
    requireRange(from, count, "a view");
    requireInUse("a view");
    return view(arrayType, elementType, count, range(from, count));
  }

  @Override
  public <B> TrackedArray<B> reinterpret(Class<B> arrayType) {
    ArrayElement type = ArrayElement.ofArray(arrayType);
    if (sizeInBytes() % type.sizeInBytes() != 0) {
      throw new IllegalArgumentException(
          this
              + " has "
              + sizeInBytes()
              + " bytes, not a multiple of the "
              + type.sizeInBytes()
              + " bytes of a "
              + type.typeName());
    }
    Region same = region;
    long newLength = sizeInBytes() / type.sizeInBytes();
    // Memory of the runtime is aligned for every type; other memory may not be.
    if (same != null && same.address() % type.alignment() != 0) {
      throw new IllegalArgumentException(
          this
              + " begins at byte "
              + same.offset()
              + ", which is not aligned for a "
              + type.typeName());
    }
    if (backing instanceof ArrayBacking.Part) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.NOT_WHOLE,
          "reinterpret of "
              + this
              + ", which is a part; join the parts, or reinterpret a view of it");
    }
    if (!backing.isOwner()) {
      requireInUse("reinterpret");
      return view(arrayType, type, newLength, same);
    }
    runtime.life().enter();
    try {
      requireInUse("reinterpret");
      // First: if the Java heap is full, nothing has changed.
      TrackedArray<B> heir = like(arrayType, type, newLength, backing);
      if (!heir.lifetime.takeOver(lifetime, heir.toString())) {
        throw useAfterFree(AttemptedUse.of("reinterpret"));
      }
      return heir;
    } finally {
      runtime.life().leave();
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void close() {
    if (!backing.isOwner()) {
      return;
    }
    try {
      if (region == null) {
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
  public static <A> TrackedArray<A> of(ReadableArray<A> array) {
    return (TrackedArray<A>) array;
  }

  /** Its memory; null for an empty array. */
  public @Nullable Region region() {
    return region;
  }

  /**
   * How many writes of its memory were registered so far, see {@link HazardState#writes}; 0 for an
   * empty array.
   */
  public long registeredWrites() {
    return region == null ? 0 : region.hazards().writes();
  }

  /** Whether nothing has written its memory since, see {@link HazardState#isUnchangedSince}. */
  public boolean isUnchangedSince(long earlierWrites) {
    return region == null || region.hazards().isUnchangedSince(earlierWrites);
  }

  /** Whether other code has its memory and may write it at this moment. */
  public boolean isWrittenByOtherCode() {
    return !isUnchangedSince(registeredWrites());
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
    } catch (Throwable e) {
      Suppressed.add(failure, e);
      // No caller has it to close it again.
      lifetime.abandon();
    }
  }

  private void requireDownload(DeviceStream stream) {
    requireUsable(stream, "download");
    if (length > 0) {
      memory.transfers().requireDownload(this);
    }
  }

  private void downloadFrom(DeviceStream stream, long from, long count, HostBytes target) {
    Region source = used(from, count, "download");
    if (source != null) {
      memory.transfers().download(this, stream, source, target);
      target.received();
    }
  }

  /** Queues a download to a pinned array; returns its ticket, or 0 without elements. */
  private long downloadPinned(
      DeviceStream stream, long from, PinnedArray<A> target, long targetFrom, long count) {
    TrackedPinnedArray<A> host = pinned(target, targetFrom, from, count, "download");
    requireDownload(stream);
    Region source = used(from, count, "download");
    if (source == null) {
      host.requireOpen("download");
      return 0;
    }
    return memory.transfers().download(this, stream, source, host, targetFrom);
  }

  private <T> TrackedDownload<T> begin(
      DeviceStream stream, long from, long count, T value, HostBytes target, boolean isNew) {
    Region source = used(from, count, "download");
    return memory
        .transfers()
        .begin(this, stream, source, purpose(from, count), value, target, isNew);
  }

  private String purpose(long from, long count) {
    return "download of " + ElementRange.inWords(from, count) + " of " + this;
  }

  /** A new Java array for a download that is allowed. */
  private A newTarget(DeviceStream stream, long from, long count) {
    requireJavaArray(from, count);
    requireDownload(stream);
    return newJavaArray(count);
  }

  private A newJavaArray(long count) {
    return arrayType.cast(Array.newInstance(arrayType.getComponentType(), (int) count));
  }

  private void requireTarget(long from, A target, int targetFrom, long count) {
    Objects.requireNonNull(target, "target");
    requireRange(from, count, "download");
    ElementRange.requireOnHost(targetFrom, count, HostArray.length(target), "download");
  }

  private HostBuffer targetBuffer(long from, Buffer target) {
    HostBuffer host =
        HostBuffer.of(Objects.requireNonNull(target, "target"), elementType, "download")
            .requireWritable("download");
    requireRange(from, host.length(), "download");
    return host;
  }

  /** The memory of some of its elements. The caller has checked the range. */
  final @Nullable Region range(long from, long count) {
    int size = elementType.sizeInBytes();
    return region == null ? null : region.range(from * size, count * size);
  }

  /**
   * The memory that an operation uses; null if it uses none. The operation registers its use, which
   * refuses a closed array; without memory there is nothing to register.
   */
  final @Nullable Region used(long from, long count, String operation) {
    Region used = range(from, count);
    if (used == null || count > 0) {
      return used;
    }
    requireInUse(operation);
    return null;
  }

  final void requireRange(long from, long count, String operation) {
    ElementRange.require(from, count, length, this, operation);
  }

  private void requireJavaArray(long from, long count) {
    requireRange(from, count, "download");
    if (count > HostArray.MAX_JAVA_ARRAY) {
      throw new IllegalArgumentException(
          ElementRange.inWords(from, count)
              + " of "
              + this
              + " are more than a Java array holds; download them in parts");
    }
  }

  /** The host side of a copy, checked like this side. */
  final TrackedPinnedArray<A> pinned(
      PinnedArray<A> array, long arrayFrom, long from, long count, String operation) {
    TrackedPinnedArray<A> host =
        (TrackedPinnedArray<A>) Objects.requireNonNull(array, "the pinned array");
    if (host.runtime() != runtime) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          operation + " of " + this + " with " + host + ": they belong to two runtimes");
    }
    requireSameElements(host.elementType(), host, operation);
    host.requireRange(arrayFrom, count, operation);
    requireRange(from, count, operation);
    return host;
  }

  private void requireRoom(A target) {
    Objects.requireNonNull(target, "target");
    int available = HostArray.length(target);
    if (available < length) {
      throw new IllegalArgumentException(
          "the host array has " + available + " elements; " + this + " needs " + length);
    }
  }

  final void requireUsable(DeviceStream stream, String operation) {
    Objects.requireNonNull(stream, "stream");
    TrackedStream.timelineOf(stream);
    if (stream.runtime() != runtime) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          operation + " of " + this + " on " + stream + ": they belong to two runtimes");
    }
    requireNotGone(operation);
  }

  /** Refuses what is closed, or split into parts, before it is handed on. */
  public void requireInUse(String operation) {
    // Before the hazard state is asked: the close of the runtime closes the array, too.
    runtime.life().enter();
    try {
      requireNotGone(operation);
      if (region != null) {
        region.hazards().requireUsable(operation);
      }
    } finally {
      runtime.life().leave();
    }
  }

  final void requireNotGone(String operation) {
    if (lifetime.isGone()) {
      throw useAfterFree(AttemptedUse.of(operation));
    }
  }

  /** The exception for a use of this array, which no longer has memory. */
  public UseAfterFreeException useAfterFree(AttemptedUse use) {
    long generation = region == null ? 0 : region.allocation().generation();
    String heir = lifetime.heir();
    return heir == null
        ? new UseAfterFreeException(use, toString(), generation, null)
        : UseAfterFreeException.handedOver(use, toString(), generation, heir);
  }

  /** Refuses an array of other elements, which only a cast lets through. */
  final void requireSameElements(ArrayElement other, Object what, String operation) {
    if (!other.equals(elementType)) {
      throw new IllegalArgumentException(
          operation + " of " + this + " with " + what + ": their elements have two types");
    }
  }

  final void requireSameLength(long other, Object what) {
    if (other != length) {
      throw new IllegalArgumentException(
          what + " has " + other + " elements; " + this + " has " + length);
    }
  }

  @Override
  public String toString() {
    return elementType.typeName() + "[" + length + "]" + (region == null ? "" : " in " + region);
  }
}
