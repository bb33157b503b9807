package dev.streamfence.internal.ptx.run.order;

import org.jspecify.annotations.Nullable;

/**
 * The latest accesses to some bytes of memory, a cell for each word; narrower accesses divide all
 * cells. Confined to the thread that runs the launch.
 *
 * <p>A cell has the last plain store, since then up to two strong stores, and up to two loads. An
 * access replaces the one of its kind that it comes after, since whatever comes after it comes
 * after both. A plain store leaves the loads: a later store of the same value does no harm to it,
 * but to a load. Of more than two unordered ones, two of different blocks are kept, or else of
 * different warps, so that a later store finds one of another block or warp.
 */
public final class AccessCells {
  private static final int WORD_SHIFT = 2;

  /**
   * What a cell has; each is an array that exists once it is needed. The other strong store and the
   * other load follow the first ones.
   */
  private static final int STORE = 0;

  private static final int STRONG_STORE = 1;
  private static final int LOAD = 3;
  private static final int KINDS = 5;

  private final LaunchOrder launch;
  private final int bytes;
  private final int[] @Nullable [] kinds = new int[KINDS][];
  private int shift = WORD_SHIFT;
  private int oldest = 1;

  // The last access that a cell had no place for, what the cell had instead, and what the thread
  // knew: a thread that waits reads the same place again and again.
  private int passedOver;
  private int passedCell;
  private int passedOne;
  private int passedOther;
  private @Nullable Clock passedFar;

  /**
   * Creates cells without accesses.
   *
   * @param bytes how many bytes they stand for
   */
  AccessCells(LaunchOrder launch, int bytes) {
    this.launch = launch;
    this.bytes = bytes;
  }

  /** Forgets all groups below a number. */
  void forgetBefore(int group) {
    oldest = group;
  }

  /** Whether an access of a cell is not forgotten and not before what a thread does now. */
  private boolean isOpen(ThreadOrder thread, int access) {
    return access >>> AccessGroups.LANE_BITS >= oldest && !thread.knows(access);
  }

  long load(ThreadOrder thread, int at, int count, int access, int mode) {
    divide(count);
    // The store of the same instruction follows and says more, unless it may fail to come.
    boolean noted = (mode & (AccessMode.ATOMIC | AccessMode.CONDITIONAL)) != AccessMode.ATOMIC;
    long conflict = 0;
    for (int cell = at >> shift; cell <= (at + count - 1) >> shift; cell++) {
      conflict = first(conflict, open(thread, STORE, cell, mode, false), true);
      if (kinds[STRONG_STORE] != null) {
        conflict = first(conflict, open(thread, STRONG_STORE, cell, mode, false), true);
        conflict = first(conflict, open(thread, STRONG_STORE + 1, cell, mode, false), true);
      }
      if (noted) {
        note(thread, LOAD, cell, access);
      }
    }
    return conflict;
  }

  long store(ThreadOrder thread, int at, int count, int access, int mode) {
    divide(count);
    boolean strong = (mode & AccessMode.STRONG) != 0;
    long conflict = 0;
    for (int cell = at >> shift; cell <= (at + count - 1) >> shift; cell++) {
      for (int kind = STORE; kind < KINDS; kind++) {
        conflict = first(conflict, open(thread, kind, cell, mode, true), kind < LOAD);
      }
      if (strong) {
        note(thread, STRONG_STORE, cell, access);
      } else {
        of(STORE)[cell] = access;
        for (int kind = STRONG_STORE; kind < LOAD; kind++) {
          int[] accesses = kinds[kind];
          if (accesses != null) {
            accesses[cell] = 0;
          }
        }
      }
    }
    return conflict;
  }

  /** The first store and the first load that conflict. */
  private static long first(long known, int found, boolean store) {
    boolean isKnown = (store ? LaunchOrder.store(known) : LaunchOrder.load(known)) != 0;
    return isKnown ? known : known | LaunchOrder.conflict(found, store);
  }

  /**
   * An access of a kind that races with one of a thread; 0 for none.
   *
   * @param mode the mode of the thread's access
   * @param stores whether that stores
   */
  private int open(ThreadOrder thread, int kind, int cell, int mode, boolean stores) {
    int[] accesses = kinds[kind];
    if (accesses == null) {
      return 0;
    }
    int access = accesses[cell];
    return access != 0 && conflict(thread, kind, access, mode, stores) && isOpen(thread, access)
        ? access
        : 0;
  }

  /**
   * A plain store conflicts with everything. A strong one conflicts with strong accesses outside of
   * its scope, but not with a plain load: code reads a value before it begins to compare and swap.
   * One that is strong by a hint alone does conflict with a plain load.
   */
  private boolean conflict(ThreadOrder thread, int kind, int access, int mode, boolean stores) {
    boolean strong = (mode & AccessMode.STRONG) != 0;
    if (kind == STORE || (stores && !strong)) {
      return true;
    }
    int other = launch.modeOf(access);
    if (strong && (other & AccessMode.STRONG) != 0) {
      return launch.isOutOfScope(thread, access, mode);
    }
    return ((stores ? mode : other) & AccessMode.HINTED) != 0;
  }

  /** Keeps an access, of a kind of which a cell can have two. */
  private void note(ThreadOrder thread, int kind, int cell, int access) {
    int[] ones = of(kind);
    int one = ones[cell];
    int[] others = kinds[kind + 1];
    int other = others == null ? 0 : others[cell];
    if (one == access || other == access || isPassedOver(thread, cell, access, one, other)) {
      return;
    }
    if (one == 0 || !isOpen(thread, one)) {
      ones[cell] = access;
    } else if (other == 0
        || !isOpen(thread, other)
        || launch.distance(one, access) > launch.distance(one, other)) {
      of(kind + 1)[cell] = access;
    } else {
      passedOver = access;
      passedCell = cell;
      passedOne = one;
      passedOther = other;
      passedFar = thread.far();
    }
  }

  private boolean isPassedOver(ThreadOrder thread, int cell, int access, int one, int other) {
    return access == passedOver
        && cell == passedCell
        && one == passedOne
        && other == passedOther
        && thread.far() == passedFar;
  }

  private int[] of(int kind) {
    int[] accesses = kinds[kind];
    if (accesses == null) {
      accesses = new int[((bytes - 1) >> shift) + 1];
      launch.take((long) accesses.length * Integer.BYTES);
      kinds[kind] = accesses;
    }
    return accesses;
  }

  /** Makes the cells small enough for an access of some bytes. */
  private void divide(int count) {
    if (count >= 1 << shift) {
      return;
    }
    int parts = 1 << (shift - (count - 1));
    for (int kind = 0; kind < KINDS; kind++) {
      int[] whole = kinds[kind];
      if (whole != null) {
        int[] divided = new int[whole.length * parts];
        for (int i = 0; i < divided.length; i++) {
          divided[i] = whole[i / parts];
        }
        launch.take((long) (divided.length - whole.length) * Integer.BYTES);
        kinds[kind] = divided;
      }
    }
    shift = count - 1;
  }
}
