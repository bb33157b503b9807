package dev.streamfence.internal.ptx.bounds;

import static java.util.Objects.requireNonNull;

import dev.streamfence.internal.ptx.symbolic.Interval;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Computes for one launch after another which bytes of its arrays a kernel touches. Allocates
 * nothing after its construction. Confined to one thread at a time.
 */
public final class BoundsEvaluator {
  private final List<LaunchBounds.Reach> arrays;
  private final RangeProgram program;
  private final RangeProgram.Results results;
  private final @Nullable Witness witness;
  private final @Nullable WholeGrid grid;

  // What the last call of reach has found.
  private long reachedBegin;
  private long reachedEnd;
  private @Nullable ReachedAccess reachedFirst;
  private @Nullable ReachedAccess reachedLast;

  BoundsEvaluator(LaunchBounds bounds) {
    WitnessPlan plan = bounds.plan();
    this.arrays = bounds.arrays();
    this.program = bounds.program();
    this.results = new RangeProgram.Results(program);
    this.witness = plan == null ? null : new Witness(plan);
    this.grid = plan == null ? null : new WholeGrid(plan);
  }

  /** Takes the numbers of a launch, which do not change until {@link #reach(int)} is done. */
  public void take(LaunchNumbers launch) {
    if (witness != null) {
      witness.take(launch);
    }
  }

  /** Takes the numbers of a launch, and computes what it reaches of one array. */
  public boolean reach(int array, LaunchNumbers launch) {
    take(launch);
    return reach(array);
  }

  /**
   * Computes the farthest bytes of an array that the launch whose numbers were taken certainly
   * touches, if it completes.
   *
   * @param array the index of the array
   * @return whether any are known; then {@link #reachedBegin} and {@link #reachedEnd} are theirs
   */
  public boolean reach(int array) {
    reachedBegin = 0;
    reachedEnd = 0;
    reachedFirst = null;
    reachedLast = null;
    Witness witness = this.witness;
    if (witness == null) {
      return false;
    }
    List<WitnessPlan.Followed> certain = arrays.get(array).followed();
    for (int i = 0; i < certain.size(); i++) {
      WitnessPlan.Followed access = certain.get(i);
      boolean loops = !access.loops().isEmpty();
      List<Witness.Choice> choices = access.choices();
      for (int choice = 0; choice < choices.size(); choice++) {
        follow(witness, access, choices.get(choice), false);
        if (loops) {
          follow(witness, access, choices.get(choice), true);
        }
      }
    }
    return reachedLast != null;
  }

  private void follow(
      Witness witness, WitnessPlan.Followed followed, Witness.Choice choice, boolean last) {
    if (!witness.reaches(followed, choice, last)) {
      return;
    }
    ReachedAccess access = followed.access();
    long offset = witness.offset();
    long end = Interval.addHigh(offset, followed.width());
    if (reachedLast == null || end > reachedEnd) {
      reachedLast = access;
      reachedEnd = end;
    }
    if (reachedFirst == null || offset < reachedBegin) {
      reachedFirst = access;
      reachedBegin = offset;
    }
  }

  /** The offset of the first byte that is certainly touched; negative in front of the array. */
  public long reachedBegin() {
    return reachedBegin;
  }

  /** The access at {@link #reachedBegin}, after {@link #reach} has found one. */
  public ReachedAccess reachedFirst() {
    return requireNonNull(reachedFirst);
  }

  /** The access at {@link #reachedEnd}, after {@link #reach} has found one. */
  public ReachedAccess reachedLast() {
    return requireNonNull(reachedLast);
  }

  /** The offset after the last byte that is certainly touched. */
  public long reachedEnd() {
    return reachedEnd;
  }

  /**
   * Computes how far into an array the certain accesses of launches of a shape can reach, whatever
   * the arguments are. Launches with a smaller grid or smaller blocks reach no farther.
   *
   * @param array the index of the array
   * @return the offset after the last byte; {@link Long#MAX_VALUE} if it depends on arguments
   */
  public long endOfGrid(int array, LaunchNumbers launch) {
    return grid == null ? 0 : grid.end(arrays.get(array).followed(), launch);
  }

  /** Computes the farthest bytes that a launch may touch. */
  public void limit(LaunchNumbers launch) {
    program.run(launch, results);
  }

  /**
   * Returns the end of what the launch may touch at most.
   *
   * @param array the index of the array
   * @return the offset after the last byte, 0 if the launch touches none; {@link Long#MAX_VALUE} if
   *     it is unknown for these numbers
   */
  public long mayEnd(int array) {
    return farthest(array, true);
  }

  /**
   * Returns the begin of what the launch may touch at most.
   *
   * @param array the index of the array
   * @return the offset of the first byte; {@link Long#MIN_VALUE} if it is unknown for these numbers
   */
  public long mayBegin(int array) {
    return farthest(array, false);
  }

  private long farthest(int array, boolean end) {
    long unknown = end ? Long.MAX_VALUE : Long.MIN_VALUE;
    LaunchBounds.Reach bounds = arrays.get(array);
    if (!bounds.isLimited()) {
      return unknown;
    }
    long found = end ? 0 : Long.MAX_VALUE;
    List<TouchedRange> touched = bounds.touched();
    for (int i = 0; i < touched.size(); i++) {
      TouchedRange each = touched.get(i);
      if (each.isUnreachable(results)) {
        continue;
      }
      long at = end ? results.high[each.range()] : results.low[each.range()];
      if (!RangeProgram.holdAll(results, each.checks()) || !Interval.isBound(at)) {
        return unknown;
      }
      found = end ? Math.max(found, Interval.addHigh(at, each.width())) : Math.min(found, at);
    }
    return found;
  }
}
