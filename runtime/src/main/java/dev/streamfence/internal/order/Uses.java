package dev.streamfence.internal.order;

import java.util.Arrays;

/**
 * The allocations that one submission uses, each once, with its access. The arrays stop growing
 * after the largest submission. Confined to the thread that holds the submission lock.
 */
final class Uses {
  private HazardState[] states = new HazardState[8];
  private boolean[] reading = new boolean[8];
  private boolean[] writing = new boolean[8];
  private int[] labels = new int[8];
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

  /** Adds a use; two uses of one allocation become one that does both. */
  void add(HazardState state, boolean reads, boolean writes, int label) {
    for (int i = 0; i < count; i++) {
      if (states[i] == state) {
        // A read can be refused where a write is not; the error then names the read.
        if (reads && !reading[i]) {
          labels[i] = label;
        }
        reading[i] |= reads;
        writing[i] |= writes;
        return;
      }
    }
    if (count == states.length) {
      grow();
    }
    states[count] = state;
    reading[count] = reads;
    writing[count] = writes;
    labels[count++] = label;
  }

  /**
   * Insertion sort: a launch has few allocations, and their order hardly changes between launches.
   */
  void sortByGeneration() {
    for (int i = 1; i < count; i++) {
      for (int j = i; j > 0 && states[j - 1].generation() > states[j].generation(); j--) {
        swap(j - 1, j);
      }
    }
  }

  void clear() {
    Arrays.fill(states, 0, count, null);
    count = 0;
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
  }

  private void grow() {
    int capacity = states.length * 2;
    states = Arrays.copyOf(states, capacity);
    reading = Arrays.copyOf(reading, capacity);
    writing = Arrays.copyOf(writing, capacity);
    labels = Arrays.copyOf(labels, capacity);
  }
}
