package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;

/**
 * A step that lanes of a warp take together. Lanes meet in it if they bring the same member mask
 * and their steps have equal keys; they need not be at the same instruction.
 */
public abstract class Collective implements Op {
  private final Object key;

  protected Collective(Object key) {
    this.key = key;
  }

  /** Stores the lane's input; returns the mask of the lanes that must arrive. */
  protected abstract int arrive(Lane lane);

  /** Delivers results to the lanes in {@code group}, which includes this step's lane. */
  protected abstract void complete(Warp warp, int group);

  boolean meets(Collective other) {
    return this == other || key.equals(other.key);
  }

  @Override
  public final void execute(Lane lane) {
    int mask = arrive(lane);
    if ((mask & (1 << lane.laneIndex)) == 0) {
      throw lane.fault(
          Reason.BARRIER_DIVERGENCE,
          "names lanes 0x" + Integer.toHexString(mask) + " as members and is not one of them",
          0);
    }
    lane.waitingIn = this;
    lane.waitMask = mask;
    lane.state = Lane.LaneState.WAITING;
    lane.warp.waiting |= 1 << lane.laneIndex;
    lane.warp.completeGroupOf(lane);
  }
}
