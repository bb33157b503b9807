package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import java.util.Optional;

/**
 * A source of device memory. Backends allocate it; decorators add limits, logs or guards to another
 * resource. Implementations are thread-safe.
 *
 * <p>Bytes are accounted by what calls return, never by sampling: bytes are outstanding from their
 * allocation until a {@link #deallocate} or a reap returns them, each byte once. So {@link
 * #bytesOutstanding} is the bytes allocated less the bytes returned whenever no call is running.
 */
public interface MemoryResource {
  /**
   * Allocates memory in the order of a stream. Does not synchronise unless memory is short. Other
   * streams may use it at once: their submissions wait for the allocation automatically.
   *
   * @param sizeInBytes at least 1
   * @param timeline the stream that the allocation is ordered on
   * @param tag its purpose, for errors and reports; may be empty
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory; nothing has
   *     changed then
   * @throws dev.streamfence.StreamMisuseException if the stream belongs to another device or
   *     runtime
   * @throws IllegalArgumentException if the size is not positive
   */
  Allocation allocate(long sizeInBytes, Timeline timeline, String tag);

  /**
   * Frees an allocation after all its registered uses. Does not synchronise unless the
   * implementation says so. If a submission has it pinned, the free is carried out at that
   * submission's end. In a thread that has a launch open, a later call carries it out if the stream
   * is taken.
   *
   * @return bytes that no longer count as outstanding because of this call: at most those of {@code
   *     allocation}, or more if others became free with it
   * @throws dev.streamfence.UseAfterFreeException if it is closed already; nothing has changed
   * @throws dev.streamfence.StreamMisuseException if it belongs to another resource; it stays open
   * @throws dev.streamfence.CudaDriverException if the free could not be queued; the allocation
   *     stays open, so the call may be repeated
   */
  long deallocate(Allocation allocation);

  /** Bytes of open allocations, and of freed ones that have not been returned. */
  long bytesOutstanding();

  /** The number of the device that the memory is on. */
  int deviceOrdinal();

  /** Whether {@link #deallocate} waits for, or is ordered after, registered uses. */
  default boolean tracksUses() {
    return false;
  }

  /**
   * Whether the calling thread may wait for another thread's call here. A thread with a launch open
   * may not: the other thread may be waiting for that launch.
   */
  default boolean mayWaitForOthers() {
    return false;
  }

  /**
   * Returns freed bytes that the device is known, or found, to be done with. Does not wait unless
   * the implementation says so.
   *
   * @return bytes that no longer count as outstanding
   * @throws dev.streamfence.CudaDriverException if the driver call failed and nothing was returned;
   *     the next call asks again
   */
  default long reap() {
    return awaitReap(0);
  }

  /**
   * Returns bytes like {@link #reap}, and waits for the device to finish with freed allocations
   * while fewer than {@code wanted} bytes have come back.
   *
   * @param wanted bytes that are enough; 0 to not wait for any
   */
  default long awaitReap(long wanted) {
    return 0;
  }

  /** The limit of this resource and the bytes counted against it; empty if it has no limit. */
  default Optional<Budget> budget() {
    return Optional.empty();
  }
}
