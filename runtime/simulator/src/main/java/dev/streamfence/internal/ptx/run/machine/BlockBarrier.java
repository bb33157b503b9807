package dev.streamfence.internal.ptx.run.machine;

import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import dev.streamfence.internal.ptx.run.order.BlockOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One of a block's numbered barriers. It opens when all expected threads have arrived. It does not
 * expect threads that have exited, as on devices since Volta.
 */
public final class BlockBarrier {
  private final ThreadBlock block;
  private final int[] arrivedByWarp;
  private final int[] waitingByWarp;
  private final Lane[] waiting;
  private int waitingCount;
  private int arrived;
  private int expected;
  private int trueCount;
  private int reducing;

  /** What threads that do not wait have brought to the barrier; null if none has. */
  private BlockOrder.@Nullable Meeting meeting;

  BlockBarrier(ThreadBlock block, int warps, int threads) {
    this.block = block;
    arrivedByWarp = new int[warps];
    waitingByWarp = new int[warps];
    waiting = new Lane[threads];
  }

  void start() {
    open();
  }

  private void open() {
    Arrays.fill(arrivedByWarp, 0);
    Arrays.fill(waitingByWarp, 0);
    waitingCount = 0;
    arrived = 0;
    expected = 0;
    trueCount = 0;
    reducing = 0;
    meeting = null;
  }

  /**
   * Records an arrival.
   *
   * @param threads how many threads the barrier expects, 0 for all of the block
   * @param predicate the thread's input to a reduction
   * @param waits false for an arrival that does not wait
   */
  public void arrive(Lane lane, int threads, boolean reduces, boolean predicate, boolean waits) {
    if (arrived > 0 && expected != threads) {
      throw lane.fault(
          Reason.BARRIER_DIVERGENCE,
          "uses a barrier for " + named(threads) + " that others use for " + named(expected),
          0);
    }
    expected = threads;
    arrived++;
    arrivedByWarp[lane.warp.index] |= 1 << lane.laneIndex;
    trueCount += predicate ? 1 : 0;
    reducing += reduces ? 1 : 0;
    if (waits) {
      lane.state = Lane.LaneState.WAITING;
      waiting[waitingCount++] = lane;
      waitingByWarp[lane.warp.index] |= 1 << lane.laneIndex;
    } else if (block.order != null && lane.order != null) {
      meeting = meeting == null ? block.order.meeting() : meeting;
      meeting.arrive(lane.order);
    }
    openIfComplete();
  }

  private static String named(int threads) {
    return threads == 0 ? "the whole block" : threads + " threads";
  }

  /** Releases all waiting threads if no expected thread is missing. */
  void openIfComplete() {
    if (arrived == 0 || !isComplete()) {
      return;
    }
    int released = waitingCount;
    int trues = trueCount;
    int total = reducing;
    order();
    open();
    for (int i = 0; i < released; i++) {
      Lane lane = waiting[i];
      lane.state = Lane.LaneState.READY;
      if (lane.barrierResult != null) {
        lane.barrierResult.deliver(lane, trues, total);
        lane.barrierResult = null;
      }
    }
  }

  /** Orders what the threads have done before what those that wait do next. */
  private void order() {
    BlockOrder order = block.order;
    if (order == null) {
      return;
    }
    // A barrier of the whole block counts threads that have exited; one of some threads does not.
    if (waitingCount == (expected == 0 ? block.live : block.threads())) {
      order.meet();
      return;
    }
    BlockOrder.Meeting some = meeting == null ? order.meeting() : meeting;
    some.open(waitingByWarp);
  }

  private boolean isComplete() {
    if (expected == 0) {
      return arrived >= block.live;
    }
    int count = 0;
    for (int i = 0; i < arrivedByWarp.length; i++) {
      if (arrivedByWarp[i] != 0) {
        count += Integer.bitCount(arrivedByWarp[i] | block.warps[i].gone);
      }
    }
    return count >= expected;
  }

  /** Receives the result of a barrier that also reduces a predicate. */
  @FunctionalInterface
  public interface Result {
    void deliver(Lane lane, int trues, int total);
  }
}
