package dev.streamfence.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.MemoryInfo;
import dev.streamfence.stream.FaultLatch;
import dev.streamfence.stream.StreamPool;
import dev.streamfence.stream.Submission;
import dev.streamfence.stream.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A resource that hands out blocks of its own and frees them after their registered uses: the
 * identity of blocks, frees that are put off or have to be repeated, and the bytes of both. What a
 * subclass adds is how memory is got and given back. Thread-safe; no lock is held across a driver
 * call but the submission lock of the one stream.
 */
public abstract sealed class TrackedResource implements MemoryResource
    permits StreamOrderedResource, DirectResource, GuardResource {
  /** {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  static final int OUT_OF_MEMORY = 2;

  final StreamPool streams;
  final CudaDriver driver;
  final Ledger ledger = new Ledger();
  private final boolean tracing;
  private final ConcurrentMap<Long, Block> live = new ConcurrentHashMap<>();
  private final Queue<Block> unreleased = new ConcurrentLinkedQueue<>();

  TrackedResource(StreamPool streams, boolean tracing) {
    this.streams = streams;
    this.driver = streams.driver();
    this.tracing = tracing;
  }

  /** Gets memory for a block, which {@link #adopt} makes known. */
  abstract Block obtain(long sizeInBytes, Timeline timeline, String tag);

  /**
   * Gives the memory of a closed block back.
   *
   * @param timeline the stream of its latest use
   * @param submission begun on that stream, for this to use and to close
   * @return bytes that no longer count as outstanding because of that
   */
  abstract long free(Block block, Timeline timeline, Submission submission);

  /** Forgets a closed block whose memory went down with the device. */
  long lose(Block block) {
    return ledger.gone(block.sizeInBytes());
  }

  @Override
  public final Block allocate(long sizeInBytes, Timeline timeline, String tag) {
    requirePositive(sizeInBytes, "a block");
    if (timeline.pool() != streams) {
      throw new StreamMisuseException(
          "an allocation of "
              + sizeInBytes
              + " bytes on "
              + timeline
              + " of another device or runtime; name a stream of this one");
    }
    releaseAgain();
    return obtain(sizeInBytes, timeline, tag);
  }

  @Override
  public final long deallocate(Block block) {
    if (!block.dependencies().isOpen()) {
      throw new UseAfterFreeException("a second free", block.toString(), block.generation(), null);
    }
    if (live.get(block.address()) != block) {
      throw new StreamMisuseException(block + " is freed by a resource that it does not come from");
    }
    if (!block.dependencies().close(tracing ? new ClosedHere() : null)) {
      return 0;
    }
    long returned;
    try {
      returned = disown(block, true);
    } catch (RuntimeException e) {
      block.dependencies().reopen();
      throw e;
    }
    releaseAgain();
    return returned;
  }

  @Override
  public final long bytesOutstanding() {
    return ledger.outstanding();
  }

  @Override
  public final int deviceOrdinal() {
    return driver.properties().ordinal();
  }

  @Override
  public final boolean tracksUses() {
    return true;
  }

  @Override
  public long awaitReap(long wanted) {
    releaseAgain();
    return isLost() ? ledger.reapAll() : ledger.reap();
  }

  /** The blocks whose memory has not been given back, in no order. A snapshot. */
  public final List<Block> live() {
    return List.copyOf(live.values());
  }

  /** Whether the context is lost, and its memory with it: nothing can be freed or has to be. */
  final boolean isLost() {
    return streams.faults().fault() != null;
  }

  final @Nullable Throwable site() {
    return tracing ? new AllocatedHere() : null;
  }

  /**
   * Makes a fresh block known.
   *
   * @throws CudaDriverException if its address is that of a block that is still open. The memory is
   *     leaked, since freeing it would free the other block's, and the device counts as lost
   */
  final Block adopt(Block block) {
    Block owner = live.putIfAbsent(block.address(), block);
    if (owner != null) {
      throw collision(block, owner);
    }
    ledger.allocated(block.sizeInBytes());
    return block;
  }

  /** Declares the device lost, since its memory was handed out twice. */
  final CudaDriverException collision(Block block, Block owner) {
    CudaDriverException collision =
        FaultLatch.unknown(
            "an allocation", "allocating " + block + ", whose memory belongs to " + owner, null);
    streams.faults().poison(collision, collision.purpose());
    return collision;
  }

  /**
   * Frees a block that was closed while it was pinned. Nobody is left to repeat a failed call, so
   * this resource does, at its next allocation or reap. Whoever ends a launch here may hold what
   * others wait for, so that this waits for no stream.
   */
  final void release(Block block) {
    try {
      ledger.keepForReap(disown(block, false));
    } catch (RuntimeException e) {
      unreleased.add(block);
    }
  }

  /** Runs an allocation, and once more after everything freed is really free. */
  final <T> T twice(long sizeInBytes, String tag, Supplier<T> allocation) {
    try {
      return allocation.get();
    } catch (CudaDriverException e) {
      if (e.code() != OUT_OF_MEMORY) {
        throw e;
      }
    }
    for (Ledger.Pending pending : ledger.pending()) {
      pending.timeline().synchronize("making room for " + sizeInBytes + " bytes");
    }
    try {
      return allocation.get();
    } catch (CudaDriverException e) {
      throw e.code() == OUT_OF_MEMORY ? refusal(sizeInBytes, tag, e) : e;
    }
  }

  private OutOfMemoryBudgetException refusal(long bytes, String tag, CudaDriverException cause) {
    long total = driver.properties().totalMemoryInBytes();
    long used;
    try {
      MemoryInfo memory = driver.memoryInfo();
      used = memory.totalInBytes() - memory.freeInBytes();
      total = memory.totalInBytes();
    } catch (CudaDriverException unknown) {
      cause.addSuppressed(streams.faults().note(unknown, "asking how much memory is free"));
      used = ledger.outstanding();
    }
    return new OutOfMemoryBudgetException(inWords(tag), bytes, used, total, cause);
  }

  static void requirePositive(long bytes, String what) {
    if (bytes <= 0) {
      throw new IllegalArgumentException(what + " of " + bytes + " bytes; it has at least 1");
    }
  }

  static String inWords(String tag) {
    return tag.isEmpty() ? "a block" : "'" + tag + "'";
  }

  private long disown(Block block, boolean mayWait) {
    if (isLost()) {
      live.remove(block.address(), block);
      return lose(block);
    }
    Timeline timeline = block.dependencies().lastUser();
    Purpose purpose = new Purpose("freeing", block.sizeInBytes(), block.tag(), timeline);
    Submission submission = timeline.tryBegin(purpose);
    if (submission == null && (!mayWait || streams.isHeldByCurrentThread())) {
      // Whoever has a stream and waits for another one may wait for ever; the free can wait
      // instead.
      unreleased.add(block);
      return 0;
    }
    Submission begun = submission != null ? submission : timeline.begin(purpose);
    // Before the free is queued: afterwards the driver may give the address to somebody else, who
    // must not find it taken.
    live.remove(block.address(), block);
    try {
      return free(block, timeline, begun);
    } catch (RuntimeException e) {
      live.put(block.address(), block);
      throw e;
    }
  }

  private void releaseAgain() {
    if (unreleased.isEmpty() || streams.isHeldByCurrentThread()) {
      return;
    }
    List<Block> blocks = new ArrayList<>();
    for (Block block = unreleased.poll(); block != null; block = unreleased.poll()) {
      blocks.add(block);
    }
    blocks.forEach(this::release);
  }
}
