package dev.streamfence.internal.ptx.run.order;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one thread knows of the accesses of the others in its launch: those that come before all it
 * does from now on. Confined to the thread that runs the launch.
 *
 * <p>Three numbers suffice for most kernels: the last barrier of its block, that of its warp, and
 * its own program order. Only threads that acquire have more.
 */
public final class ThreadOrder {
  private static final int WORD_SHIFT = 2;

  private static final long NOWHERE = -1;

  /** What a release to one place takes of the heap, with its clock. */
  static final int RELEASE_BYTES = 400;

  private final LaunchOrder launch;
  private final BlockOrder block;
  private final WarpOrder warp;
  private final int lane;

  /** What it knows of the lanes of its warp by barriers of some of them. */
  private @Nullable LaneClock lanes;

  private @Nullable Clock far;

  /** The first group that has none of the accesses before its last synchronisation. */
  private int since;

  /** What strong reads have seen, which the next fence acquires. */
  private @Nullable Clock seenEverywhere;

  private @Nullable Clock seenInBlock;

  /**
   * Where it saw all that was released when there were so many releases: a thread that waits reads
   * one place again and again.
   */
  private long seenAt = NOWHERE;

  private int seenReleases;
  private @Nullable Fence lastFence;
  private @Nullable Fence lastWideFence;

  ThreadOrder(LaunchOrder launch, BlockOrder block, WarpOrder warp, int lane) {
    this.launch = launch;
    this.block = block;
    this.warp = warp;
    this.lane = lane;
  }

  void start() {
    lanes = null;
    far = null;
    seenEverywhere = null;
    seenInBlock = null;
    seenAt = NOWHERE;
    lastFence = null;
    lastWideFence = null;
  }

  LaunchOrder launch() {
    return launch;
  }

  BlockOrder block() {
    return block;
  }

  WarpOrder warp() {
    return warp;
  }

  int lane() {
    return lane;
  }

  @Nullable LaneClock lanes() {
    return lanes;
  }

  @Nullable Clock far() {
    return far;
  }

  /** Whether an access comes before what this thread does next. */
  boolean knows(int access) {
    int group = access >>> AccessGroups.LANE_BITS;
    if (group < block.floor() && group >= block.ownFrom()) {
      return true;
    }
    int other = launch.groups().warp(group);
    if (other == warp.number()) {
      int its = access & (AccessGroups.LANES - 1);
      if (its == lane || group < warp.floor() || group < block.floor()) {
        return true;
      }
      if (lanes != null && group < lanes.until(its)) {
        return true;
      }
    } else if (group < block.floor() && BlockOrder.ofWarp(other) == block.number()) {
      return true;
    }
    return far != null && far.knows(other, access & (AccessGroups.LANES - 1), group);
  }

  /**
   * Records a load of shared memory, takes over what was released to its place, and finds the
   * earlier store that it races with.
   *
   * @return that store, as {@link LaunchOrder#report} takes it; 0 for none
   */
  public long loadsShared(int site, int at, int bytes) {
    int access = access(site);
    int mode = launch.mode(site);
    long conflict = access == 0 ? 0 : block.shared().load(this, at, bytes, access, mode);
    if ((mode & AccessMode.STRONG) != 0) {
      see(block.released(), at, bytes, mode);
    }
    return conflict;
  }

  /** Records a store to shared memory, and finds what it races with as {@link #stores} does. */
  public long storesShared(int site, int at, int bytes) {
    int access = access(site);
    int mode = launch.mode(site);
    long conflict = access == 0 ? 0 : block.shared().store(this, at, bytes, access, mode);
    if ((mode & AccessMode.STRONG) != 0) {
      release(block.released(), at, bytes, mode);
    }
    return conflict;
  }

  /**
   * Records a load, and finds the earlier store that it races with.
   *
   * @param at the first byte within the cells
   * @return that store, as {@link LaunchOrder#report} takes it; 0 for none
   */
  public long loads(int site, AccessCells cells, int at, int bytes) {
    int access = access(site);
    return access == 0 ? 0 : cells.load(this, at, bytes, access, launch.mode(site));
  }

  /**
   * Records a store, and finds the earlier store and the earlier load that it races with.
   *
   * @return these, as {@link LaunchOrder#report} takes them; 0 for none
   */
  public long stores(int site, AccessCells cells, int at, int bytes) {
    int access = access(site);
    return access == 0 ? 0 : cells.store(this, at, bytes, access, launch.mode(site));
  }

