package dev.streamfence.internal.ptx.run.machine;

import java.util.function.BiConsumer;

/**
 * A step for the lanes of a warp that happen to be at the same instruction, for instructions
 * without a member mask. Lanes run one by one here. A lane therefore stops at such a step until its
 * warp can do nothing else; then all lanes at the same step take it together.
 */
public final class Convergence implements Op {
  private final Op prepare;
  private final BiConsumer<Warp, Integer> complete;

  /**
   * Creates the step.
   *
   * @param prepare run by each lane when it arrives
   * @param complete run once for the lanes of a mask
   */
  public Convergence(Op prepare, BiConsumer<Warp, Integer> complete) {
    this.prepare = prepare;
    this.complete = complete;
  }

  @Override
  public void execute(Lane lane) {
    prepare.execute(lane);
    lane.state = Lane.LaneState.CONVERGING;
    lane.waitRounds = 0;
    lane.block.converging++;
  }

  /**
   * Releases the waiting lanes of a warp if the others have stopped or the wait has lasted too
   * long.
   */
  static boolean release(Warp warp, int patience) {
    boolean othersRun = false;
    boolean waited = false;
    boolean any = false;
    for (Lane lane : warp.lanes) {
      othersRun |= lane.state == Lane.LaneState.READY;
      if (lane.state == Lane.LaneState.CONVERGING) {
        any = true;
        waited |= ++lane.waitRounds >= patience;
      }
    }
    if (!any || (othersRun && !waited)) {
      return false;
    }
    for (Lane lane : warp.lanes) {
      if (lane.state == Lane.LaneState.CONVERGING) {
        releaseLanesAt(warp, lane);
      }
    }
    return true;
  }

  private static void releaseLanesAt(Warp warp, Lane first) {
    int group = 0;
    for (Lane lane : warp.lanes) {
      if (lane.state == Lane.LaneState.CONVERGING && lane.pc == first.pc && lane.ops == first.ops) {
        group |= 1 << lane.laneIndex;
        lane.state = Lane.LaneState.READY;
        lane.block.converging--;
      }
    }
    if (first.ops[first.pc - 1] instanceof Convergence step) {
      step.complete.accept(warp, group);
    } else if (first.ops[first.pc - 1] instanceof Guarded guarded
        && guarded.inner() instanceof Convergence step) {
      step.complete.accept(warp, group);
    }
  }
}
