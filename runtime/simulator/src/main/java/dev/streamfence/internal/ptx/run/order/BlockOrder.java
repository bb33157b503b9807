package dev.streamfence.internal.ptx.run.order;

import java.util.Arrays;
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
      together = Clock.merge(together, warps[i].far());
    }
    floor = launch.groups().next();
    shared.forgetBefore(floor);
    for (WarpOrder warp : warps) {
      warp.met(floor, together);
    }
  }

  /** Returns a barrier of some threads of the block. */
  public Meeting meeting() {
    return new Meeting(this);
  }

  /** A barrier of some threads of the block; those that only arrive learn nothing. */
  public static final class Meeting {
    private final BlockOrder block;
    private @Nullable Clock together;

    /** The warp of the threads that arrived last, and up to where each of them is known. */
    private @Nullable WarpOrder arriving;

    private int[] arrived = {};
    private int floor;
    private @Nullable Clock lastFar;

    private Meeting(BlockOrder block) {
      this.block = block;
    }

    /** Records the arrival of a thread that does not wait. */
    public void arrive(ThreadOrder thread) {
      WarpOrder warp = thread.warp();
      if (warp != arriving) {
        takeArrived();
        arriving = warp;
        arrived = new int[AccessGroups.LANES];
        floor = 0;
      }
      if (warp.floor() > floor) {
        floor = warp.floor();
        Arrays.setAll(arrived, lane -> Math.max(arrived[lane], floor));
      }
      LaneClock known = thread.lanes();
      if (known != null) {
        known.addTo(arrived);
      }
      arrived[thread.lane()] = block.launch.groups().next();
      if (thread.far() != lastFar) {
        lastFar = thread.far();
        together = Clock.merge(together, lastFar);
      }
      thread.synchronised();
    }

    private void takeArrived() {
      if (arriving != null) {
        Clock its = Clock.ofLanes(arriving.number(), arrived, arriving.size());
        together = Clock.merge(together, its);
        arriving = null;
      }
    }

    /**
     * Lets the threads that have waited go on.
     *
     * @param waiting the lanes of each warp
     */
    public void open(int[] waiting) {
      takeArrived();
      for (int i = 0; i < waiting.length; i++) {
        together = Clock.merge(together, block.warps[i].clock(waiting[i]));
      }
      block.learns();
      for (int i = 0; i < waiting.length; i++) {
        if (waiting[i] != 0) {
          block.warps[i].leave(waiting[i], together);
        }
      }
    }
  }
}
