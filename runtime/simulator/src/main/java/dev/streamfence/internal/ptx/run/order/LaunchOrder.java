package dev.streamfence.internal.ptx.run.order;

import dev.streamfence.internal.ptx.run.order.ThreadConflict.ConflictingAccess;
import dev.streamfence.internal.ptx.syntax.Instruction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The order of all threads of one launch, and the conflicts found in it. Confined to the thread
 * that runs the launch.
 */
public final class LaunchOrder {
  /** A warp's number is that of its block and 5 bits for the warp in the block. */
  private static final int MOST_BLOCKS = 1 << 26;

  private final AccessGroups groups = new AccessGroups();
  private final Map<Long, Released> released = new HashMap<>();

  /** The instructions that access memory, from 1. */
  private final List<Instruction> sites = new ArrayList<>();

  private int[] modes = new int[16];
  private int[][] sitesByCode = new int[16][];
  private final List<ThreadConflict> conflicts = new ArrayList<>();
  private final Set<Long> reported = new HashSet<>();
  private int releases;
  private int blocks;
  private int runningBlocks;
  private long room;

  /** Creates the order of a launch, which takes at most a quarter of the heap. */
  public LaunchOrder() {
    this(Runtime.getRuntime().maxMemory() / 4);
  }

  /**
   * Creates the order of a launch.
   *
   * @param room how many bytes of the heap it takes at most, give or take a page of memory
   */
  LaunchOrder(long room) {
    this.room = room;
  }

  /** Creates the order of a block's threads. */
  public BlockOrder block(int threads, int sharedBytes) {
    runningBlocks++;
    return new BlockOrder(this, threads, sharedBytes);
  }

  /** Creates cells for bytes of global memory; null if the heap has no room for more. */
  public @Nullable AccessCells cells(int bytes) {
    return isComplete() ? new AccessCells(this, bytes) : null;
  }

  /** Takes a part of the heap. Once there is no more, no access is followed any longer. */
  void take(long bytes) {
    room -= bytes;
  }

  /**
   * Returns where the caller keeps the numbers that it gets from {@link #site}, one for each step
   * of a function; all are 0 at first.
   */
  public int[] sites(int code, int steps) {
    if (code >= sitesByCode.length) {
      sitesByCode = Arrays.copyOf(sitesByCode, code * 2);
    }
    int[] known = sitesByCode[code];
    if (known == null) {
      known = new int[steps];
      sitesByCode[code] = known;
    }
    return known;
  }

  /** Gives an instruction that accesses memory its number in this launch, from 1. */
  public int site(Instruction instruction) {
    sites.add(instruction);
    int site = sites.size();
    modes = site < modes.length ? modes : Arrays.copyOf(modes, site * 2);
    modes[site] = AccessMode.of(instruction);
    return site;
  }

  int mode(int site) {
    return modes[site];
  }

  AccessGroups groups() {
    return groups;
  }

  /** What was released to places in global memory. */
  Map<Long, Released> released() {
    return released;
  }

  /** How often a thread has released something, in whatever memory. */
  int releases() {
    return releases;
  }

  void countRelease() {
    releases++;
  }

  /** Whether a block starts only when the one before it has ended. */
  boolean isOneBlockAtATime() {
    return runningBlocks == 1;
  }

  int nextBlock() {
    return blocks++;
  }

  /** Starts a group of accesses; 0 if no more can be followed. */
  int begin(int warp, int site) {
    int group = groups.begin(warp, site);
    take(group == 0 ? Long.MAX_VALUE : AccessGroups.BYTES);
    return group;
  }

  /** Whether all accesses were followed: a launch may have too many for the heap. */
  public boolean isComplete() {
    return room >= 0 && blocks <= MOST_BLOCKS;
  }

