package dev.streamfence.internal.order;

import java.util.Arrays;

/**
 * The waits of one submission: the highest ticket of each other timeline, in the order of addition.
 * Confined to the thread that holds the submission lock.
 */
final class Waits {
  private final Timeline waiter;
  private final long[] tickets;
  private final Timeline[] order;
  private int count;

  Waits(Timeline waiter, int timelines) {
    this.waiter = waiter;
    this.tickets = new long[timelines];
    this.order = new Timeline[timelines];
  }

  void add(Timeline timeline, long ticket) {
    if (timeline == waiter || timeline.needsNoWait(ticket)) {
      return;
    }
    int index = timeline.index();
    if (tickets[index] == 0) {
      order[count++] = timeline;
    }
    tickets[index] = Math.max(tickets[index], ticket);
  }

  /**
   * Swaps the wait at {@code position} with a later one that makes it unnecessary, because that
   * stream has itself waited for the same work.
   */
  void bringForwardWhatCovers(int position) {
    for (int i = position + 1; i < count; i++) {
      if (order[i].covers(ticket(i), order[position], ticket(position))) {
        Timeline covered = order[position];
        order[position] = order[i];
        order[i] = covered;
      }
    }
  }

  int count() {
    return count;
  }

  Timeline timeline(int position) {
    return order[position];
  }

  long ticket(int position) {
    return tickets[order[position].index()];
  }

  void clear() {
    for (int i = 0; i < count; i++) {
      tickets[order[i].index()] = 0;
    }
    Arrays.fill(order, 0, count, null);
    count = 0;
  }
}
