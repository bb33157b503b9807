package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;
import dev.streamfence.memory.PoolStatistics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A pool that keeps returned memory. A stream gets back what it has returned itself without a
 * driver call, and what another stream has returned after one wait on the device. Blocks are split
 * for smaller requests, and joined again when they are returned. Thread-safe.
 *
 * <p>Each stream has a {@linkplain PoolCache cache} of the blocks that it has returned. A request
 * looks there first; then in the {@linkplain PoolHeap heap} that all streams share, for a block
 * that needs no wait; then it moves the caches of all streams into the heap and looks again. Only a
 * pool that has grown to its limit lets a stream wait for another one's memory: before, it asks the
 * driver for a segment, so that streams do not wait for each other while there is room. The sizes
 * of segments are those of PyTorch's caching allocator.
 */
public final class CachingPool implements MemoryResource {
  private static final long SMALL = 1L << 20;
  private static final long SMALL_SEGMENT = 2L << 20;
  private static final long MEDIUM = 10L << 20;
  private static final long MEDIUM_SEGMENT = 20L << 20;

  private final MemoryResource driver;
  private final long keptBytes;
  private final long growsToBytes;
  private final PoolHeap heap = new PoolHeap();
  private final Map<Timeline, PoolCache> caches = new ConcurrentHashMap<>();

  /** The blocks that arrays or caches have. */
  private final Map<Long, PoolBlock> handedOut = new ConcurrentHashMap<>();

  private final LongAdder reuses = new LongAdder();
  private final LongAdder reusesAfterWait = new LongAdder();
  private final LongAdder driverAllocations = new LongAdder();

  /**
   * Creates an empty pool.
   *
   * @param driver where its memory comes from
   * @param keptBytes how many unused bytes it keeps; what is more goes back to the driver
   * @param growsToBytes up to how many bytes it grows before a stream waits for another one's
   *     memory
   */
  public CachingPool(MemoryResource driver, long keptBytes, long growsToBytes) {
    this.driver = driver;
    this.keptBytes = keptBytes;
    this.growsToBytes = growsToBytes;
  }

  @Override
  public long allocate(long sizeInBytes, MemoryStream stream) {
    Timeline timeline = ((ResourceStream) stream).timeline();
    long size = PoolSizes.rounded(sizeInBytes);
    PoolBlock cached = cache(timeline).take(PoolSizes.classOf(size), size);
    return cached != null ? cached.address : find(size, timeline, stream).address;
  }

  /**
   * Takes memory that the stream has returned, if its return is queued for certain: then no work on
   * the stream is needed to hand it out.
   *
   * @return null if there is none
   */
  @Nullable PoolBlock takeReturned(long sizeInBytes, Timeline timeline) {
    PoolCache cache = cache(timeline);
    long size = PoolSizes.rounded(sizeInBytes);
    int sizeClass = PoolSizes.classOf(size);
    PoolBlock block = cache.take(sizeClass, size);
    if (block == null || block.canBeAwaitedBy(null)) {
      return block;
    }
    putBack(block, cache, sizeClass);
    return null;
  }

  /**
   * Takes memory back whose uses are all on one stream.
   *
   * @param ticket the latest of them
   * @return false if that takes driver calls; nothing was done then
   */
  boolean putReturned(long address, Timeline timeline, long ticket) {
    if (keptBytes < Long.MAX_VALUE) {
      return false;
    }
    give(block(address), new PoolBlock.Mark(timeline, ticket));
    return true;
  }

  private PoolBlock find(long size, Timeline timeline, MemoryStream stream) {
    PoolBlock block = heap.take(size, timeline, false);
    if (block == null) {
      emptyCaches();
      block = heap.take(size, timeline, false);
    }
    if (block == null && heap.heldBytes() + segmentSize(size) <= growsToBytes) {
      block = fromDriverIfItHas(size, stream);
    } else if (block != null) {
      block = ready(block, timeline, stream);
    }
    if (block == null) {
      PoolBlock ofOthers = heap.take(size, timeline, true);
      block = ofOthers == null ? fromDriver(size, stream) : ready(ofOthers, timeline, stream);
    }
    handedOut.put(block.address, block);
    return block;
  }

  private @Nullable PoolBlock fromDriverIfItHas(long size, MemoryStream stream) {
    try {
      return fromDriver(size, stream);
    } catch (CudaDriverException e) {
      if (e.code() == TrackedResource.OUT_OF_MEMORY) {
        return null;
      }
      throw e;
    }
  }

