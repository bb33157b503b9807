package dev.streamfence.internal.launch;

import dev.streamfence.KernelArgumentException;
import dev.streamfence.internal.driver.KernelLaunch;
import dev.streamfence.internal.ptx.bounds.BoundsEvaluator;
import dev.streamfence.internal.ptx.bounds.LaunchNumbers;
import dev.streamfence.internal.ptx.bounds.ReachedAccess;
import dev.streamfence.internal.ptx.symbolic.NumberPlace;
import java.util.Arrays;
import java.util.List;

/**
 * Refuses launches whose kernel certainly touches an element that an array does not have. What a
 * launch touches depends on its numbers, and on the lengths that a declaration names, so it is
 * computed again only when one of them has changed. Allocates nothing unless it refuses. Confined
 * to the thread that holds the submission lock.
 */
final class BoundsCheck implements LaunchNumbers {
  private static final int DIMENSIONS = 3;

  /** No version of the arrays. */
  private static final long NONE = -1;

  private final LoadedBounds bounds;
  private final BoundsEvaluator evaluator;
  private final KernelLaunch launch;
  private final ArgumentFrame frame;
  private final ArrayArguments arrays;
  private final int[] offsets;
  private final int[] widths;

  /** The numbers of the last launch: arguments, blocks of the grid, threads of a block. */
  private final long[] numbers;

  private final long[] begins;
  private final long[] ends;
  private boolean isComputed;

  /** Whether the numbers of the shape are those of the last launch. */
  private boolean isShapeTaken;

  /** The arrays that were long enough for the numbers; none at first. */
  private long passed = NONE;

  /** The largest grid and blocks for which it is known how far their threads can come. */
  private final int[] shape = new int[2 * DIMENSIONS];

  private final long[] shapeEnds;

  /** The arrays that no thread of such a shape leaves, and those that one may leave. */
  private long covered = NONE;

  private long uncovered = NONE;

  BoundsCheck(
      LoadedBounds bounds, KernelLaunch launch, ArgumentFrame frame, ArrayArguments arrays) {
    this.bounds = bounds;
    this.evaluator = bounds.evaluator();
    this.launch = launch;
    this.frame = frame;
    this.arrays = arrays;
    List<NumberPlace> arguments = bounds.arguments();
    this.offsets =
        arguments.stream()
            .mapToInt(place -> frame.offset(place.parameter()) + place.offset())
            .toArray();
    this.widths = arguments.stream().mapToInt(NumberPlace::bytes).toArray();
    this.numbers = new long[offsets.length + 2 * DIMENSIONS];
    this.begins = new long[bounds.arrays()];
    this.ends = new long[bounds.arrays()];
    this.shapeEnds = new long[bounds.arrays()];
  }

  /**
   * Compares the launch with the lengths of its arrays.
   *
   * @throws KernelArgumentException if an array is too short, with both numbers
   */
  void check() {
    isShapeTaken &= !launch.isShapeNew();
    long version = arrays.version();
    if (isCovered(version)) {
      return;
    }
    boolean areLengthsNew = passed != version && bounds.dependsOnLengths();
    if (takeNumbers() || !isComputed || areLengthsNew) {
      compute();
    } else if (passed == version) {
      return;
    }
    passed = NONE;
    for (int i = 0; i < arrays.count(); i++) {
      int array = checked(arrays.get(i));
      if (array >= 0 && (begins[array] < 0 || ends[array] > arrays.get(i).sizeInBytes())) {
        throw refusal(array, arrays.get(i));
      }
    }
    passed = version;
  }

  /** The index of an array that has bounds; negative for another one. */
  private int checked(ArrayArgument argument) {
    return argument.index() != ArrayArguments.IN_NO_TABLE || argument.isUntracked()
        ? -1
        : bounds.array(argument.parameter());
  }

  /**
   * Whether no thread of the grid leaves the arrays, whatever the other numbers are, so that these
   * need not be looked at.
   */
  private boolean isCovered(long version) {
    if (bounds.isProofRequired()) {
      return false;
    }
    if (launch.isShapeNew() && (uncovered == version || isLarger())) {
      takeShape();
    }
    if (covered != version && uncovered != version) {
      boolean fits = fit();
      if (!fits && !isShape()) {
        takeShape();
        fits = fit();
      }
      covered = fits ? version : NONE;
      uncovered = fits ? NONE : version;
    }
    return covered == version;
  }

  private boolean fit() {
    for (int i = 0; i < arrays.count(); i++) {
      int array = checked(arrays.get(i));
      if (array >= 0 && shapeEnds[array] > arrays.get(i).sizeInBytes()) {
        return false;
      }
    }
    return true;
  }

  /** Whether the launch has more blocks or threads in some dimension. */
  private boolean isLarger() {
    boolean isLarger = false;
    for (int i = 0; i < DIMENSIONS; i++) {
      isLarger |= grid(i) > shape[i] || block(i) > shape[DIMENSIONS + i];
    }
    return isLarger;
  }

