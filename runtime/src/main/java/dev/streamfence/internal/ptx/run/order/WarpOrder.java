package dev.streamfence.internal.ptx.run.order;

import org.jspecify.annotations.Nullable;

/** The order of one warp's threads. Confined to the thread that runs the launch. */
public final class WarpOrder {
  /** More sites than most kernels have. Two in one place evict each other, which costs groups. */
  private static final int PLACES = 256;

  private final LaunchOrder launch;
  private final BlockOrder block;
  private final ThreadOrder[] threads;
  private int number;
  private int floor;

  /** Whether any thread knows of lanes that the floor does not tell of. */
  private boolean partial;

  /** The number of synchronisations of threads of this warp. */
  private int span;

  /** At each place, a span and the site whose group there belongs to it. */
  private final long[] sites = new long[PLACES];

  private final int[] groups = new int[PLACES];

  WarpOrder(LaunchOrder launch, BlockOrder block, int size) {
    this.launch = launch;
    this.block = block;
    this.threads = new ThreadOrder[size];
    for (int i = 0; i < size; i++) {
      threads[i] = new ThreadOrder(launch, block, this, i);
    }
  }

  void start(int warp, int from) {
    number = warp;
    floor = from;
    partial = false;
    synchronised();
    for (ThreadOrder thread : threads) {
      thread.start();
    }
  }

  /** Returns the order of one of its threads. */
  public ThreadOrder thread(int lane) {
    return threads[lane];
  }

  int number() {
    return number;
  }

  /** All groups of the warp below this number come before what its threads do. */
  int floor() {
    return floor;
  }

  /** The group of the next access by an instruction; 0 for none. */
  int group(int site) {
    int place = site & (PLACES - 1);
    long wanted = (long) span << Integer.SIZE | site;
    if (sites[place] == wanted) {
      return groups[place];
    }
    sites[place] = wanted;
    groups[place] = launch.begin(number, site);
    return groups[place];
  }

  /** Separates the accesses until now from those that follow. */
  void synchronised() {
    span++;
  }

  /**
   * Orders what a group of lanes has done before what each of them does next.
   *
   * @param all whether no other lane of the warp is left
   */
  public void meet(int members, boolean all) {
    int until = launch.groups().next();
    Clock together = block.hasFar() ? far(members) : null;
    if (all) {
      met(until, together);
      return;
    }
    int[] known = new int[AccessGroups.LANES];
    for (int rest = members; rest != 0; rest &= rest - 1) {
      int[] its = threads[Integer.numberOfTrailingZeros(rest)].lanes();
      for (int i = 0; its != null && i < its.length; i++) {
        known[i] = Math.max(known[i], its[i]);
      }
    }
    for (int rest = members; rest != 0; rest &= rest - 1) {
      ThreadOrder thread = threads[Integer.numberOfTrailingZeros(rest)];
      thread.learn(together);
      thread.meet(members, until, known);
    }
    partial = true;
    synchronised();
  }

  /** What lanes know of more than barriers tell. */
  @Nullable Clock far(int members) {
    Clock together = null;
    for (int rest = members; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      together = lane < threads.length ? Clock.merge(together, threads[lane].far()) : together;
    }
    return together;
  }

  /**
   * Orders all that its threads have done before what they do next.
   *
   * @param together what all of them together know of more than barriers tell
   */
  void met(int until, @Nullable Clock together) {
    if (partial || together != null) {
      for (ThreadOrder thread : threads) {
        thread.met(together);
      }
      partial = false;
    }
    floor = until;
    synchronised();
  }
}
