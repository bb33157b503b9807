package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    Map<List<WitnessPlan.Target>, List<WitnessPlan.Target>> targets = new HashMap<>();
    this.arrays = arrays.stream().map(array -> sharing(array, targets)).toList();
    this.program = program;
    this.plan = plan;
  }

  /** Gives accesses that the same thread makes one list of targets, by which that is noticed. */
  private static Reach sharing(
      Reach array, Map<List<WitnessPlan.Target>, List<WitnessPlan.Target>> targets) {
    return new Reach(
        array.isLimited(),
        array.touched(),
        array.followed().stream()
            .map(access -> access.withTargets(intern(access.targets(), targets)))
            .toList());
  }

  private static <T> T intern(T value, Map<T, T> known) {
    T first = known.putIfAbsent(value, value);
    return first == null ? value : first;
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
