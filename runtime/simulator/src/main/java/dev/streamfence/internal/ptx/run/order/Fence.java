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
  private final @Nullable LaneClock lanes;
  private final @Nullable Clock far;
  private @Nullable Clock own;

  /** Takes down what the thread knows at this moment. */
  Fence(ThreadOrder thread) {
    this.thread = thread;
    this.until = thread.launch().groups().next();
    this.blockFloor = thread.block().floor();
    this.warpFloor = thread.warp().floor();
    LaneClock known = thread.lanes();
    this.lanes = known == null ? null : known.copy();
    this.far = thread.far();
  }

  /** Adds to a clock what the thread has done and what barriers have told it. */
  Clock addTo(@Nullable Clock clock) {
    Clock its = own;
    if (its == null) {
      int warp = thread.warp().number();
      its = Clock.ofThread(warp, thread.lane(), until);
      its = with(its, Clock.ofWarp(warp, warpFloor));
      its = with(its, Clock.ofBlock(thread.block().number(), blockFloor));
      if (lanes != null) {
        its = with(its, lanes.ofWarp(warp, thread.warp().size()));
      }
      own = its;
    }
    return with(its, clock);
  }

  /** What the thread knew of more than barriers tell. */
  @Nullable Clock far() {
    return far;
  }

  private static Clock with(Clock clock, @Nullable Clock more) {
    Clock merged = Clock.merge(clock, more);
    return merged == null ? clock : merged;
  }
}