  private boolean isShape() {
    boolean isSame = true;
    for (int i = 0; i < DIMENSIONS; i++) {
      isSame &= grid(i) == shape[i] && block(i) == shape[DIMENSIONS + i];
    }
    return isSame;
  }

  private void takeShape() {
    // If an Error ends this, no launch has the shape, and nothing is long enough for it.
    covered = NONE;
    uncovered = NONE;
    shape[0] = -1;
    Arrays.fill(shapeEnds, Long.MAX_VALUE);
    for (int i = 0; i < shapeEnds.length; i++) {
      shapeEnds[i] = evaluator.endOfGrid(i, this);
    }
    for (int i = 0; i < DIMENSIONS; i++) {
      shape[i] = grid(i);
      shape[DIMENSIONS + i] = block(i);
    }
  }

  /** Takes the numbers of the launch; returns whether one has changed. */
  private boolean takeNumbers() {
    boolean changed = false;
    int arguments = offsets.length;
    for (int i = 0; i < arguments; i++) {
      changed |= take(i, frame.number(offsets[i], widths[i]));
    }
    if (!isShapeTaken) {
      isShapeTaken = true;
      for (int i = 0; i < DIMENSIONS; i++) {
        changed |= take(arguments + i, grid(i));
        changed |= take(arguments + DIMENSIONS + i, block(i));
      }
    }
    return changed;
  }

  private boolean take(int index, long number) {
    boolean changed = numbers[index] != number;
    numbers[index] = number;
    return changed;
  }

  private void compute() {
    isComputed = false;
    if (bounds.isProofRequired()) {
      evaluator.limit(this);
    }
    evaluator.take(this);
    for (int i = 0; i < ends.length; i++) {
      boolean reaches = evaluator.reach(i);
      begins[i] = reaches ? evaluator.reachedBegin() : 0;
      ends[i] = reaches ? evaluator.reachedEnd() : 0;
      if (bounds.isProofRequired()) {
        begins[i] = Math.min(begins[i], evaluator.mayBegin(i));
        ends[i] = Math.max(ends[i], evaluator.mayEnd(i));
      }
    }
    isComputed = true;
  }

  private KernelArgumentException refusal(int array, ArrayArgument argument) {
    int size = argument.elementBytes();
    long bytes = argument.sizeInBytes();
    boolean isCertain =
        evaluator.reach(array, this)
            && (evaluator.reachedBegin() < 0 || evaluator.reachedEnd() > bytes);
    String elements = bytes / size + (bytes / size == 1 ? " element" : " elements");
    return new KernelArgumentException(
        isCertain
            ? KernelArgumentException.Mistake.TOO_SHORT
            : KernelArgumentException.Mistake.UNPROVEN,
        bounds.use(array),
        " has " + elements + "; the kernel " + (isCertain ? certain(size) : possible(array, size)));
  }

  /** The element that the kernel certainly touches. */
  private String certain(int size) {
    boolean inFront = evaluator.reachedBegin() < 0;
    ReachedAccess access = inFront ? evaluator.reachedFirst() : evaluator.reachedLast();
    long element =
        inFront
            ? Math.floorDiv(evaluator.reachedBegin(), (long) size)
            : (evaluator.reachedEnd() - 1) / size;
    return (access.writes() ? "writes" : "reads")
        + " element "
        + element
        + bounds.inWords(access, Arrays.copyOf(numbers, offsets.length));
  }

  /** The element that the kernel may touch, where the interface requires a proof. */
  private String possible(int array, int size) {
    long begin = evaluator.mayBegin(array);
    long end = evaluator.mayEnd(array);
    if (begin == Long.MIN_VALUE || end == Long.MAX_VALUE) {
      return "may touch any element with these numbers, where its arithmetic wraps around"
          + (bounds.hasLimits() ? " or a declared limit allows no number" : "")
          + "; the interface requires a proof";
    }
    long element = begin < 0 ? Math.floorDiv(begin, (long) size) : (end - 1) / size;
    return "may touch element " + element + ", and the interface requires a proof that it does not";
  }

  @Override
  public long argument(int argument) {
    return numbers[argument];
  }

  @Override
  public long length(int array) {
    // Other bounds are kept while the arrays change, so they may not depend on any length.
    return bounds.dependsOnLengths() ? arrays.length(bounds.position(array)) : Long.MAX_VALUE;
  }

  @Override
  public int block(int dimension) {
    return switch (dimension) {
      case 0 -> launch.blockX();
      case 1 -> launch.blockY();
      default -> launch.blockZ();
    };
  }

  @Override
  public int grid(int dimension) {
    return switch (dimension) {
      case 0 -> launch.gridX();
      case 1 -> launch.gridY();
      default -> launch.gridZ();
    };
  }
}
