package dev.streamfence.internal.ptx.run.machine;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The asynchronous copies that a thread has begun and not waited for. They are made as late as a
 * device may make them: when the thread waits for them, or when it ends. A kernel that forgets to
 * wait thus finds the bytes from before the copy, and races with its own copies. Confined to the
 * thread that runs the launch.
 */
public final class PendingCopies {
  /** Further copies make the oldest one happen, so that a loop without a wait takes no memory. */
  private static final int MOST = 1024;

  /**
   * A copy and where its thread began it.
   *
   * @param group the number of groups that were complete before it
   */
  private record PendingCopy(int group, Code code, int at, Op copy) {}

  private final Lane lane;
  private final Deque<PendingCopy> pending = new ArrayDeque<>();
  private int groups;

  PendingCopies(Lane lane) {
    this.lane = lane;
  }

  /** Adds a copy that begins at the lane's current instruction. */
  public void add(Op copy) {
    if (pending.size() == MOST) {
      makeFirst();
    }
    pending.add(new PendingCopy(groups, lane.code(), lane.pc, copy));
  }

  /** Makes a group of the copies since the last one. */
  public void commit() {
    groups++;
  }

  /** Waits for all groups but the latest ones; copies that are in no group yet go on. */
  public void awaitGroups(int latest) {
    while (!pending.isEmpty() && pending.getFirst().group() < groups - latest) {
      makeFirst();
    }
  }

  /** Waits for all copies. */
  public void awaitAll() {
    while (!pending.isEmpty()) {
      makeFirst();
    }
  }

  private void makeFirst() {
    PendingCopy first = pending.removeFirst();
    lane.executeAt(first.code(), first.at(), first.copy());
  }
}
