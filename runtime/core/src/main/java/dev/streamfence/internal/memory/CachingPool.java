package dev.streamfence.internal.memory;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.memory.LiveAllocations.Place;
import dev.streamfence.internal.order.PendingUse;
import dev.streamfence.internal.order.Timeline;
import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;
import dev.streamfence.memory.PoolStatistics;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A pool that keeps returned memory. A stream gets back what it has returned itself without a
 * driver call, and what another stream has returned after one wait on the device. Blocks are split
 * for smaller requests, and joined again when they are returned. Thread-safe.
 *
 * <p>Each stream has a {@linkplain PoolCache cache} of the blocks that it has returned. A request
 * looks there first; then in the {@linkplain PoolHeap heap} that all streams share, for a block
 * that needs no wait; then in caches of other streams that have several of its size. It moves the
 * stream's cache into the heap, looks again, and asks the driver for a segment. Only a pool that
 * has grown to its limit empties the caches of all streams, and lets a stream wait for another
 * one's memory: streams do not take each other's memory while there is room. The sizes of segments
 * are those of PyTorch's caching allocator.
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
  private final AddressMap<PoolBlock> handedOut = new AddressMap<>();

  /**
   * Bytes of the segments of which no array has any, in the heap and in caches: all that can go
   * back to the driver. Counted unless the pool keeps all.
   */
  private final AtomicLong vacantBytes = new AtomicLong();

  /**
   * How many of them could not go back in the last attempt, and are vacant since. Racy, benign: an
   * attempt comes too early or with a later return.
   */
  private volatile long keptVacantBytes;

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
    PoolBlock block = cached != null ? cached : find(size, timeline, stream);
    used(block);
    return block.address;
  }

  /**
   * Takes memory that the stream has returned, if its return is queued for certain: then no work on
   * the stream is needed to hand it out.
   *
   * @return null if there is none
   */
  @Nullable PoolBlock takeReturned(long sizeInBytes, Timeline timeline) {
    long size = PoolSizes.rounded(sizeInBytes);
    PoolBlock block = cache(timeline).take(PoolSizes.classOf(size), size);
    if (block != null && !block.canBeAwaitedBy(null)) {
      keepAgain(block);
      return null;
    }
    if (block != null) {
      used(block);
    }
    return block;
  }

  /** Takes back a block of {@link #takeReturned} that no array got. */
  void putBack(PoolBlock block) {
    unused(block);
    keepAgain(block);
  }

  private void keepAgain(PoolBlock block) {
    cache(block.marks[0].timeline()).notReused();
    keep(block);
  }

  /** Counts a block that an array gets. */
  private void used(PoolBlock block) {
    if (!keepsAll() && block.segment.use(block.size)) {
      long left = vacantBytes.addAndGet(-block.segment.size);
      if (left < keptVacantBytes) {
        // When it is vacant again, it may go back.
        keptVacantBytes = left;
      }
    }
  }

  /** Counts a block that no array has any more. */
  private void unused(PoolBlock block) {
    if (!keepsAll() && block.segment.release(block.size)) {
      vacantBytes.addAndGet(block.segment.size);
    }
  }

  private void keep(PoolBlock block) {
    if (!cache(block.marks[0].timeline()).offer(PoolSizes.classOf(block.size), block)) {
      putIntoHeap(block);
    }
  }

  /** Whether it keeps all that is returned, so that a return makes no driver call. */
  boolean keepsAll() {
    return keptBytes == Long.MAX_VALUE;
  }

  /** The block at the address that is a place's key, which keeps the place until it is unused. */
  PoolBlock keeper(Place place) {
    PoolBlock block = place.keeper();
    if (block == null) {
      block = block(place.key());
      block.place = place;
      place.keepFor(block);
    }
    return block;
  }

  /** Takes memory back whose uses are all on one stream, if it {@linkplain #keepsAll keeps all}. */
  void putReturned(PoolBlock block, PendingUse latest) {
    give(block, new TicketMark(latest.timeline(), latest.ticket()));
  }

  private PoolBlock find(long size, Timeline timeline, MemoryStream stream) {
    PoolBlock block = obtain(size, timeline, stream);
    try {
      handedOut.put(block.address, block);
    } catch (Error e) {
      putIntoHeap(block);
      throw e;
    }
    return block;
  }

  private PoolBlock obtain(long size, Timeline timeline, MemoryStream stream) {
    boolean mayGrow = segmentSize(size) <= growsToBytes - heap.heldBytes();
    PoolBlock found = withoutWait(size, timeline, mayGrow);
    if (found == null && !mayGrow) {
      found = heap.take(size, isSmall(size), timeline, true);
      if (found == null) {
        // Rather less than what nothing uses than more than the limit.
        freeSegments(stream, false, heap.unusedBytes() - segmentSize(size));
      }
    }
    if (found != null) {
      return ready(found, timeline, stream);
    }
    try {
      return fromDriver(size, stream);
    } catch (CudaDriverException e) {
      PoolBlock ofOthers =
          e.code() == TrackedResource.OUT_OF_MEMORY ? awaited(size, timeline) : null;
      if (ofOthers == null) {
        throw e;
      }
      return ready(ofOthers, timeline, stream);
    }
  }

  /**
   * A block that needs no wait on the stream, as far as is known or one question tells.
   *
   * @param mayGrow whether other streams keep what they have cached
   */
  private @Nullable PoolBlock withoutWait(long size, Timeline timeline, boolean mayGrow) {
    PoolBlock block = heap.take(size, isSmall(size), timeline, false);
    if (block != null) {
      return block;
    }
    PoolBlock ofOther = fromAnotherCache(size);
    if (ofOther != null && isDone(ofOther, timeline)) {
      return ofOther;
    }
    if (mayGrow) {
      empty(cache(timeline));
    } else {
      emptyCaches();
    }
    block = heap.take(size, isSmall(size), timeline, false);
    if (block == null && ofOther == null) {
      PoolBlock awaited = heap.take(size, isSmall(size), timeline, true);
      block = awaited != null && isDone(awaited, timeline) ? awaited : null;
    }
    return block;
  }

  /** A block of the size of which some stream has returned several. */
  private @Nullable PoolBlock fromAnotherCache(long size) {
    int sizeClass = PoolSizes.classOf(size);
    for (PoolCache cache : caches.values()) {
      PoolBlock block = cache.takeForOther(sizeClass, size);
      if (block != null) {
        return block;
      }
    }
    return null;
  }

  /** Whether the device is done with a block; asks the driver. If not, puts it into the heap. */
  private boolean isDone(PoolBlock block, Timeline timeline) {
    boolean isDone = false;
    try {
      isDone = block.canBeAwaitedBy(timeline) && block.isDoneFor(timeline);
      return isDone;
    } finally {
      if (!isDone) {
        putIntoHeap(block);
      }
    }
  }

  /** A block for which the stream may have to wait; a small one also of the large segments. */
  private @Nullable PoolBlock awaited(long size, Timeline timeline) {
    PoolBlock block = heap.take(size, isSmall(size), timeline, true);
    return block == null && isSmall(size) ? heap.take(size, false, timeline, true) : block;
  }

  private static boolean isSmall(long size) {
    return size <= SMALL;
  }

  /** Makes the stream wait for whatever else used a block. */
  private PoolBlock ready(PoolBlock block, Timeline timeline, MemoryStream stream) {
    LongAdder counter = block.isReadyOn(timeline) ? reuses : reusesAfterWait;
    try {
      // Also if it is ready: the order may have to be visible to tools.
      await(block, stream);
    } catch (RuntimeException | Error e) {
      putIntoHeap(block);
      throw e;
    }
    counter.increment();
    return block;
  }

  private static void await(PoolBlock block, MemoryStream stream) {
    for (TicketMark mark : block.marks) {
      stream.waitFor(mark);
    }
  }

  private PoolBlock fromDriver(long size, MemoryStream stream) {
    long preferred = segmentSize(size);
    if (preferred > size) {
      try {
        return fromDriver(preferred, size, stream);
      } catch (CudaDriverException e) {
        if (e.code() != TrackedResource.OUT_OF_MEMORY) {
          throw e;
        }
      }
    }
    return fromDriver(size, size, stream);
  }

  /** A block at the start of a new segment. */
  private PoolBlock fromDriver(long segmentSize, long size, MemoryStream stream) {
    TicketMark mark = ((ResourceStream) stream).point();
    long address = driver.allocate(segmentSize, stream);
    try {
      PoolBlock segment = new PoolBlock(address, segmentSize, isSmall(size), mark);
      heap.addSegment(segment, size);
      vacantBytes.addAndGet(segmentSize);
      driverAllocations.increment();
      return segment;
    } catch (Error e) {
      driver.deallocate(address, segmentSize, stream);
      throw e;
    }
  }

  private static long segmentSize(long size) {
    return size <= SMALL ? SMALL_SEGMENT : size <= MEDIUM ? MEDIUM_SEGMENT : size;
  }

  @Override
  public void deallocate(long address, long sizeInBytes, MemoryStream stream) {
    give(block(address), ((ResourceStream) stream).point());
    if (!keepsAll()) {
      keepLess(stream);
    }
  }

  /** Returns segments beyond the threshold that need no wait. */
  private void keepLess(MemoryStream stream) {
    // First, and cheap: most returns leave no segment vacant that was not so before.
    if (vacantBytes.get() <= keptVacantBytes || unusedBytes() <= keptBytes) {
      return;
    }
    emptyCaches();
    RuntimeException failure = freeSegments(stream, true, keptBytes);
    boolean isTooMuch = failure == null && unusedBytes() > keptBytes;
    keptVacantBytes = isTooMuch ? vacantBytes.get() : 0;
  }

  private PoolBlock block(long address) {
    PoolBlock block = handedOut.get(address);
    if (block == null) {
      throw new IllegalArgumentException(
          "0x" + Long.toHexString(address) + " is no memory of " + this);
    }
    return block;
  }

  private void give(PoolBlock block, TicketMark mark) {
    unused(block);
    block.marks = new TicketMark[] {mark};
    keep(block);
  }

  private void putIntoHeap(PoolBlock block) {
    Place place = block.place;
    if (place != null) {
      block.place = null;
      place.drop();
    }
    handedOut.remove(block.address, block);
    heap.put(block);
  }

  private void emptyCaches() {
    caches.values().forEach(this::empty);
  }

  private void empty(PoolCache cache) {
    for (PoolBlock block = cache.takeAny(); block != null; block = cache.takeAny()) {
      putIntoHeap(block);
    }
  }

  @Override
  public void trim(MemoryStream stream) {
    emptyCaches();
    RuntimeException failure = freeSegments(stream, false, 0);
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Returns unused segments to the driver, see {@link PoolHeap#takeSegments}.
   *
   * @return the first failure, if the driver did not take some: they stay in the pool
   */
  private @Nullable RuntimeException freeSegments(MemoryStream stream, boolean isReady, long kept) {
    RuntimeException failure = null;
    Timeline timeline = ((ResourceStream) stream).timeline();
    Deque<PoolBlock> segments =
        new ArrayDeque<>(heap.takeSegments(timeline, isReady, cachedBytes(), kept));
    try {
      while (!segments.isEmpty()) {
        PoolBlock segment = segments.getFirst();
        try {
          await(segment, stream);
          segments.removeFirst();
          free(segment, stream);
        } catch (RuntimeException e) {
          segments.remove(segment);
          heap.put(segment);
          failure = failure == null ? e : failure;
        }
      }
    } finally {
      segments.forEach(heap::put);
    }
    return failure;
  }

  /**
   * Returns a segment to the driver. An {@link Error} may come before or after the driver has freed
   * it: the pool then does not have it any more, since it might hand out memory that is freed.
   */
  private void free(PoolBlock segment, MemoryStream stream) {
    boolean isRefused = false;
    try {
      driver.deallocate(segment.address, segment.size, stream);
    } catch (RuntimeException e) {
      isRefused = true;
      throw e;
    } finally {
      if (!isRefused) {
        heap.forgetSegment(segment);
        vacantBytes.addAndGet(-segment.size);
      }
    }
  }

  /** The figures of about this moment. */
  public PoolStatistics statistics() {
    long reused = reuses.sum();
    long largest = heap.largest();
    for (PoolCache cache : caches.values()) {
      reused += cache.reuses();
      largest = Math.max(largest, cache.largest());
    }
    return new PoolStatistics(
        heap.heldBytes(),
        unusedBytes(),
        largest,
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
