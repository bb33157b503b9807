package dev.streamfence.internal.ptx.run.order;

import org.jspecify.annotations.Nullable;

/**
 * What the writes to one place in memory release to the threads that read it there.
 *
 * @param toAll what threads of every block acquire
 * @param toBlock what threads of one block acquire, whichever their scope
 * @param block that block: the one of the last release
 * @param thread the thread of the last release, whose later stores there continue it
 * @param alone whether what the block acquires was released by that thread alone
 */
record Released(Part toAll, Part toBlock, int block, ThreadOrder thread, boolean alone) {
  /**
   * What a sequence of releases makes known.
   *
   * @param far what the thread of the last one knew of others, which the clock includes
   */
  private record Part(@Nullable Clock clock, @Nullable Clock far) {
    static final Part NONE = new Part(null, null);

    Part then(Fence fence) {
      // Threads that have met elsewhere release the same knowledge one after another.
      Clock before = fence.far() == far ? clock : Clock.merge(clock, fence.far());
      return new Part(fence.addTo(before).noting(clock), fence.far());
    }
  }

  /**
   * Begins with a release.
   *
   * @param wide the fence before it that orders for threads of all blocks; null for none
   * @param narrow the fence before it that orders for threads of the block
   */
  static Released first(@Nullable Fence wide, Fence narrow, ThreadOrder thread) {
    return new Released(Part.NONE, Part.NONE, thread.block().number(), thread, true)
        .then(wide, narrow, thread);
  }

  /** Continues with a release by a step that reads and writes. */
  Released then(@Nullable Fence wide, Fence narrow, ThreadOrder next) {
    int its = next.block().number();
    return new Released(
        wide == null ? toAll : toAll.then(wide),
        (block == its ? toBlock : Part.NONE).then(narrow),
        its,
        next,
        block != its || (alone && thread == next));
  }

  @Nullable Clock everywhere() {
    return toAll.clock;
  }

  /** What a thread acquires whose block made the last release; null for nothing new to it. */
  @Nullable Clock inBlockOf(ThreadOrder reader) {
    boolean isKnown = block != reader.block().number() || (alone && thread == reader);
    return isKnown ? null : toBlock.clock;
  }

  /** Whether a thread of the block that runs made the last release. */
  boolean isBy(ThreadOrder other) {
    return thread == other && block == other.block().number();
  }
}
