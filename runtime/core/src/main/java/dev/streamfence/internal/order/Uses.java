package dev.streamfence.internal.order;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The allocations that one submission uses with its access, each once after {@link
 * #sortByGeneration}. The arrays stop growing after the largest submission. Confined to the thread
 * that holds the submission lock.
 */
final class Uses {
  /** So many uses and fewer are sorted by insertion. */
  private static final int FEW = 32;

  private HazardState[] states = new HazardState[8];
  private boolean[] reading = new boolean[8];
  private boolean[] writing = new boolean[8];
  private int[] labels = new int[8];
  private int[] writeLabels = new int[8];

  /** Where a use that shares the lock of its allocation is registered. */
  private @Nullable SharedRead[] shares = new SharedRead[8];

  private int count;

  int count() {
    return count;
  }

  HazardState state(int index) {
    return states[index];
  }

  boolean reads(int index) {
    return reading[index];
  }

  boolean writes(int index) {
    return writing[index];
  }

  /**
   * The caller's label for the first read, or for the first use if nothing reads the allocation.
   */
  int label(int index) {
    return labels[index];
  }

  /** The caller's label for the first write; without meaning if nothing writes the allocation. */
  int writeLabel(int index) {
    return writeLabels[index];
  }

  /** Takes the lock of an allocation, or the stream's share of it for a use that only reads. */
  void lock(int index, Timeline timeline) {
    if (writing[index]) {
      states[index].lock();
    } else {
      shares[index] = states[index].lockToRead(timeline);
    }
  }

  /** Whether other streams may hold their shares of the lock. */
  boolean isShared(int index) {
    return shares[index] != null;
  }

  /** Registers a use. Held: the lock. */
  void register(int index, Timeline timeline, long ticket) {
    SharedRead share = shares[index];
    if (share == null) {
      states[index].register(timeline, ticket, writing[index]);
    } else {
      share.register(ticket);
    }
  }

  /** Gives the lock of an allocation back. */
  void unlock(int index) {
    SharedRead share = shares[index];
    if (share == null) {
      states[index].unlock();
    } else {
      shares[index] = null;
      share.end();
    }
  }

  /** Adds a use. */
  void add(HazardState state, boolean reads, boolean writes, int label) {
    if (count == states.length) {
      grow();
    }
    states[count] = state;
    reading[count] = reads;
    writing[count] = writes;
    writeLabels[count] = label;
    labels[count++] = label;
  }

  /** Sorts by generation, and makes two uses of one allocation one that does both. */
  void sortByGeneration() {
    // Most launches have few allocations, in an order that hardly changes between launches.
    for (int gap = count > FEW ? firstGap() : 1; gap > 0; gap /= 3) {
      sort(gap);
    }
    int kept = 0;
    for (int i = 1; i < count; i++) {
      if (states[i] == states[kept]) {
        mergeInto(kept, i);
      } else if (++kept < i) {
        move(i, kept);
      }
    }
    truncate(count == 0 ? 0 : kept + 1);
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
      for (int j = i; j >= gap && isBefore(j, j - gap); j -= gap) {
        swap(j - gap, j);
      }
    }
  }

  /** Uses of one allocation keep the order of their labels, so that errors name the first one. */
  private boolean isBefore(int i, int j) {
    long one = states[i].generation();
    long other = states[j].generation();
    return one != other ? one < other : labels[i] < labels[j];
  }

  private void mergeInto(int kept, int more) {
    // A read can be refused where a write is not; the error then names the read.
    if (reading[more] && !reading[kept]) {
      labels[kept] = labels[more];
    }
    if (writing[more] && !writing[kept]) {
      writeLabels[kept] = writeLabels[more];
    }
    reading[kept] |= reading[more];
    writing[kept] |= writing[more];
  }

  private void move(int from, int to) {
    states[to] = states[from];
    reading[to] = reading[from];
    writing[to] = writing[from];
    labels[to] = labels[from];
    writeLabels[to] = writeLabels[from];
  }

  /** Forgets all but the first uses. */
  void truncate(int kept) {
    Arrays.fill(states, kept, count, null);
    count = kept;
  }

  void clear() {
    truncate(0);
  }

  private void swap(int i, int j) {
    HazardState state = states[i];
    states[i] = states[j];
    states[j] = state;
    boolean reads = reading[i];
    reading[i] = reading[j];
    reading[j] = reads;
    boolean writes = writing[i];
    writing[i] = writing[j];
    writing[j] = writes;
    int label = labels[i];
    labels[i] = labels[j];
    labels[j] = label;
    int writeLabel = writeLabels[i];
    writeLabels[i] = writeLabels[j];
    writeLabels[j] = writeLabel;
  }

  private void grow() {
    int capacity = states.length * 2;
    states = Arrays.copyOf(states, capacity);
    reading = Arrays.copyOf(reading, capacity);
    writing = Arrays.copyOf(writing, capacity);
    labels = Arrays.copyOf(labels, capacity);
    writeLabels = Arrays.copyOf(writeLabels, capacity);
    shares = Arrays.copyOf(shares, capacity);
  }
}
