package dev.streamfence.memory;

import dev.streamfence.stream.Timeline;

/**
 * Where blocks of device memory come from. Backends make them; decorators add limits, logs or
 * guards around another resource. Implementations are thread-safe.
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
   * @throws IllegalArgumentException if the size is not positive
   */
  Block allocate(long sizeInBytes, Timeline timeline, String tag);

  /**
   * Frees a block in stream order, after every use that was registered on it. Does not synchronise.
   * While a submission holds the block pinned, the free is carried out at its end. Freeing a block
   * twice does nothing.
   *
   * @throws dev.streamfence.CudaDriverException if it could not be queued; the block is open as
   *     before, so that the call may be repeated
   */
  void deallocate(Block block);

  /** Bytes of blocks that are open, and of freed ones that the device may still be using. */
  long bytesOutstanding();

  /**
   * Forgets freed bytes that are known to be out of use. Does not synchronise.
   *
   * @return bytes that no longer count as outstanding
   */
  long reap();
}
