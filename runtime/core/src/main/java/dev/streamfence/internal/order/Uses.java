package dev.streamfence.internal.order;

import java.util.Arrays;

/**
 * The allocations that one submission uses with its access, each once after {@link
 * #sortByGeneration}. It stops growing after the largest submission, and can be passed to many.
 * Confined to the thread that holds the submission lock.
 */
public final class Uses {
  /** So many uses and fewer are sorted by insertion, and remembered for the next submission. */
  private static final int FEW = 32;

  /**
   * Those of this submission, and behind them those of earlier ones, to be set again. A few keep
   * their hazard states reachable, and no device memory: that is freed by its owner.
   */
  private Use[] uses = {};

  private int count;

  /** Whether they are in the order of the locks, each allocation once. */
  private boolean isSorted = true;

  /** How many there are. */
  public int count() {
    return count;
  }

  /** One of them. */
  public Use get(int index) {
    return uses[index];
  }

  /**
   * Adds a use.
   *
   * @param label the argument to {@link UseLabels#use} if the allocation cannot be used
   */
  public void add(HazardState state, boolean reads, boolean writes, int label) {
    if (count == uses.length) {
      grow();
    }
    uses[count++].set(state, reads, writes, label);
    isSorted = false;
  }

  private void grow() {
    Use[] more = Arrays.copyOf(uses, Math.max(8, 2 * count));
    for (int i = count; i < more.length; i++) {
      more[i] = new Use();
    }
    uses = more;
  }

  /** Sorts by generation, and makes two uses of one allocation one that does both. */
  void sortByGeneration() {
    if (isSorted) {
      return;
    }
    // Most launches have few allocations, in an order that hardly changes between launches.
    for (int gap = count > FEW ? firstGap() : 1; gap > 0; gap /= 3) {
      sort(gap);
    }
    int kept = 0;
    for (int i = 1; i < count; i++) {
      if (uses[i].state() == uses[kept].state()) {
        uses[kept].merge(uses[i]);
      } else if (++kept < i) {
        swap(kept, i);
      }
    }
    truncate(count == 0 ? 0 : kept + 1);
    isSorted = true;
  }

  /**
   * The first gap of a Shell sort with Knuth's gaps, (3^k - 1) / 2 (The Art of Computer Programming
   * 3, 5.2.1). It needs no memory, and far less than quadratic time.
   */
  private int firstGap() {
    int gap = 1;
    while (gap < count / 3) {
      gap = 3 * gap + 1;
    }
    return gap;
  }

  private void sort(int gap) {
    for (int i = gap; i < count; i++) {
      for (int j = i; j >= gap && uses[j].isBefore(uses[j - gap]); j -= gap) {
        swap(j - gap, j);
      }
    }
  }

  private void swap(int i, int j) {
    Use use = uses[i];
    uses[i] = uses[j];
    uses[j] = use;
  }

  /** Forgets all but the first uses. */
  private void truncate(int kept) {
    for (int i = Math.max(kept, FEW); i < count; i++) {
      uses[i].forget();
    }
    count = kept;
  }

  /** Forgets all uses. */
  public void clear() {
    truncate(0);
  }

  /** Whether they are so many that they would keep much memory of the heap reachable. */
  public boolean areMany() {
    return count > FEW;
  }
}
