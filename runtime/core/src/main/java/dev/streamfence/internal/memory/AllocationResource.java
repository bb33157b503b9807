package dev.streamfence.internal.memory;

import dev.streamfence.internal.order.Timeline;
import org.jspecify.annotations.Nullable;

/**
 * A source of device memory. Backends allocate it; decorators add limits, logs or guards to another
 * resource. Implementations are thread-safe.
 *
 * <p>Each resource has one {@link Account} of its bytes. Bytes are outstanding from their
 * allocation until a free or a reap returns them.
 */
public interface AllocationResource {
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
  default Allocation allocate(long sizeInBytes, Timeline timeline, String tag) {
    requirePositive(sizeInBytes, "an allocation");
    Account payer = account();
    Allocation atOnce = tryAllocate(sizeInBytes, timeline, tag, payer);
    if (atOnce != null) {
      return atOnce;
    }
    payer.claim(sizeInBytes, inWords(tag));
    try {
      return allocate(sizeInBytes, timeline, tag, payer);
    } catch (Throwable e) {
      payer.withdraw(sizeInBytes);
      throw e;
    }
  }

  /**
   * Allocates memory like {@link #allocate(long, Timeline, String)}, for decorators.
   *
   * @param payer the account in which the bytes are claimed: {@link #account}, or a part of it. The
   *     caller withdraws the claim if this method throws
   */
  Allocation allocate(long sizeInBytes, Timeline timeline, String tag, Account payer);

  /**
   * Allocates memory like {@link #allocate(long, Timeline, String)} if that takes no work on a
   * stream, and it fits now.
   *
   * @param payer the account that opens the bytes: {@link #account}, or a part of it
   * @return null if nothing was done
   */
  default @Nullable Allocation tryAllocate(
      long sizeInBytes, Timeline timeline, String tag, Account payer) {
    return null;
  }

  /**
   * Frees an allocation after all its registered uses. Does not synchronise unless the
   * implementation says so. If a submission has it pinned, the free is carried out at that
   * submission's end. In a thread that has a launch open, a later call carries it out if the stream
   * is taken.
   *
   * @throws dev.streamfence.UseAfterFreeException if it is closed already; nothing has changed
   * @throws dev.streamfence.StreamMisuseException if it belongs to another resource; it stays open
   * @throws RuntimeException a {@link dev.streamfence.CudaDriverException}, or what a memory
   *     resource throws, if the free could not be queued; the allocation stays open, so the call
   *     may be repeated
   */
  void deallocate(Allocation allocation);

  /**
   * Frees an allocation like {@link #deallocate} if that takes no work on a stream, and its bytes
   * can be allocated again at once: a request that sees the close finds them.
   *
   * @return false if nothing was done
   */
  default boolean tryDeallocate(Allocation allocation) {
    return false;
  }

  /** The account of its bytes. */
  Account account();

  /** Bytes of open allocations, and of freed ones that have not been returned. */
  default long bytesOutstanding() {
    return account().outstanding();
  }

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

  /**
   * Carries out the frees that were postponed because their stream was taken, each unless it is
   * taken again. Waits only where {@link #deallocate} does; a free that fails is kept for a later
   * call.
   */
  default void releasePostponed() {}

  /** Whether frees are postponed. */
  default boolean hasPostponed() {
    return false;
  }

  /** Refuses a size below one byte. */
  static void requirePositive(long bytes, String what) {
    if (bytes <= 0) {
      throw new IllegalArgumentException(what + " of " + bytes + " bytes; it has at least 1");
    }
  }

  /** An allocation's tag, for errors. */
  static String inWords(String tag) {
    return tag.isEmpty() ? "an allocation" : "'" + tag + "'";
  }
}
