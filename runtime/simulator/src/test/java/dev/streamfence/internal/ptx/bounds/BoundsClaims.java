package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.run.PtxProgram;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Compares what the analysis claims of a kernel's launches with what they touch. */
final class BoundsClaims {
  int launches;
  int completed;
  int limits;
  int certain;

  /** Those whose last thread reaches farthest, whatever the arguments are. */
  int grids;

  /** Those whose limit is exactly what was touched. */
  int exactLimits;

  /** Those whose certain end is exactly what was touched. */
  int exactCertain;

  /**
   * Runs random launches of a kernel and compares each with the claims.
   *
   * @param name what a failure says of the kernel
   */
  void compare(
      String name,
      PtxModule module,
      PtxEntry entry,
      List<ArrayPlace> arrays,
      long seed,
      int count) {
    KernelBounds bounds = KernelBounds.of(module, entry, arrays);
    PtxProgram program = PtxProgram.translate(module);
    BoundsEvaluator evaluator = bounds.launches().evaluator();
    BoundsEvaluator recorded = RecordedBounds.of(bounds.launches()).evaluator();
    for (int i = 0; i < count; i++) {
      ObservedLaunch launch =
          new ObservedLaunch(module, program, entry, bounds, new Random(seed * 1000 + i));
      launch.run();
      launches++;
      completed += launch.completed ? 1 : 0;
      evaluator.limit(launch);
      // One of the two keeps what it knows of the threads from one array to the next.
      recorded.take(launch);
      for (int array = 0; array < arrays.size(); array++) {
        String description = name + "\n" + bounds.arrays().get(array) + "\n" + launch;
        compare(launch, evaluator, array, description);
        assertThat(recorded.reach(array) ? certainly(recorded) : "nothing")
            .as("read again: " + description)
            .isEqualTo(evaluator.reach(array, launch) ? certainly(evaluator) : "nothing");
      }
    }
  }

  private static String certainly(BoundsEvaluator evaluator) {
    return evaluator.reachedFirst()
        + " to "
        + evaluator.reachedLast()
        + ": "
        + evaluator.reachedBegin()
        + " to "
        + evaluator.reachedEnd();
  }

  private void compare(
      ObservedLaunch launch, BoundsEvaluator evaluator, int array, String description) {
    Set<Long> touched = launch.touched(array);
    long first = touched.stream().mapToLong(Long::longValue).min().orElse(Long.MAX_VALUE);
    long last = touched.stream().mapToLong(Long::longValue).max().orElse(-1);
    long begin = evaluator.mayBegin(array);
    long end = evaluator.mayEnd(array);
    String what = "array " + array + " of " + description;
    if (begin != Long.MIN_VALUE && end != Long.MAX_VALUE) {
      limits++;
      assertThat(first).as("begin of " + what).isGreaterThanOrEqualTo(begin);
      assertThat(last).as("end of " + what).isLessThan(end);
      exactLimits += last + 1 == end ? 1 : 0;
    }
    long endOfGrid = evaluator.endOfGrid(array, launch);
    if (endOfGrid != Long.MAX_VALUE && evaluator.reach(array, launch)) {
      grids++;
      assertThat(evaluator.reachedBegin()).as("begin of " + what).isNotNegative();
      assertThat(evaluator.reachedEnd())
          .as("in the grid of " + what)
          .isLessThanOrEqualTo(endOfGrid);
      assertThat(endOfGrid)
          .as("grid of " + what)
          .isLessThanOrEqualTo(evaluator.endOfGrid(array, new Larger(launch)));
    }
    if (launch.completed && evaluator.reach(array, launch)) {
      certain++;
      assertThat(touched).as("certain begin of " + what).contains(evaluator.reachedBegin());
      assertThat(touched).as("certain end of " + what).contains(evaluator.reachedEnd() - 1);
      exactCertain += evaluator.reachedEnd() == last + 1 ? 1 : 0;
    }
  }

  /** The same launch with more blocks of more threads. */
  private record Larger(LaunchNumbers launch) implements LaunchNumbers {
    @Override
    public long argument(int argument) {
      return launch.argument(argument);
    }

    @Override
    public int block(int dimension) {
      return launch.block(dimension) + dimension;
    }

    @Override
    public int grid(int dimension) {
      return launch.grid(dimension) + 1;
    }
  }

  @Override
  public String toString() {
    return launches
        + " launches, "
        + completed
        + " completed; limits of arrays: "
        + limits
        + ", "
        + exactLimits
        + " of them exact; grids: "
        + grids
        + "; certain elements: "
        + certain
        + ", "
        + exactCertain
        + " of them the farthest";
  }
}
