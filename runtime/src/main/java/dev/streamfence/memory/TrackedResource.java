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
import dev.streamfence.stream.Teardown;
import dev.streamfence.stream.Timeline;
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
  final Ledger ledger;
  private final boolean tracing;
  private final ConcurrentMap<Long, Block> live = new ConcurrentHashMap<>();
  private final Queue<Block> unreleased = new ConcurrentLinkedQueue<>();

  TrackedResource(StreamPool streams, boolean tracing, long bytesPerEvent) {
    this.ledger = new Ledger(bytesPerEvent);
    this.streams = streams;
    this.driver = streams.driver();
    this.tracing = tracing;
  }

  /** Gets memory for a block, which {@link #adopt} makes known. */
  abstract Block obtain(long sizeInBytes, Timeline timeline, String tag);

  /**
   * Gives the memory of a closed block back, by {@link #giveBack}.
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
    if (!isLive(block)) {
      throw new StreamMisuseException(block + " is freed by a resource that it does not come from");
    }
    if (!block.dependencies().close(tracing ? new ClosedHere() : null)) {
      return 0;
    }
    long returned;
    try {
      returned = disown(block, true);
    } catch (RuntimeException | Error e) {
      if (isLive(block)) {
        block.dependencies().reopen();
      }
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
    return isLost() ? ledger.reapAll() : ledger.reapKnown();
  }

  /** The blocks whose memory has not been given back, in no order. A snapshot. */
  public final List<Block> live() {
    return List.copyOf(live.values());
  }

  /**
   * Frees every block whose memory has not been given back, open or closed, as steps of the end:
   * nothing uses them any more.
   */
  public final void freeAll(Teardown teardown) {
    for (Block block : live()) {
      teardown.step(
          () -> {
            if (block.dependencies().isOpen()) {
              deallocate(block);
            } else {
              ledger.keepForReap(disown(block, false));
            }
          });
    }
  }

  private boolean isLive(Block block) {
    return live.get(block.address()) == block;
  }

  /**
   * Makes the driver call that gives a block's memory back.
   *
   * <p>The block is forgotten directly before: afterwards the driver may give the address to
   * another block, which must not find it taken. It is known again if the driver refuses. Whether
   * an {@link Error} came before the driver was reached or after it cannot be known: the driver is
   * not asked again then, since it would free memory that may be another block's by now.
   *
   * @param purpose what for, said in errors
   */
  final void giveBack(Block block, String purpose, Runnable call) {
    live.remove(block.address(), block);
    try {
      call.run();
    } catch (CudaDriverException e) {
      live.put(block.address(), block);
      throw streams.faults().note(e, purpose);
    } catch (RuntimeException e) {
      live.put(block.address(), block);
      throw e;
    } catch (Error e) {
      ledger.keepForReap(ledger.gone(block.sizeInBytes()));
      throw e;
    }
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
    if (!streams.life().tryEnter()) {
      // The thread that closes the runtime frees whatever is left.
      return;
    }
    try {
      ledger.keepForReap(disown(block, false));
    } catch (RuntimeException e) {
      unreleased.add(block);
    } catch (Error e) {
      if (isLive(block)) {
        unreleased.add(block);
      }
      throw e;
    } finally {
      streams.life().leave();
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
    for (Timeline timeline : ledger.timelines()) {
      timeline.synchronize("making room for " + sizeInBytes + " bytes");
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
    return new OutOfMemoryBudgetException(inWords(tag), bytes, used, total, "", cause);
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
    if (submission == null && (!mayWait || !streams.mayWaitForOthers())) {
      // Two threads that each have a stream and wait for the other one's would wait for ever; the
      // free is put off instead.
      unreleased.add(block);
      return 0;
    }
    Submission begun = submission != null ? submission : timeline.begin(purpose);
    return free(block, timeline, begun);
  }

  private void releaseAgain() {
    if (unreleased.isEmpty() || !streams.mayWaitForOthers()) {
      return;
    }
    // Once each: what cannot be freed is at the end of the queue again.
    for (int left = unreleased.size(); left > 0; left--) {
      Block block = unreleased.poll();
      if (block == null) {
        return;
      }
      release(block);
    }
  }
}
