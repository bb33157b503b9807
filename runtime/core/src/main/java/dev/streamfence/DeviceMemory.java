package dev.streamfence;

import dev.streamfence.foreign.ForeignMemory;
import dev.streamfence.internal.device.TrackedMemory;
import dev.streamfence.memory.ArrayAllocator;
import dev.streamfence.memory.MemoryReservation;
import dev.streamfence.memory.MemoryStatistics;
import dev.streamfence.memory.MemoryTask;
import dev.streamfence.memory.PoolStatistics;
import dev.streamfence.memory.PressureStatistics;
import dev.streamfence.memory.SpillableArray;
import dev.streamfence.memory.TagUsage;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Allocates the arrays of a runtime and accounts for their bytes. Thread-safe. */
public sealed interface DeviceMemory extends ArrayAllocator permits TrackedMemory {
  /**
   * The same memory within a budget of its own, for one of several users of a runtime. Its arrays
   * count in both budgets: in its own until they are closed, in the enclosing one until the device
   * no longer uses them.
   *
   * @param budgetInBytes limit on its open arrays and reservations, at least 0; the enclosing
   *     budget applies as well
   * @throws IllegalArgumentException if {@code budgetInBytes} is negative
   */
  DeviceMemory within(long budgetInBytes);

  /**
   * The same memory within a budget of its own, like {@link #within(long)}.
   *
   * @param name the name of the budget in exceptions
   * @throws IllegalArgumentException if {@code budgetInBytes} is negative
   */
  DeviceMemory within(long budgetInBytes, String name);

  /**
   * Allocates a page-locked host array, with undefined content. Does not wait for the device,
   * though the driver may.
   *
   * @param arrayType the Java array type, such as {@code float[].class}
   * @param length the number of elements; 0 takes no memory
   * @throws IllegalArgumentException if the length is negative, the array has more than {@link
   *     Integer#MAX_VALUE} bytes, or the type is not an array of primitives or of a record of
   *     primitives
   * @throws CudaDriverException if the driver cannot allocate the memory
   * @throws RuntimeClosedException if the runtime is closed
   */
  <A> PinnedArray<A> pinned(Class<A> arrayType, long length);

  /**
   * Takes memory that other code owns into the order of this runtime, until the array is closed.
   * The array can be used like any other. No byte is copied, and no budget limits adopted memory.
   * Does not synchronise.
   *
   * <p>The stream waits for the owner's work, and every use, on any stream, comes after that. When
   * the array is closed, the owner is called back after the last use, as the description of the
   * memory says. If the array is lost, or still open when the runtime closes, its memory is given
   * back then.
   *
   * <p>Memory that lies within an array of this runtime, or within memory that it has adopted
   * before, becomes a window on that memory: uses of both are ordered with each other, and the
   * window keeps the memory allocated. Memory of 0 bytes needs no ready event, and is given back at
   * once.
   *
   * @param stream waits for the owner's work
   * @param memory at least as aligned as its elements
   * @throws IllegalArgumentException if the memory is not a whole number of elements, or
   *     misaligned; if its description does not say when it is ready; if it is memory of the host
   *     or of another device, or ends beyond its allocation; if it overlaps other tracked memory
   *     without lying in it, or lies in memory that was adopted as read-only
   * @throws StreamMisuseException if the stream belongs to another runtime or is closed, or if this
   *     thread has a launch open
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost, or the driver refuses the owner's event or
   *     stream. Nothing is adopted then, and the owner is not called back
   */
  <A> DeviceArray<A> adopt(DeviceStream stream, ForeignMemory memory, Class<A> arrayType);

  /**
   * Takes memory that must not be written into the order of this runtime, like {@link #adopt}.
   * Read-only memory may be adopted several times, and in parts that overlap.
   *
   * @throws IllegalArgumentException like {@link #adopt}
   * @throws StreamMisuseException like {@link #adopt}
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException like {@link #adopt}
   */
  <A> ReadableArray<A> adoptReadable(DeviceStream stream, ForeignMemory memory, Class<A> arrayType);

  /**
   * Sets memory aside for several arrays that are needed together, so none is refused half-way.
   * Allocates nothing. Synchronises only while memory is short.
   *
   * @param bytes at least 1
   * @throws OutOfMemoryBudgetException if the bytes do not fit into the budget; nothing has changed
   * @throws IllegalArgumentException if {@code bytes} is less than 1
   * @throws IllegalStateException if the runtime has no memory budget
   * @throws RuntimeClosedException if the runtime is closed
   * @throws CudaDriverException if the device is lost
   */
  MemoryReservation reserve(long bytes);

  /**
   * Sets memory aside like {@link #reserve(long)}, and waits while the budget is short: for arrays
   * that other threads close, and reservations that they give up. The first to wait is the first to
   * get memory; a request without a timeout does not wait behind those that do. So a pool of tasks
   * needs no semaphore: each reserves what it needs, and allocates from the reservation.
   *
   * @param bytes at least 1
   * @param timeout how long to wait at most; 0 to not wait for other threads
   * @return empty if the bytes did not fit at the end
   * @throws InterruptedException if the thread is interrupted before or while it waits
   * @throws OutOfMemoryBudgetException if the budget is smaller than the bytes
   * @throws StreamMisuseException if this thread has a launch open, for whose end others may wait
   * @throws IllegalArgumentException if {@code bytes} is less than 1, or the timeout negative
   * @throws IllegalStateException if the runtime has no memory budget
   * @throws RuntimeClosedException if the runtime is closed, also while this call waits
   * @throws CudaDriverException if the device is lost
   */
  Optional<MemoryReservation> reserve(long bytes, Duration timeout) throws InterruptedException;