  /** 0 for accesses of one warp, 1 for those of one block, and 2 for those of two. */
  int distance(int one, int other) {
    int warp = warp(one);
    int another = warp(other);
    if (warp == another) {
      return 0;
    }
    return BlockOrder.ofWarp(warp) == BlockOrder.ofWarp(another) ? 1 : 2;
  }

  private int warp(int access) {
    return groups.warp(access >>> AccessGroups.LANE_BITS);
  }

  /** The mode of an access that was made. */
  int modeOf(int access) {
    return modes[groups.site(access >>> AccessGroups.LANE_BITS)];
  }

  /** Whether a strong access is not in scope of a thread's strong access, or that not in its. */
  boolean isOutOfScope(ThreadOrder thread, int access, int mode) {
    return ((mode | modeOf(access)) & AccessMode.IN_BLOCK) != 0
        && BlockOrder.ofWarp(warp(access)) != thread.block().number();
  }

  /** A store or a load that another access races with; of both, there may be one. */
  static long conflict(int access, boolean store) {
    return store ? Integer.toUnsignedLong(access) : (long) access << Integer.SIZE;
  }

  /** The store that an access races with; 0 for none. */
  static int store(long conflict) {
    return (int) conflict;
  }

  /** The load that an access races with; 0 for none. */
  static int load(long conflict) {
    return (int) (conflict >>> Integer.SIZE);
  }

  /**
   * Keeps the conflict with a store, once for each pair of instructions. Keeps that with a load
   * only if there is none with a store, or if that one does no harm.
   *
   * @param conflict the earlier accesses, as {@link ThreadOrder#stores} returns them
   * @param site the instruction of the later one
   * @param stores whether the later one stores
   * @param sameValue whether it stores what was there
   */
  public void report(
      long conflict,
      ThreadOrder thread,
      int site,
      boolean stores,
      boolean sameValue,
      boolean shared,
      long address,
      int bytes) {
    boolean mild = store(conflict) != 0 && sameValue;
    if (store(conflict) != 0 && isNew(store(conflict), site, stores, mild)) {
      ConflictingAccess earlier = access(store(conflict), true);
      keep(earlier, thread, site, stores, mild, shared, address, bytes);
    }
    boolean isHarmless = store(conflict) == 0 || mild;
    if (isHarmless && load(conflict) != 0 && isNew(load(conflict), site, false, false)) {
      ConflictingAccess earlier = access(load(conflict), false);
      keep(earlier, thread, site, stores, false, shared, address, bytes);
    }
  }

  private void keep(
      ConflictingAccess earlier,
      ThreadOrder thread,
      int site,
      boolean stores,
      boolean mild,
      boolean shared,
      long address,
      int bytes) {
    ConflictingAccess later = access(thread.warp().number(), thread.lane(), stores, site);
    conflicts.add(new ThreadConflict(earlier, later, mild, shared, address, bytes));
  }

  /** Whether no conflict of this kind between two instructions was reported before. */
  private boolean isNew(int earlier, int site, boolean bothStore, boolean mild) {
    int other = groups.site(earlier >>> AccessGroups.LANE_BITS);
    long pair = (long) Math.min(other, site) << Integer.SIZE | Math.max(other, site);
    return reported.add(pair << 2 | (bothStore ? 2 : 0) | (mild ? 1 : 0));
  }

  private ConflictingAccess access(int earlier, boolean stores) {
    int site = groups.site(earlier >>> AccessGroups.LANE_BITS);
    return access(warp(earlier), earlier & (AccessGroups.LANES - 1), stores, site);
  }

  private ConflictingAccess access(int warp, int lane, boolean stores, int site) {
    int block = BlockOrder.ofWarp(warp);
    int thread = (warp - BlockOrder.firstWarp(block)) * AccessGroups.LANES + lane;
    return new ConflictingAccess(block, thread, stores, sites.get(site - 1));
  }

  /** The conflicts found so far, in the order in which they were found. */
  public List<ThreadConflict> conflicts() {
    return List.copyOf(conflicts);
  }
}
