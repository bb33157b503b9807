package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What it takes to compute for each launch of a kernel which elements it touches; the analysis that
 * finds it is {@link KernelBounds}. Immutable.
 */
public final class LaunchBounds {
  /**
   * What is known of one array.
   *
   * @param isLimited whether the farthest element that the kernel may touch is known
   * @param touched all bytes that it may touch; of no use if they are not limited
   * @param followed accesses that it certainly makes
   */
  record Reach(
      boolean isLimited, List<TouchedRange> touched, List<WitnessPlan.Followed> followed) {}

  private final List<NumberPlace> arguments;
  private final List<Reach> arrays;
  private final RangeProgram program;
  private final @Nullable WitnessPlan plan;

  /** Creates bounds; without a plan, no access is followed. */
  LaunchBounds(
      List<NumberPlace> arguments,
      List<Reach> arrays,
      RangeProgram program,
      @Nullable WitnessPlan plan) {
    this.arguments = List.copyOf(arguments);
    this.arrays = List.copyOf(arrays);
    this.program = program;
    this.plan = plan;
  }

  /** The numbers that the bounds depend on, in the order of their indexes. */
  public List<NumberPlace> arguments() {
    return arguments;
  }

  /** How many arrays the kernel takes. */
  public int arrayCount() {
    return arrays.size();
  }

  /** Whether launches certainly touch some array if their threads get to certain places. */
  public boolean isChecked() {
    return arrays.stream().anyMatch(array -> !array.followed().isEmpty());
  }

  /**
   * What launches certainly touch, with the values that this needs alone: much less memory than the
   * analysis has. Without the limits of arrays, of which only a required proof makes use.
   */
  public LaunchBounds compact() {
    NumberWriter out = new NumberWriter();
    LaunchBoundsWriter.write(this, out);
    return LaunchBoundsReader.read(new NumberReader(out.toBytes()), arrayCount());
  }

  /** Computes the numbers of launches, with memory of its own. */
  public BoundsEvaluator evaluator() {
    return new BoundsEvaluator(this);
  }

  List<Reach> arrays() {
    return arrays;
  }

  RangeProgram program() {
    return program;
  }

  @Nullable WitnessPlan plan() {
    return plan;
  }
}
