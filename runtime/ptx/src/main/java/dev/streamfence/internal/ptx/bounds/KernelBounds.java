package dev.streamfence.internal.ptx.bounds;

import dev.streamfence.internal.ptx.ir.ControlGraph;
import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.Dependences;
import dev.streamfence.internal.ptx.symbolic.EvaluatedKernel;
import dev.streamfence.internal.ptx.symbolic.Formulas;
import dev.streamfence.internal.ptx.symbolic.Guards;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.symbolic.KernelValues;
import dev.streamfence.internal.ptx.symbolic.LoadedNumbers;
import dev.streamfence.internal.ptx.symbolic.NodeGraph;
import dev.streamfence.internal.ptx.symbolic.NumberLimits;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.SourcePosition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which elements of its arrays a kernel touches, as far as its code shows that before a launch.
 * Immutable; {@link #launches} computes the numbers of a launch.
 */
public final class KernelBounds {
  private final List<ArrayBounds> arrays;
  private final LaunchBounds launches;

  private KernelBounds(List<ArrayBounds> arrays, LaunchBounds launches) {
    this.arrays = List.copyOf(arrays);
    this.launches = launches;
  }

  /**
   * Analyses a kernel. Throws nothing for any module; where its code is too long or too involved,
   * the bounds of all arrays are unknown.
   *
   * @param module a module with 64-bit addresses; with others, all bounds are unknown
   * @param entry one of its entries
   * @param arrays the arrays that the kernel takes
   */
  public static KernelBounds of(PtxModule module, PtxEntry entry, List<ArrayPlace> arrays) {
    return of(module, entry, arrays, List.of());
  }

  /**
   * Analyses a kernel that takes tables of arrays as well.
   *
   * @param tables where the kernel receives the tables, whose arrays have no bounds
   */
  public static KernelBounds of(
      PtxModule module, PtxEntry entry, List<ArrayPlace> arrays, List<ArrayPlace> tables) {
    return of(new KernelFlow(module, entry), arrays, tables);
  }

  /** Analyses a kernel whose code other analyses may share. */
  public static KernelBounds of(
      KernelFlow kernel, List<ArrayPlace> arrays, List<ArrayPlace> tables) {
    return of(kernel, arrays, tables, Map.of());
  }

  /**
   * Analyses a kernel for launches that keep to what is declared of the numbers in arrays.
   *
   * @param limits those of the numbers in an array, by its index
   */
  public static KernelBounds of(
      KernelFlow kernel,
      List<ArrayPlace> arrays,
      List<ArrayPlace> tables,
      Map<Integer, NumberLimits> limits) {
    try {
      if (kernel.module().addressSize() != Long.SIZE) {
        throw new TooComplexException("it has no 64-bit addresses");
      }
      return new Analysis(kernel, arrays, tables, limits).bounds();
    } catch (TooComplexException | StackOverflowError e) {
      String reason =
          e instanceof TooComplexException
              ? String.valueOf(e.getMessage())
              : "its addresses are too long a formula";
      List<ArrayBounds> unknown =
          arrays.stream().map(place -> new ArrayBounds(place, null, reason)).toList();
      LaunchBounds.Reach nothing = new LaunchBounds.Reach(false, List.of(), List.of());
      return new KernelBounds(
          unknown,
          new LaunchBounds(
              List.of(), Collections.nCopies(arrays.size(), nothing), new RangeProgram(), null));
    }
  }

  /** The bounds of each array, in the order in which the arrays were given. */
  public List<ArrayBounds> arrays() {
    return arrays;
  }

  /** Whether there are ordinary launches of which it is known that they touch an array. */
  public boolean isChecked(int array) {
    return TriedLaunch.checks(launches, array);
  }

  /**
   * The arrays of which these bounds limit more than others of the same kernel do, in some ordinary
   * launch.
   */
  public Set<Integer> narrowerThan(KernelBounds other) {
    Set<Integer> found = new TreeSet<>();
    BoundsEvaluator own = launches.evaluator();
    BoundsEvaluator others = other.launches.evaluator();
    List<LaunchNumbers> tried = TriedLaunch.alike(launches.arguments());
    List<LaunchNumbers> same = TriedLaunch.alike(other.launches.arguments());
    for (int i = 0; i < tried.size(); i++) {
      own.limit(tried.get(i));
      others.limit(same.get(i));
      for (int array = 0; array < arrays.size(); array++) {
        if (own.mayBegin(array) > others.mayBegin(array)
            || own.mayEnd(array) < others.mayEnd(array)) {
          found.add(array);
        }
      }
    }
    return found;
  }

  /** Where the bounds of an array lie, compared with the array. */
  public enum Fit {
    /** Within it, in some ordinary launch. */
    WITHIN,
    /** They begin before it in every ordinary launch that may touch it. */
    BEFORE,
    /** They end behind it in every such launch, although it is long. */
    BEHIND
  }

  /**
   * Where the bounds of an array that is limited lie, in launches of ordinary shapes. An index that
   * may be -1, or the length of the array, leaves no launch that is proved to stay within it.
   *
   * @param bytes the size of its elements
   */
  public Fit fit(int array, int bytes) {
    BoundsEvaluator evaluator = launches.evaluator();
    Fit found = null;
    for (int number = 0; number < TriedLaunch.COUNT; number++) {
      LaunchNumbers tried = TriedLaunch.ofLongArray(array, launches.arguments(), number);
      evaluator.limit(tried);
      long begin = evaluator.mayBegin(array);
      long end = evaluator.mayEnd(array);
      if (begin >= end) {
        // It touches nothing.
        continue;
      }
      if (begin >= 0 && end <= bytes * tried.length(array)) {
        return Fit.WITHIN;
      }
      found = begin < 0 ? Fit.BEFORE : Fit.BEHIND;
    }
    return found == null ? Fit.WITHIN : found;
  }

  /** The same with what launches need alone, see {@link LaunchBounds#compact}. */
  public KernelBounds compact() {
    return new KernelBounds(arrays, launches.compact());
  }

  /** What it takes to compute the numbers of each launch. */
  public LaunchBounds launches() {
    return launches;
  }

  /** One analysis. Confined to one thread, used once. */
  private static final class Analysis {
    private final KernelFlow kernel;
    private final List<ArrayPlace> arrays;
    private final EvaluatedKernel evaluated;

    Analysis(
        KernelFlow kernel,
        List<ArrayPlace> arrays,
        List<ArrayPlace> tables,
        Map<Integer, NumberLimits> limits) {
      this.kernel = kernel;
      this.arrays = arrays;
      kernel.function(KernelFlow.MOST_INSTRUCTIONS);
      // A launch that checks the bounds may have blocks of any shape.
      this.evaluated = kernel.values(arrays, tables, limits, KernelFlow.MOST_DIMENSIONS);
    }

    KernelBounds bounds() {
      ControlGraph graph = kernel.graph();
      NodeGraph nodes = evaluated.nodes();
      KernelValues values = evaluated.values();
      Formulas formulas = evaluated.formulas();
      Guards guards = evaluated.guards();
      LoadedNumbers loaded = evaluated.loaded();
      Ranges ranges =
          new Ranges(nodes, graph, guards, formulas, loaded, evaluated.memory().numbers());
      Dependences dependences = evaluated.dependences();
      LoopEnds loopEnds = new LoopEnds(graph, guards, formulas, nodes);
      LaunchValues launchValues = new LaunchValues(nodes, graph, loopEnds, dependences);
      Certainty certainty = new Certainty(graph, guards, formulas, launchValues);
      List<ArrayAnalysis> analyses = new ArrayList<>();
      for (int i = 0; i < arrays.size(); i++) {
        analyses.add(
            new ArrayAnalysis(
                    i, arrays.get(i), values, formulas, ranges, dependences, certainty, loaded)
                .analyse());
      }
      WitnessPlanner planner =
          new WitnessPlanner(nodes, graph, loopEnds, guards, formulas, dependences);
      List<ArrayBounds> found = new ArrayList<>();
      List<LaunchBounds.Reach> reaches = new ArrayList<>();
      for (ArrayAnalysis array : analyses) {
        found.add(array.bounds());
        reaches.add(
            new LaunchBounds.Reach(
                array.bounds().isLimited(),
                array.touched(),
                array.certain().stream()
                    .map(access -> planner.followed(access, place(access.instruction())))
                    .toList()));
      }
      return new KernelBounds(
          found,
          new LaunchBounds(
              evaluated.memory().numbers(), reaches, ranges.program(), planner.plan()));
    }

    private String place(Instruction instruction) {
      return kernel.module().position(instruction.source()).map(SourcePosition::inFile).orElse("");
    }
  }
}
