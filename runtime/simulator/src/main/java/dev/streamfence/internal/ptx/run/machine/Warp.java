package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.run.order.WarpOrder;
import org.jspecify.annotations.Nullable;

/** Up to 32 lanes of a block that can exchange values. */
public final class Warp {
  public static final int SIZE = 32;

  public final int index;
  public final Lane[] lanes;
  final @Nullable WarpOrder order;

  /** Lanes that wait in a collective. */
  int waiting;

  /** Lanes that have ended or never existed. */
  int gone;

  /** The lanes that the collective names which completed last, those that have ended included. */
  private int named;

  Warp(int index, int size, @Nullable WarpOrder order) {
    this.index = index;
    this.order = order;
    this.lanes = new Lane[size];
  }

  void start() {
    waiting = 0;
    gone = lanes.length == SIZE ? 0 : -1 << lanes.length;
  }

  /** Completes the collective in which a lane waits, if all of its lanes have arrived. */
  void completeGroupOf(Lane lane) {
    Collective collective = lane.waitingIn;
    if (collective == null) {
      return;
    }
    int group = lane.waitMask & ~gone;
    if ((group & ~waiting) != 0) {
      return;
    }
    for (int rest = group; rest != 0; rest &= rest - 1) {
      Lane other = lanes[Integer.numberOfTrailingZeros(rest)];
      Collective theirs = other.waitingIn;
      if (theirs == null || other.waitMask != lane.waitMask || !collective.meets(theirs)) {
        return;
      }
    }
    named = lane.waitMask;
    collective.complete(this, group);
    release(group);
  }

  /** Orders what lanes that meet in a barrier have done before what they do next. */
  public void synchronised(int group) {
    if (order != null) {
      int others = lanes.length == SIZE ? 0 : -1 << lanes.length;
      order.meet(group, (named | others) == -1);
    }
  }

  /** Releases waiting lanes. */
  void release(int group) {
    waiting &= ~group;
    for (int rest = group; rest != 0; rest &= rest - 1) {
      Lane lane = lanes[Integer.numberOfTrailingZeros(rest)];
      lane.state = Lane.LaneState.READY;
      lane.waitingIn = null;
    }
  }

  /** Removes an ended lane from all groups, which may complete some of them. */
  void remove(Lane lane) {
    gone |= 1 << lane.laneIndex;
    for (int rest = waiting; rest != 0; rest &= rest - 1) {
      Lane other = lanes[Integer.numberOfTrailingZeros(rest)];
      if (other.waitingIn != null) {
        completeGroupOf(other);
      }
    }
  }
}
