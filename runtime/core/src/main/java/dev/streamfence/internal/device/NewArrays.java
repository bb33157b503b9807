package dev.streamfence.internal.device;

import dev.streamfence.DeviceStream;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.internal.host.HostArray;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.BudgetResource;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.internal.pressure.Demand;
import dev.streamfence.internal.pressure.PressureTask;
import dev.streamfence.launch.ArrayElement;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.RecordElement;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes new arrays of one memory, from its budget or from a reservation. A request that is refused
 * spills idle arrays, and then waits in the task of its thread, if there is one. Thread-safe.
 */
final class NewArrays {
  /** What an array's memory comes from: a resource or a reservation. */
  @FunctionalInterface
  interface Source {
    Allocation allocate(long sizeInBytes, Timeline timeline, String tag);
  }

  private record Described(ArrayElement elementType, long length, String words) {}

  /** The latest description: programs often allocate one kind of array again and again. */
  private volatile @Nullable Described described;

  private final TrackedRuntime runtime;
  private final TrackedMemory memory;
  private final BudgetResource resource;
  private final Source budget;
  private final OpenArrays arrays;
  private final TransferCounts counts;
  private final Spilling spilling;

  NewArrays(
      TrackedMemory memory,
      BudgetResource resource,
      OpenArrays arrays,
      TransferCounts counts,
      Spilling spilling) {
    this.runtime = memory.runtime();
    this.memory = memory;
    this.resource = resource;
    this.budget = resource::allocate;
    this.arrays = arrays;
    this.counts = counts;
    this.spilling = spilling;
  }

  /** Where the memory of arrays comes from that name no other source. */
  Source budget() {
    return budget;
  }

  /** Allocates, and waits for memory in a task if it comes from the budget. */
  <A> WritableArray<A> allocate(
      Source source, DeviceStream stream, Class<A> arrayType, long length, String tag) {
    PressureTask task = source == budget && length > 0 ? waitingTask() : null;
    return allocateOrWait(
        task == null ? source : task.share(resource)::allocate,
        task,
        stream,
        arrayType,
        length,
        tag);
  }

  <A> WritableArray<A> allocateZeroed(
      Source from, DeviceStream stream, Class<A> arrayType, long length, String tag) {
    WritableArray<A> array = allocate(from, stream, arrayType, length, tag);
    try {
      if (array.elementType() == ElementType.BOOLEAN) {
        array.fill(stream, false);
      } else if (array.elementType() instanceof RecordElement) {
        array.clear(stream);
      } else {
        array.fill(stream, 0L);
      }
      return array;
    } catch (RuntimeException | Error e) {
      array.closeAfter(e);
      throw e;
    }
  }

  @SuppressWarnings("unchecked") // The class of an A is a Class<A>, which getClass cannot express.
  <A> WritableArray<A> upload(Source from, DeviceStream stream, A source, String tag) {
    Objects.requireNonNull(source, "source");
    Class<A> arrayType = (Class<A>) source.getClass();
    ArrayElement.ofArray(arrayType);
    WritableArray<A> array = allocate(from, stream, arrayType, HostArray.length(source), tag);
    try {
      array.upload(stream, source);
      return array;
    } catch (RuntimeException | Error e) {
      array.closeAfter(e);
      throw e;
    }
  }

  /** Allocates from the budget, and no task has the array. */
  <A> WritableArray<A> allocateShared(
      DeviceStream stream, Class<A> arrayType, long length, String tag) {
    return allocateOrWait(budget, waitingTask(), stream, arrayType, length, tag);
  }

  /** Spills idle arrays if memory is short, and waits in a task. */
  private <A> WritableArray<A> allocateOrWait(
      Source source,
      @Nullable PressureTask task,
      DeviceStream stream,
      Class<A> arrayType,
      long length,
      String tag) {
    counts.requested();
    if (task == null && runtime.spills().isEmpty()) {
      return allocateNow(source, stream, arrayType, length, tag);
    }
    // No other array can make a reservation larger, but other arrays may have filled the device.
    Predicate<OutOfMemoryBudgetException> spills =
        task == null && source != budget ? OutOfMemoryBudgetException::isByDriver : refusal -> true;
    Supplier<WritableArray<A>> request =
        () ->
            spilling.orSpill(
                () -> stream, spills, () -> allocateNow(source, stream, arrayType, length, tag));
    if (task == null) {
      return request.get();
    }
    ArrayElement elementType = ArrayElement.ofArray(arrayType);
    timelineFor(stream, elementType, length);
    Objects.requireNonNull(tag, "tag");
    long bytes = length * elementType.sizeInBytes();
    String what = tag.isEmpty() ? description(elementType, length) : "'" + tag + "'";
    return runtime.tasks().await(task, new Demand(what, bytes, resource), request);
  }

  /** The task of the calling thread; null if it has none, or must not wait. */
  @Nullable PressureTask waitingTask() {
    PressureTask task = runtime.tasks().current();
    return task == null || runtime.life().isEntered() ? null : task;
  }

  private <A> WritableArray<A> allocateNow(
      Source source, DeviceStream stream, Class<A> arrayType, long length, String tag) {
    runtime.life().enter();
    try {
      return allocateInside(source, stream, arrayType, length, tag);
    } finally {
      runtime.life().leave();
    }
  }

  private <A> WritableArray<A> allocateInside(
      Source source, DeviceStream stream, Class<A> arrayType, long length, String tag) {
    Objects.requireNonNull(stream, "stream");
    Objects.requireNonNull(tag, "tag");
    ArrayElement elementType = ArrayElement.ofArray(arrayType);
    Timeline timeline = timelineFor(stream, elementType, length);
    String what = description(elementType, length);
    @Nullable Allocation allocation = null;
    if (length > 0) {
      // Before the budget, which would otherwise report a lost device as out of memory.
      runtime.sticky().check();
      arrays.freeLost();
      allocation =
          source.allocate(length * elementType.sizeInBytes(), timeline, tag.isEmpty() ? what : tag);
    }
    return array(arrayType, elementType, length, allocation);
  }

  /** The timeline of a stream on which an array can be allocated; refuses all others. */
  private Timeline timelineFor(DeviceStream stream, ArrayElement elementType, long length) {
    Objects.requireNonNull(stream, "stream");
    if (length < 0) {
      throw new IllegalArgumentException(
          "an array of " + length + " elements; the length is at least 0");
    }
    if (length > Long.MAX_VALUE / elementType.sizeInBytes()) {
      throw new IllegalArgumentException(
          description(elementType, length) + " has more bytes than a long counts");
    }
    if (stream.runtime() != runtime) {
      throw new StreamMisuseException(
          StreamMisuseException.Misuse.OTHER_RUNTIME,
          "allocation of "
              + description(elementType, length)
              + " by "
              + runtime
              + " on "
              + stream
              + ": they belong to two runtimes");
    }
    return TrackedStream.timelineOf(stream);
  }

  /** An array without a tag in words, such as {@code float[1024]}. */
  private String description(ArrayElement elementType, long length) {
    Described latest = described;
    if (latest == null || latest.length != length || latest.elementType != elementType) {
      latest = new Described(elementType, length, elementType.typeName() + "[" + length + "]");
      described = latest;
    }
    return latest.words;
  }

  private <A> WritableArray<A> array(
      Class<A> arrayType, ArrayElement elementType, long length, @Nullable Allocation allocation) {
    try {
      return new WritableArray<>(
              memory, arrayType, elementType, length, ArrayBacking.Owned.of(allocation))
          .hold();
    } catch (Error e) {
      if (allocation != null) {
        arrays.freeAfter(allocation, e);
      }
      throw e;
    }
  }
}