  /**
   * Opens a task of priority 0 whose requests wait for memory up to a minute, like {@link
   * #task(int, Duration)}.
   *
   * @throws RuntimeClosedException if the runtime is closed
   */
  MemoryTask task();

  /**
   * Opens a task whose requests wait for memory up to a minute, like {@link #task(int, Duration)}.
   *
   * @throws RuntimeClosedException if the runtime is closed
   */
  MemoryTask task(int priority);

  /**
   * Opens a task: until it is closed, requests for memory of this runtime by the calling thread
   * wait instead of being refused. Does not wait. Inside another task of the thread, it is part of
   * that one, with its priority and patience.
   *
   * @param priority higher is more important
   * @param patience how long each request waits at most
   * @throws IllegalArgumentException if the patience is negative
   * @throws RuntimeClosedException if the runtime is closed
   */
  MemoryTask task(int priority, Duration patience);

  /**
   * Takes an array over that may leave the device while it is idle: when a request does not fit,
   * idle arrays are copied to host memory or to a file, those first that were used least recently,
   * and their memory is freed. From then on, the array itself refuses uses. Does not wait.
   *
   * <p>Arrays in use, those that a graph or other code has, and those of another budget than the
   * one that is short stay. Requests inside of a launch or call spill nothing. The copies count as
   * transfers, and are not refused with the {@linkplain #refuseDownloads downloads}.
   *
   * @throws StreamMisuseException if it is a view, a part, adopted or a variable of a module
   * @throws dev.streamfence.UseAfterFreeException if it is closed
   * @throws RuntimeClosedException if the runtime is closed
   */
  <A> SpillableArray<A> spillable(DeviceArray<A> array);

  /**
   * Copies idle arrays of this memory away from the device, as a request that does not fit does.
   * Waits for the copies to files, not for those to host memory.
   *
   * @param stream the order of the copies
   * @param bytes how many bytes are enough
   * @return the bytes that have left the device
   * @throws StreamMisuseException if this thread has a launch open
   * @throws DeviceException if a file could not be written; its array stays on the device
   * @throws CudaDriverException if a driver call fails; its array stays on the device
   * @throws IllegalArgumentException if {@code bytes} is negative
   */
  long spill(DeviceStream stream, long bytes);

  /** The figures of the runtime's tasks and spillable arrays at this moment. */
  PressureStatistics pressure();

  /**
   * Checks whether a request of this size would be admitted now. Sets nothing aside, so another
   * thread may take the bytes before the request; {@link #reserve} holds them. Closed arrays that
   * the device still uses count as free, since a request waits for them; those that a graph, other
   * code or an open launch keeps do not. Makes no driver call, and does not count as a request.
   *
   * @param bytes at least 0
   * @throws OutOfMemoryBudgetException if the bytes do not fit into the budget, or an enclosing one
   * @throws IllegalArgumentException if {@code bytes} is negative
   * @throws RuntimeClosedException if the runtime is closed
   */
  void checkBudget(long bytes);

  /**
   * Bytes in open arrays, and in closed ones that may still be in use; a caching pool has the
   * memory of closed ones at once.
   */
  long bytesOutstanding();

  /**
   * Stops counting closed arrays that the device no longer uses. Does not synchronise, unless the
   * runtime's memory is guarded.
   *
   * @return bytes that no longer count as outstanding
   * @throws CudaDriverException if a driver call that asks which arrays are still in use fails
   */
  long reap();

  /**
   * Returns the memory that the runtime's caching pool holds and no array uses to the driver, for
   * other runtimes, libraries and processes. Waits until the device has freed it. A segment that
   * has an open array stays whole. A memory resource of the user's own is trimmed as well.
   *
   * @return the bytes that the pool returned; 0 without a pool
   * @throws CudaDriverException if the driver refuses; what it does not take stays in the pool
   * @throws StreamMisuseException if this thread has a launch open
   * @throws RuntimeClosedException if the runtime is closed
   */
  long trim();

  /** Resets the peak to the bytes that are live or pending now, after a {@link #reap}. */
  void resetPeak();

  /** Resets the count of allocation requests to 0. */
  void resetAllocationRequests();

  /** Resets the counts of uploads, downloads and refused downloads to 0. */
  void resetTransfers();

  /** Resets the counts of metadata reads and of uploads of tables to 0. */
  void resetMetadataTransfers();

  /**
   * Turns the refusal of downloads on or off, to show that a computation stays on the device. While
   * on, every download of a non-empty array, and every launch of a graph with one, throws an {@link
   * IllegalStateException} before it allocates or copies anything, and is counted. Numbers of rows,
   * and of bytes of adopted text, can still be read: they are no data. Concerns the arrays of this
   * memory and of those {@link #within} it.
   */
  void refuseDownloads(boolean refuse);

  /**
   * The memory statistics at this moment. For memory {@link #within} a budget, the limit, bytes,
   * peak, requests and transfers are its own, and also count in the memory around it; the counts of
   * failed frees, lost arrays, guard violations and log records, and the bytes of pinned and
   * adopted memory, are the runtime's.
   */
  MemoryStatistics statistics();

  /** The figures of the caching pool at this moment; empty if the runtime has none. */
  Optional<PoolStatistics> pool();

  /**
   * The open arrays by tag, sorted; unmodifiable. For memory {@link #within} a budget: its own. An
   * array without a tag counts under its type and length. Looks at each open array.
   */
  Map<String, TagUsage> usageByTag();
}
