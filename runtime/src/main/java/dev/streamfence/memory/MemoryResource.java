package dev.streamfence.memory;

import dev.streamfence.stream.Timeline;
import java.util.Optional;

/**
 * Where blocks of device memory come from. Backends make them; decorators add limits, logs or
 * guards around another resource. Implementations are thread-safe.
 *
 * <p>Bytes are accounted by what calls return, never by sampling: a block's bytes are outstanding
 * from its allocation until a {@link #deallocate} or a reap has returned them, each byte once. So
 * what was allocated, less what was returned, is {@link #bytesOutstanding} whenever no call runs.
 */
public interface MemoryResource {
  /**
   * Allocates a block in the order of a stream. Does not synchronise unless memory is short. Other
   * streams may use the block at once: submissions wait for the allocation by themselves.
   *
   * @param sizeInBytes at least 1
   * @param timeline the stream that the allocation is ordered on
   * @param tag what the block is for, said in errors and reports; may be empty
   * @throws dev.streamfence.OutOfMemoryBudgetException if there is not enough memory; nothing has
   *     changed then
   * @throws dev.streamfence.StreamMisuseException if the stream belongs to another device or
   *     runtime
   * @throws IllegalArgumentException if the size is not positive
   */
  Block allocate(long sizeInBytes, Timeline timeline, String tag);

  /**
   * Frees a block after every use that was registered on it. Does not synchronise unless the
   * implementation says so. While a submission holds the block pinned, the free is carried out at
   * its end; in a thread that has a launch open on any stream it is carried out by a later call.
   *
   * @return bytes that no longer count as outstanding because of this call: the block's at most, or
   *     more where others became free with it
   * @throws dev.streamfence.UseAfterFreeException if the block is closed already; nothing has
   *     changed
   * @throws dev.streamfence.StreamMisuseException if the block is another resource's; it is open as
   *     before
   * @throws dev.streamfence.CudaDriverException if it could not be queued; the block is open as
   *     before, so that the call may be repeated
   */
  long deallocate(Block block);

  /** Bytes of blocks that are open, and of freed ones that have not been returned. */
  long bytesOutstanding();

  /** The number of the device that the memory is on. */
  int deviceOrdinal();

  /** Whether {@link #deallocate} comes after the uses registered on a block. */
  default boolean tracksUses() {
    return false;
  }

  /**
   * Returns freed bytes that the device is known, or found, to be done with. Does not wait.
   *
   * @return bytes that no longer count as outstanding
   * @throws dev.streamfence.CudaDriverException if the driver could not be asked and nothing was
   *     returned; it is asked again by the next call
   */
  default long reap() {
    return awaitReap(0);
  }

  /**
   * Like {@link #reap}, and while fewer than {@code wanted} bytes have come back, waits for the
   * device to be done with freed blocks.
   *
   * @param wanted bytes that are enough; with 0 nothing is waited for
   */
  default long awaitReap(long wanted) {
    return 0;
  }

  /** The limit that this resource keeps and how it stands; empty where nothing limits it. */
  default Optional<Budget> budget() {
    return Optional.empty();
  }
}
