package dev.streamfence.internal.ptx.run.order;

import org.jspecify.annotations.Nullable;

/**
 * What the writes to one place in memory release to the threads that read it there.
 *
 * @param everywhere what threads of every block acquire
 * @param inBlock what threads of one block acquire, whichever their scope
 * @param block that block: the one of the last release
 * @param thread the thread of the last release, whose later stores there continue it
 */
record Released(
    @Nullable Clock everywhere, @Nullable Clock inBlock, int block, ThreadOrder thread) {
  /** Whether a thread of the block that runs made the last release. */
  boolean isBy(ThreadOrder other) {
    return thread == other && block == other.block().number();
  }

  /** Continues with a release by a step that reads and writes. */
  Released then(Released next) {
    return new Released(
        Clock.merge(everywhere, next.everywhere),
        block == next.block ? Clock.merge(inBlock, next.inBlock) : next.inBlock,
        next.block,
        next.thread);
  }
}
