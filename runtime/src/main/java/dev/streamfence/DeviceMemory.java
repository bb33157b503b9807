package dev.streamfence;

import dev.streamfence.internal.memory.Block;
import dev.streamfence.internal.memory.BlockSource;
import dev.streamfence.internal.memory.Budget;
import dev.streamfence.internal.memory.BudgetResource;
import dev.streamfence.internal.order.Timeline;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Allocates the arrays of a runtime and accounts for their bytes. Thread-safe. */
public final class DeviceMemory {
  private final DeviceRuntime runtime;
  private final MemoryStack stack;
  private final BudgetResource resource;
  private final OpenArrays arrays;
  private final Transfers transfers;
  private final LongAdder requests = new LongAdder();

  DeviceMemory(DeviceRuntime runtime, MemoryStack stack, OpenArrays arrays) {
    this(runtime, stack, arrays, stack.budget(), new Transfers());
  }

  private DeviceMemory(
      DeviceRuntime runtime,
      MemoryStack stack,
      OpenArrays arrays,
      BudgetResource resource,
      Transfers transfers) {
    this.runtime = runtime;
    this.stack = stack;
    this.arrays = arrays;
    this.resource = resource;
    this.transfers = transfers;
  }

  /**
   * The same memory within a budget of its own, for one of several users of a runtime. Its arrays
   * count in both budgets: in its own until they are closed, in the enclosing one until the device
   * no longer uses them.
   *
   * @param budgetInBytes limit on its open arrays and reservations, at least 0; the enclosing
   *     budget applies as well
   */
  public DeviceMemory within(long budgetInBytes) {
    return within(budgetInBytes, "within " + budgetInBytes + " bytes");
  }

  /**
   * The same memory within a budget of its own, like {@link #within(long)}.
   *
   * @param name the name of the budget in exceptions
   */
  public DeviceMemory within(long budgetInBytes, String name) {
    Objects.requireNonNull(name, "name");
    return new DeviceMemory(runtime, stack, arrays, resource.part(budgetInBytes, name), transfers);
  }

  /**
   * Allocates an array with undefined content, in stream order. Does not synchronise unless memory
   * is short.
   *
   * @param arrayType the Java array type, such as {@code float[].class}
   * @param length the number of elements; 0 takes no device memory
   * @throws IllegalArgumentException if the length is negative, too large to count in bytes, or the
   *     type is not an array of primitives
   * @throws OutOfMemoryBudgetException if there is not enough memory
   */
  public <A> DeviceArray<A> allocate(DeviceStream stream, Class<A> arrayType, long length) {
    return allocate(resource::allocate, stream, arrayType, length, "");
  }

  /**
   * Allocates an array like {@link #allocate(DeviceStream, Class, long)}.
   *
   * @param tag its purpose, which errors, logs and reports give instead of its type and length
   */
  public <A> DeviceArray<A> allocate(
      DeviceStream stream, Class<A> arrayType, long length, String tag) {
    return allocate(resource::allocate, stream, arrayType, length, tag);
  }

  /**
   * Allocates an array of zeros, like {@link #allocate} followed by a fill. Does not synchronise
   * unless memory is short.
   */
  public <A> DeviceArray<A> allocateZeroed(DeviceStream stream, Class<A> arrayType, long length) {
    DeviceArray<A> array = allocate(stream, arrayType, length);
    try {
      if (array.elementType() == ElementType.BOOLEAN) {
        array.fill(stream, false);
      } else {
        array.fill(stream, 0L);
      }
      return array;
    } catch (RuntimeException | Error e) {
      array.closeAfter(e);
      throw e;
    }
  }

  /**
   * Allocates an array with the content of a host array, which may be changed as soon as this
   * returns. Synchronises only while memory is short.
   *
   * @throws IllegalArgumentException if {@code source} is not an array of primitives
   * @throws OutOfMemoryBudgetException if there is not enough memory
   */
  @SuppressWarnings("unchecked") // The class of an A is a Class<A>, which getClass cannot express.
  public <A> DeviceArray<A> upload(DeviceStream stream, A source) {
    Objects.requireNonNull(source, "source");
    DeviceArray<A> array = allocate(stream, (Class<A>) source.getClass(), hostLength(source));
    try {
      array.upload(stream, source);
      return array;
    } catch (RuntimeException | Error e) {
      array.closeAfter(e);
      throw e;
    }
  }

