package dev.streamfence.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.OutOfMemoryBudgetException;
import dev.streamfence.driver.CudaDriver;
import dev.streamfence.driver.MemoryInfo;
import dev.streamfence.stream.StreamPool;
import dev.streamfence.stream.Submission;
import dev.streamfence.stream.Teardown;
import dev.streamfence.stream.Timeline;
import dev.streamfence.stream.UseLabels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Blocks from the driver's stream-ordered pool: allocation and free are work on a stream, with a
 * ticket like a launch. Thread-safe; no lock is held across a driver call but the submission lock
 * of the one stream.
 */
public final class StreamOrderedResource implements MemoryResource {
  /** {@code CUDA_ERROR_OUT_OF_MEMORY}. */
  private static final int OUT_OF_MEMORY = 2;

  private final StreamPool streams;
  private final CudaDriver driver;
  private final boolean tracing;
  private final Set<Block> live = ConcurrentHashMap.newKeySet();
  private final Queue<Block> unreleased = new ConcurrentLinkedQueue<>();
  private final Ledger ledger = new Ledger();

  /**
   * Creates a resource over the device of a pool.
   *
   * @param tracing whether blocks remember where they were allocated and closed, which costs a
   *     stack trace each
   */
  public StreamOrderedResource(StreamPool streams, boolean tracing) {
    this.streams = streams;
    this.tracing = tracing;
    this.driver = streams.driver();
  }

  @Override
  public Block allocate(long sizeInBytes, Timeline timeline, String tag) {
    if (sizeInBytes <= 0) {
      throw new IllegalArgumentException(
          "a block of " + sizeInBytes + " bytes; a block has at least 1");
    }
    releaseAgain();
    try {
      return tryAllocate(sizeInBytes, timeline, tag);
    } catch (CudaDriverException e) {
      if (e.code() != OUT_OF_MEMORY) {
        throw e;
      }
    }
    // Freed bytes come back when their streams get there: waiting for that is the last resort
    // before refusing.
    streams.synchronizeAll("making room for " + sizeInBytes + " bytes");
    reap();
    try {
      return tryAllocate(sizeInBytes, timeline, tag);
    } catch (CudaDriverException e) {
      if (e.code() != OUT_OF_MEMORY) {
        throw e;
      }
      MemoryInfo memory = driver.memoryInfo();
      throw new OutOfMemoryBudgetException(
          tag.isEmpty() ? "a block" : "'" + tag + "'",
          sizeInBytes,
          memory.totalInBytes() - memory.freeInBytes(),
          memory.totalInBytes(),
          e);
    }
  }

  @Override
  public void deallocate(Block block) {
    if (!block.dependencies().close(tracing ? new ClosedHere() : null)) {
      return;
    }
    try {
      free(block);
    } catch (RuntimeException e) {
      block.dependencies().reopen();
      throw e;
    }
    releaseAgain();
  }

  /**
   * Frees a block that was closed while it was pinned. Nobody is left to repeat a failed call, so
   * this resource does, at its next allocation.
   */
  private void release(Block block) {
    try {
      free(block);
    } catch (RuntimeException e) {
      unreleased.add(block);
    }
  }

  @Override
  public long bytesOutstanding() {
    return ledger.outstanding();
  }

  @Override
  public long reap() {
    return ledger.reap();
  }

  /** The blocks that nobody has freed, in no order. A snapshot. */
  public Collection<Block> live() {
    return List.copyOf(live);
  }

  /**
   * Frees what is left. Everything that was submitted must be done; on a lost device there is
   * nothing to do.
   */
  public void destroy() {
    Teardown teardown = new Teardown();
    Timeline timeline = streams.anyTimeline();
    if (timeline != null && streams.faults().fault() == null) {
      for (Block block : live) {
        teardown.step(() -> driver.freeAsync(block.address(), timeline.stream()));
      }
      teardown.step(() -> driver.synchronizeStream(timeline.stream()));
    }
    unreleased.clear();
    live.clear();
    teardown.finish();
  }

  private Block tryAllocate(long sizeInBytes, Timeline timeline, String tag) {
    try (Submission submission = timeline.begin(labels("allocating", sizeInBytes, tag, timeline))) {
      submission.preflight();
      long address;
      try {
        address = driver.allocateAsync(sizeInBytes, timeline.stream());
      } catch (CudaDriverException e) {
        throw streams.faults().note(e, submission.purpose());
      }
      Block block =
          new Block(
              address, sizeInBytes, tag, timeline, submission.ticket(), this::release, tracing);
      live.add(block);
      ledger.allocated(sizeInBytes);
      submission.commitWithoutEvent();
      return block;
    }
  }

  private void free(Block block) {
    if (streams.faults().fault() != null) {
      // The context is lost and its memory with it: nothing can be queued, and nothing needs to be.
      live.remove(block);
      ledger.lost(block.sizeInBytes());
      return;
    }
    Timeline timeline = block.dependencies().lastUser();
    UseLabels labels = labels("freeing", block.sizeInBytes(), block.tag(), timeline);
    Submission begun = timeline.tryBegin(labels);
    if (begun == null && streams.isHeldByCurrentThread()) {
      // Whoever has a stream and waits for another one may wait for ever; the free can wait
      // instead.
      unreleased.add(block);
      return;
    }
    try (Submission submission = begun != null ? begun : timeline.begin(labels)) {
      submission.free(block.dependencies());
      submission.preflight();
      try {
        driver.freeAsync(block.address(), timeline.stream());
      } catch (CudaDriverException e) {
        throw streams.faults().note(e, submission.purpose());
      }
      submission.commitWithoutEvent();
      live.remove(block);
      ledger.freed(block.sizeInBytes(), timeline, submission.ticket());
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

  private static UseLabels labels(String act, long bytes, String tag, Timeline timeline) {
    return new UseLabels() {
      @Override
      public String purpose() {
        return act
            + " "
            + bytes
            + " bytes"
            + (tag.isEmpty() ? "" : " for '" + tag + "'")
            + " on "
            + timeline;
      }

      @Override
      public String use(int label) {
        return purpose();
      }
    };
  }
}
