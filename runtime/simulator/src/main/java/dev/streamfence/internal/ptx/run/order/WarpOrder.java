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

  /** The number of synchronisations of the whole warp. */
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

  int size() {
    return threads.length;
  }

  /** All groups of the warp below this number come before what its threads do. */
  int floor() {
    return floor;
  }

  /**
   * The group of the next access by an instruction; 0 for none.
   *
   * @param since the first group that has nothing of what the thread did before it synchronised
   */
  int group(int site, int since) {
    int place = site & (PLACES - 1);
    long wanted = (long) span << Integer.SIZE | site;
    if (sites[place] == wanted && groups[place] >= since) {
      return groups[place];
    }
    sites[place] = wanted;
    groups[place] = launch.begin(number, site);
    return groups[place];
  }

  /** Separates the accesses of all lanes until now from those that follow. */
  private void synchronised() {
    span++;
  }

  /**
   * Orders what a group of lanes has done before what each of them does next.
   *
   * @param all whether no other lane of the warp is left
   */
  public void meet(int members, boolean all) {
    Clock together = block.hasFar() ? far(members) : null;
    if (all) {
      met(launch.groups().next(), together);
    } else {
      met(members, shared(members), together);
    }
  }

  /**
   * What lanes know of each other once they have met: what they share already if the same lanes met
   * the last time, as the rounds of a loop do.
   */
  private LaneClock shared(int members) {
    LaneClock known = threads[Integer.numberOfTrailingZeros(members)].lanes();
    if (known == null || !known.isOf(members)) {
      return known(members);
    }
    for (int rest = members; rest != 0; rest &= rest - 1) {
      if (threads[Integer.numberOfTrailingZeros(rest)].lanes() != known) {
        return known(members);
      }
    }
    known.met(launch.groups().next());
    return known;
  }

  /** What some lanes together know of the warp's lanes, what they have done until now included. */
  private LaneClock known(int members) {
    LaneClock known = new LaneClock(members);
    LaneClock last = null;
    for (int rest = members; rest != 0; rest &= rest - 1) {
      LaneClock its = threads[Integer.numberOfTrailingZeros(rest)].lanes();
      if (its != null && its != last) {
        known.learn(its);
        last = its;
      }
    }
    known.met(launch.groups().next());
    return known;
  }

  /** What some lanes know and have done until now, as threads of other warps take it over. */
  @Nullable Clock clock(int members) {
    if (members == 0) {
      return null;
    }
    Clock own =
        Clock.merge(known(members).ofWarp(number, threads.length), Clock.ofWarp(number, floor));
    return Clock.merge(far(members), own);
  }

  /** What lanes know of more than barriers tell. */
  private @Nullable Clock far(int members) {
    Clock together = null;
    for (int rest = members; rest != 0; rest &= rest - 1) {
      together = Clock.merge(together, threads[Integer.numberOfTrailingZeros(rest)].far());
    }
    return together;
  }

  /** What all its lanes know of more than barriers tell. */
  @Nullable Clock far() {
    return far(allLanes());
  }

  private int allLanes() {
    return -1 >>> (AccessGroups.LANES - threads.length);
  }

  /**
   * Orders all that its threads have done before what they do next.
   *
   * @param together what all of them together know of more than barriers tell
   */
  void met(int until, @Nullable Clock together) {
    if (partial || together != null) {
      met(allLanes(), null, together);
      partial = false;
    }
    floor = until;
    synchronised();
  }

  private void met(int members, @Nullable LaneClock known, @Nullable Clock together) {
    for (int rest = members; rest != 0; rest &= rest - 1) {
      threads[Integer.numberOfTrailingZeros(rest)].met(known, together);
    }
    partial = true;
  }

  /** Lets lanes that have waited for threads of other warps go on. */
  void leave(int members, @Nullable Clock together) {
    if (members == allLanes()) {
      met(launch.groups().next(), together);
    } else {
      met(members, shared(members), together);
    }
  }
}
