package dev.streamfence.internal.simulator;

import dev.streamfence.internal.ptx.run.order.AccessCells;
import dev.streamfence.internal.ptx.run.order.LaunchOrder;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Records which bytes of one allocation the running launch has loaded before storing them, and
 * which it has stored: two bits per byte, on pages created when first touched. Confined to the
 * driver's lock.
 */
final class TouchedBytes {
  private static final int PAGE_SHIFT = 12;
  private static final int WORDS = (1 << PAGE_SHIFT) / Long.SIZE;

  /** Pages of earlier launches, all zeros. */
  static final class Pages {
    private final Deque<long[]> free = new ArrayDeque<>();

    private long[] take() {
      long[] page = free.pollFirst();
      return page == null ? new long[2 * WORDS] : page;
    }

    private void giveBack(long[] page) {
      Arrays.fill(page, 0);
      free.addFirst(page);
    }
  }

  private final SimulatedAllocation allocation;
  private final Pages pool;
  private final long[] @Nullable [] pages;
  private final BitSet touched = new BitSet();
  private boolean partly;
  private @Nullable LaunchOrder order;
  private @Nullable AccessCells @Nullable [] cells;
  private @Nullable WordWatch watch;
  private @Nullable Instruction firstLoad;
  private @Nullable Instruction firstStore;

  TouchedBytes(SimulatedAllocation allocation, Pages pool) {
    this.allocation = allocation;
    this.pool = pool;
    this.pages = new long[(int) (allocation.size() >>> PAGE_SHIFT) + 1][];
  }

  SimulatedAllocation allocation() {
    return allocation;
  }

  /** Whether the running launch may touch only a part of the allocation. */
  boolean isPartly() {
    return partly;
  }

  void setPartly(boolean partly) {
    this.partly = partly;
  }

  /**
   * Says which order the running launch's threads have; null if none of them can store to the
   * allocation.
   */
  void setOrder(@Nullable LaunchOrder order) {
    this.order = order;
  }

  /** The threads' accesses to the page with a byte; null if none of them can store to it. */
  @Nullable AccessCells cells(long offset) {
    LaunchOrder threads = order;
    if (threads == null) {
      return null;
    }
    @Nullable AccessCells[] all = cells;
    if (all == null) {
      all = new AccessCells[pages.length];
      cells = all;
    }
    int index = (int) (offset >>> PAGE_SHIFT);
    AccessCells page = all[index];
    if (page == null) {
      page = threads.cells(1 << PAGE_SHIFT);
      all[index] = page;
    }
    return page;
  }

  /** Where a byte lies in its page. */
  static int inPage(long offset) {
    return (int) offset & ((1 << PAGE_SHIFT) - 1);
  }

  /** Whether nothing was touched since the last drain. */
  boolean isUntouched() {
    return touched.isEmpty();
  }

  /** Watches the width of the running launch's accesses; null if there is nothing to find. */
  @Nullable WordWatch watch() {
    return watch;
  }

  void setWatch(@Nullable WordWatch watch) {
    this.watch = watch;
  }

  /** The running launch's first load; null before it. */
  @Nullable Instruction firstLoad() {
    return firstLoad;
  }

  void setFirstLoad(@Nullable Instruction load) {
    firstLoad = load;
  }

  /** The running launch's first store; null before it. */
  @Nullable Instruction firstStore() {
    return firstStore;
  }

  void setFirstStore(@Nullable Instruction store) {
    firstStore = store;
  }

  /** Records a load of 1, 2, 4 or 8 aligned bytes, whose bits are therefore in one word. */
  void load(long offset, int bytes) {
    long[] page = page(offset);
    int word = word(offset);
    page[word] |= bits(offset, bytes) & ~page[WORDS + word];
  }

  /** Records a store of 1, 2, 4 or 8 aligned bytes. */
  void store(long offset, int bytes) {
    page(offset)[WORDS + word(offset)] |= bits(offset, bytes);
  }

  /** Returns the touched bytes in ascending order, and forgets them. */
  Runs drain() {
    Runs runs = new Runs();
    for (int i = touched.nextSetBit(0); i >= 0; i = touched.nextSetBit(i + 1)) {
      long[] page = pages[i];
      if (page != null) {
        for (int word = 0; word < WORDS; word++) {
          add(runs, ((long) i << PAGE_SHIFT) + word * 64L, page[word], page[WORDS + word]);
        }
        pages[i] = null;
        pool.giveBack(page);
      }
      if (cells != null) {
        cells[i] = null;
      }
    }
    touched.clear();
    setOrder(null);
    watch = null;
    firstLoad = null;
    firstStore = null;
    return runs;
  }

  private static void add(Runs runs, long start, long loads, long stores) {
    int bit = 0;
    while (bit < Long.SIZE && ((loads | stores) >>> bit) != 0) {
      long loaded = (loads >>> bit) & 1;
      long stored = (stores >>> bit) & 1;
      // The next bit that differs from this one in either word.
      long changes = ((loads ^ -loaded) | (stores ^ -stored)) >>> bit;
      int length = Math.min(Long.SIZE - bit, Long.numberOfTrailingZeros(changes));
      runs.add(
          start + bit, start + bit + length, (int) (loaded * Runs.READS | stored * Runs.WRITES));
      bit += length;
    }
  }

  private long[] page(long offset) {
    int index = (int) (offset >>> PAGE_SHIFT);
    long[] page = pages[index];
    if (page == null) {
      page = pool.take();
      pages[index] = page;
      touched.set(index);
    }
    return page;
  }

  private static int word(long offset) {
    return (int) (offset >>> 6) & (WORDS - 1);
  }

  private static long bits(long offset, int bytes) {
    return ((1L << bytes) - 1) << offset;
  }
}
