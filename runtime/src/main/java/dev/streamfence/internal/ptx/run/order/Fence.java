package dev.streamfence.internal.ptx.run.order;

import org.jspecify.annotations.Nullable;

/**
 * What a thread knew at a fence, which its later strong writes release. Confined to the thread that
 * runs the launch.
 */
final class Fence {
  private final ThreadOrder thread;
  private final int until;
  private final int blockFloor;
  private final int warpFloor;
  private final int @Nullable [] lanes;
  private final @Nullable Clock far;
  private @Nullable Clock clock;

  /** Takes down what the thread knows at this moment. */
  Fence(ThreadOrder thread) {
    this.thread = thread;
    this.until = thread.launch().groups().next();
    this.blockFloor = thread.block().floor();
    this.warpFloor = thread.warp().floor();
    int[] known = thread.lanes();
    this.lanes = known == null ? null : known.clone();
    this.far = thread.far();
  }

  /** That knowledge as others can take it over; made when it is first asked for. */
  Clock clock() {
    Clock made = clock;
    if (made == null) {
      int warp = thread.warp().number();
      made = Clock.ofThread(warp, thread.lane(), until);
      made = with(made, Clock.ofWarp(warp, warpFloor));
      made = with(made, Clock.ofBlock(thread.block().number(), blockFloor));
      for (int i = 0; lanes != null && i < lanes.length; i++) {
        if (lanes[i] > 0) {
          made = with(made, Clock.ofThread(warp, i, lanes[i]));
        }
      }
      if (far != null) {
        made = with(made, far);
      }
      clock = made;
    }
    return made;
  }

  private static Clock with(Clock clock, Clock more) {
    Clock merged = Clock.merge(clock, more);
    return merged == null ? clock : merged;
  }
}
