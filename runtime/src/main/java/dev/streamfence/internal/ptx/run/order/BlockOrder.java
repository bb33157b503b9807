package dev.streamfence.internal.ptx.run.order;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The order of the threads of one block, and the accesses to its shared memory. Confined to the
 * thread that runs the launch.
 */
public final class BlockOrder {
  private static final int WARP_BITS = 5;

  private final LaunchOrder launch;
  private final WarpOrder[] warps;
  private final AccessCells shared;
  private final Map<Long, Released> released = new HashMap<>();
  private int number;
  private int floor;

  private int ownFrom;

  private boolean far;

  BlockOrder(LaunchOrder launch, int threads, int sharedBytes) {
    this.launch = launch;
    this.shared = new AccessCells(launch, sharedBytes);
    this.warps = new WarpOrder[(threads + AccessGroups.LANES - 1) / AccessGroups.LANES];
    for (int i = 0; i < warps.length; i++) {
      int size = Math.min(AccessGroups.LANES, threads - i * AccessGroups.LANES);
      warps[i] = new WarpOrder(launch, this, size);
    }
  }

  /** Starts the next block: none of its threads has done anything. */
  public void start() {
    number = launch.nextBlock();
    floor = launch.groups().next();
    ownFrom = floor;
    far = false;
    launch.take((long) -ThreadOrder.RELEASE_BYTES * released.size());
    released.clear();
    shared.forgetBefore(floor);
    for (int i = 0; i < warps.length; i++) {
      warps[i].start(firstWarp(number) + i, floor);
    }
  }

  static int firstWarp(int block) {
    return block << WARP_BITS;
  }

  static int ofWarp(int warp) {
    return warp >>> WARP_BITS;
  }

  /** Returns the order of one of its warps. */
  public WarpOrder warp(int index) {
    return warps[index];
  }

  int number() {
    return number;
  }

  /** All groups of the block below this number come before what its threads do. */
  int floor() {
    return floor;
  }

  /** All groups from this number on are the block's own; the largest number if others run too. */
  int ownFrom() {
    return launch.isOneBlockAtATime() ? ownFrom : Integer.MAX_VALUE;
  }

  Map<Long, Released> released() {
    return released;
  }

  /** Returns the accesses to the block's shared memory. */
  public AccessCells shared() {
    return shared;
  }

  /** Notes that a thread knows of more than barriers tell. */
  void learns() {
    far = true;
  }

  /** Whether any thread knows of more than barriers tell. */
  boolean hasFar() {
    return far;
  }

  /** Orders all that the threads have done before what they do next. */
  public void meet() {
    Clock together = null;
    for (int i = 0; far && i < warps.length; i++) {
      together = Clock.merge(together, warps[i].far(-1));
    }
    floor = launch.groups().next();
    shared.forgetBefore(floor);
    for (WarpOrder warp : warps) {
      warp.met(floor, together);
    }
  }

  /** A barrier of some threads of the block; those that only arrive learn nothing. */
  public static final class Meeting {
    private @Nullable Clock together;

    /** Records the arrival of a thread. */
    public void arrive(ThreadOrder thread) {
      together = Clock.merge(together, new Fence(thread).clock());
      thread.warp().synchronised();
    }

    /** Lets a thread that has waited go on. */
    public void leave(ThreadOrder thread) {
      thread.learn(together);
      thread.warp().synchronised();
    }
  }
}