  /** The next access by an instruction, in a group of its warp; 0 if it is not followed. */
  int access(int site) {
    int group = launch.isComplete() ? warp.group(site, since) : 0;
    return group == 0 ? 0 : group << AccessGroups.LANE_BITS | lane;
  }

  /** Takes over what was released to the place in global memory that a load has read. */
  public void loaded(int site, long address, int bytes) {
    int mode = launch.mode(site);
    if ((mode & AccessMode.STRONG) != 0) {
      see(launch.released(), address, bytes, mode);
    }
  }

  /** Places are words: a byte of a word that was released is released as well. */
  private void see(Map<Long, Released> places, long address, int bytes, int mode) {
    boolean isWord = bytes <= 1 << WORD_SHIFT;
    boolean acquires = (mode & AccessMode.ACQUIRES) != 0;
    boolean isSeen = isWord && address == seenAt && launch.releases() == seenReleases;
    if (places.isEmpty() || (isSeen && !acquires)) {
      return;
    }
    long last = (address + bytes - 1) >> WORD_SHIFT;
    for (long word = address >> WORD_SHIFT; word <= last; word++) {
      see(places.get(word), mode);
    }
    seenAt = isWord && (mode & AccessMode.IN_BLOCK) == 0 ? address : NOWHERE;
    seenReleases = launch.releases();
  }

  private void see(@Nullable Released there, int mode) {
    if (there == null) {
      return;
    }
    Clock everywhere = (mode & AccessMode.IN_BLOCK) == 0 ? there.everywhere() : null;
    Clock inBlock = there.inBlockOf(this);
    if ((mode & AccessMode.ACQUIRES) != 0) {
      learn(everywhere);
      learn(inBlock);
    } else {
      seenEverywhere = Clock.merge(seenEverywhere, everywhere);
      seenInBlock = Clock.merge(seenInBlock, inBlock);
    }
  }

  /** Releases what the thread knows to the place in global memory that a store has written. */
  public void stored(int site, long address, int bytes) {
    int mode = launch.mode(site);
    if ((mode & AccessMode.STRONG) != 0) {
      release(launch.released(), address, bytes, mode);
    }
  }

  private void release(Map<Long, Released> places, long address, int bytes, int mode) {
    // A store of a part of a word leaves what was released to the rest.
    boolean continues = (mode & AccessMode.ATOMIC) != 0 || bytes < 1 << WORD_SHIFT;
    Fence narrow = lastFence;
    Fence wide = lastWideFence;
    if ((mode & AccessMode.RELEASES) != 0) {
      narrow = new Fence(this);
      wide = narrow;
      synchronised();
    }
    if ((mode & AccessMode.IN_BLOCK) != 0) {
      wide = null;
    }
    long last = (address + bytes - 1) >> WORD_SHIFT;
    if (narrow == null) {
      if (!continues && !places.isEmpty()) {
        for (long word = address >> WORD_SHIFT; word <= last; word++) {
          places.computeIfPresent(word, (w, there) -> there.isBy(this) ? there : null);
        }
      }
      return;
    }
    launch.countRelease();
    Fence all = wide;
    Fence inBlock = narrow;
    int before = places.size();
    for (long word = address >> WORD_SHIFT; word <= last && launch.isComplete(); word++) {
      places.compute(
          word,
          (w, there) ->
              there != null && (continues || there.isBy(this))
                  ? there.then(all, inBlock, this)
                  : Released.first(all, inBlock, this));
    }
    launch.take((long) RELEASE_BYTES * (places.size() - before));
  }

  /**
   * Orders the thread's accesses before the fence, and what its strong reads have seen, before what
   * comes after it.
   *
   * @param inBlock whether the fence orders them for threads of the block alone
   */
  public void fences(boolean inBlock) {
    learn(seenInBlock);
    seenInBlock = null;
    if (!inBlock) {
      learn(seenEverywhere);
      seenEverywhere = null;
    }
    lastFence = new Fence(this);
    lastWideFence = inBlock ? lastWideFence : lastFence;
    synchronised();
  }

  /** Takes over what another thread knows. */
  void learn(@Nullable Clock clock) {
    if (clock != null) {
      far = Clock.merge(far, clock);
      block.learns();
    }
  }

  /**
   * Knows from now on what all threads know that have met in a barrier, this one among them.
   *
   * @param known what they know of their warp's lanes; null if the floor of the warp tells
   * @param together what they know of more than barriers tell
   */
  void met(@Nullable LaneClock known, @Nullable Clock together) {
    lanes = known;
    far = together;
    synchronised();
  }

  /** Separates its accesses until now from those that follow. */
  void synchronised() {
    since = launch.groups().next();
  }
}