  /**
   * Sets memory aside for several arrays that are needed together, so none is refused half-way.
   * Allocates nothing. Synchronises only while memory is short.
   *
   * @param bytes at least 1
   * @throws OutOfMemoryBudgetException if the bytes do not fit into the budget; nothing has changed
   * @throws IllegalStateException if the runtime has no memory budget
   */
  public MemoryReservation reserve(long bytes) {
    if (runtime.options().memoryBudget().isUnlimited()) {
      throw new IllegalStateException(
          "a reservation by a runtime without a memory budget; open it with one");
    }
    runtime.life().enter();
    try {
      runtime.faults().check();
      arrays.freeLost();
      return new MemoryReservation(this, resource.reserve(bytes));
    } finally {
      runtime.life().leave();
    }
  }

  /** Bytes in open arrays, and in closed ones that may still be in use. */
  public long bytesOutstanding() {
    return resource.bytesOutstanding();
  }

  /**
   * Stops counting closed arrays that the device no longer uses. Does not synchronise, unless the
   * runtime's memory is guarded.
   *
   * @return bytes that no longer count as outstanding
   * @throws CudaDriverException if the driver cannot tell which arrays are still in use
   */
  public long reap() {
    if (!runtime.life().tryEnter()) {
      return 0;
    }
    try {
      arrays.freeLost();
      return stack.budget().reap();
    } finally {
      runtime.life().leave();
    }
  }

  /** Resets the peak to the bytes live now. */
  public void resetPeak() {
    resource.resetPeak();
  }

  /** Resets the count of allocation requests to 0. */
  public void resetAllocationRequests() {
    requests.reset();
  }

  /** Resets the counts of uploads and downloads to 0. */
  public void resetTransfers() {
    transfers.reset();
  }

  /**
   * Turns the refusal of downloads on or off, to show that a computation stays on the device. While
   * on, every download of a non-empty array throws an {@link IllegalStateException} before it
   * allocates or copies anything, and is counted.
   */
  public void refuseDownloads(boolean refuse) {
    transfers.refuseDownloads(refuse);
  }

  /**
   * The memory statistics at this moment. For memory {@link #within} a budget, the limit, bytes,
   * peak and requests are its own; the rest is the runtime's.
   */
  public MemoryStatistics statistics() {
    Budget budget = resource.snapshot();
    return new MemoryStatistics(
        budget.limit(),
        budget.live(),
        budget.pending(),
        budget.promised(),
        budget.peak(),
        requests.sum(),
        arrays.failedFrees(),
        arrays.failedFreeBytes(),
        arrays.lostArrays(),
        transfers.uploads.sum(),
        transfers.uploadedBytes.sum(),
        transfers.downloads.sum(),
        transfers.downloadedBytes.sum(),
        transfers.refusedDownloads.sum(),
        stack.guardViolations(),
        stack.droppedLogRecords());
  }

  DeviceRuntime runtime() {
    return runtime;
  }

  OpenArrays arrays() {
    return arrays;
  }

  Transfers transfers() {
    return transfers;
  }

  <A> DeviceArray<A> allocate(
      BlockSource source, DeviceStream stream, Class<A> arrayType, long length, String tag) {
    runtime.life().enter();
    try {
      return allocateInside(source, stream, arrayType, length, tag);
    } finally {
      runtime.life().leave();
    }
  }

  private <A> DeviceArray<A> allocateInside(
      BlockSource source, DeviceStream stream, Class<A> arrayType, long length, String tag) {
    requests.increment();
    ElementType elementType = ElementType.ofArray(arrayType);
    String what = elementType.primitive() + "[" + length + "]";
    if (length < 0) {
      throw new IllegalArgumentException(
          "an array of " + length + " elements; the length is at least 0");
    }
    if (length > Long.MAX_VALUE / elementType.sizeInBytes()) {
      throw new IllegalArgumentException(what + " has more bytes than a long counts");
    }
    if (stream.runtime() != runtime) {
      throw new StreamMisuseException(
          "allocation of "
              + what
              + " by "
              + runtime
              + " on "
              + stream
              + ": they belong to two runtimes");
    }
    Timeline timeline = stream.timeline();
    @Nullable Block block = null;
    if (length > 0) {
      // Before the budget, which would otherwise report a lost device as out of memory.
      runtime.faults().check();
      arrays.freeLost();
      block =
          source.allocate(length * elementType.sizeInBytes(), timeline, tag.isEmpty() ? what : tag);
    }
    return array(arrayType, elementType, length, block);
  }

  private <A> DeviceArray<A> array(
      Class<A> arrayType, ElementType elementType, long length, @Nullable Block block) {
    try {
      if (block != null) {
        arrays.hold(block, resource);
      }
      return new DeviceArray<>(this, arrayType, elementType, length, block);
    } catch (Error e) {
      if (block != null) {
        arrays.freeAfter(block, resource, e);
      }
      throw e;
    }
  }

  private static int hostLength(Object source) {
    ElementType.ofArray(source.getClass());
    return HostArray.length(source);
  }
}