  /** Makes the stream wait for whatever else used a block. */
  private PoolBlock ready(PoolBlock block, Timeline timeline, MemoryStream stream) {
    LongAdder counter = block.isReadyOn(timeline) ? reuses : reusesAfterWait;
    try {
      // Also if it is ready: the order may have to be visible to tools.
      await(block, stream);
    } catch (RuntimeException | Error e) {
      heap.put(block);
      throw e;
    }
    counter.increment();
    return block;
  }

  private static void await(PoolBlock block, MemoryStream stream) {
    for (PoolBlock.Mark mark : block.marks) {
      stream.waitFor(new TicketMark(mark.timeline(), mark.ticket()));
    }
  }

  private PoolBlock fromDriver(long size, MemoryStream stream) {
    PoolBlock segment = segment(size, stream);
    heap.addSegment(segment, size);
    driverAllocations.increment();
    return segment;
  }

  private PoolBlock segment(long size, MemoryStream stream) {
    long preferred = segmentSize(size);
    PoolBlock.Mark mark = ((ResourceStream) stream).point();
    if (preferred > size) {
      try {
        return new PoolBlock(driver.allocate(preferred, stream), preferred, mark);
      } catch (CudaDriverException e) {
        if (e.code() != TrackedResource.OUT_OF_MEMORY) {
          throw e;
        }
      }
    }
    return new PoolBlock(driver.allocate(size, stream), size, mark);
  }

  private static long segmentSize(long size) {
    return size <= SMALL ? SMALL_SEGMENT : size <= MEDIUM ? MEDIUM_SEGMENT : size;
  }

  @Override
  public void deallocate(long address, long sizeInBytes, MemoryStream stream) {
    give(block(address), ((ResourceStream) stream).point());
    if (keptBytes < Long.MAX_VALUE && unusedBytes() > keptBytes) {
      emptyCaches();
      freeSegments(stream, keptBytes);
    }
  }

  private PoolBlock block(long address) {
    PoolBlock block = handedOut.get(address);
    if (block == null) {
      throw new IllegalArgumentException(
          "0x" + Long.toHexString(address) + " is no memory of " + this);
    }
    return block;
  }

  private void give(PoolBlock block, PoolBlock.Mark mark) {
    block.marks = new PoolBlock.Mark[] {mark};
    putBack(block, cache(mark.timeline()), PoolSizes.classOf(block.size));
  }

  private void putBack(PoolBlock block, PoolCache cache, int sizeClass) {
    if (!cache.offer(sizeClass, block)) {
      putIntoHeap(block);
    }
  }

  private void putIntoHeap(PoolBlock block) {
    handedOut.remove(block.address);
    heap.put(block);
  }

  private void emptyCaches() {
    for (PoolCache cache : caches.values()) {
      for (PoolBlock block = cache.takeAny(); block != null; block = cache.takeAny()) {
        putIntoHeap(block);
      }
    }
  }

  @Override
  public void trim(MemoryStream stream) {
    emptyCaches();
    RuntimeException failure = freeSegments(stream, 0);
    if (failure != null) {
      throw failure;
    }
  }

  /** Returns the first failure; the segments that the driver did not take stay in the pool. */
  private @Nullable RuntimeException freeSegments(MemoryStream stream, long kept) {
    RuntimeException failure = null;
    Timeline timeline = ((ResourceStream) stream).timeline();
    for (PoolBlock segment : heap.takeSegments(timeline, cachedBytes(), kept)) {
      try {
        await(segment, stream);
        driver.deallocate(segment.address, segment.size, stream);
        heap.forgetSegment(segment);
      } catch (RuntimeException e) {
        heap.put(segment);
        failure = failure == null ? e : failure;
      }
    }
    return failure;
  }

  /** The figures of about this moment. */
  public PoolStatistics statistics() {
    long reused = reuses.sum();
    for (PoolCache cache : caches.values()) {
      reused += cache.reuses();
    }
    return new PoolStatistics(
        heap.heldBytes(),
        unusedBytes(),
        heap.largest(),
        heap.segments(),
        reused,
        reusesAfterWait.sum(),
        driverAllocations.sum(),
        heap.segmentsFreed());
  }

  private long unusedBytes() {
    return heap.unusedBytes() + cachedBytes();
  }

  private long cachedBytes() {
    long bytes = 0;
    for (PoolCache cache : caches.values()) {
      bytes += cache.bytes();
    }
    return bytes;
  }

  private PoolCache cache(Timeline timeline) {
    PoolCache cache = caches.get(timeline);
    return cache != null ? cache : caches.computeIfAbsent(timeline, unknown -> new PoolCache());
  }

  @Override
  public boolean isStreamOrdered() {
    return driver.isStreamOrdered();
  }

  @Override
  public String toString() {
    return "the caching pool";
  }
}
