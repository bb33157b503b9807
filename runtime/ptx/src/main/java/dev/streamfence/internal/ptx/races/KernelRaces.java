package dev.streamfence.internal.ptx.races;

import dev.streamfence.internal.ptx.ir.TooComplexException;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.symbolic.NumberLimits;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether two threads of one launch may touch the same bytes without an order between them, one of
 * them by a plain store. Immutable.
 *
 * <p>What is said of all launches assumes that arithmetic of 32 bits or more does not wrap around,
 * that numbers which are narrowed to 32 bits fit, that nothing is divided by 0, that numbers of a
 * launch that are compared or divided without a sign are not negative, and that no access leaves
 * its array.
 */
public final class KernelRaces {
  /** What a kernel's code shows. */
  public enum Verdict {
    /** No two threads of any launch conflict. */
    PROVED,
    /** Launches of ordinary size have two threads that conflict, whatever their data are. */
    CERTAIN,
    /** Equal numbers in an array make two threads conflict. */
    DATA,
    /** The code does not show it. */
    UNKNOWN
  }

  /**
   * A limit of the launches for which a proof holds.
   *
   * @param size {@code blockDim} or {@code gridDim}, and the dimension
   * @param most the most threads or blocks
   * @param isRead whether the code reads the index, so that it may be meant for more
   */
  public record Restriction(String size, int most, boolean isRead) {}

  /**
   * Two accesses by which threads conflict, or may do so.
   *
   * @param array the index of the array among those of the kernel; negative for a variable
   * @param variable the variable; null for an array
   */
  public record Conflict(
      Instruction first, Instruction second, int array, @Nullable Variable variable) {}

  /** The reason why nothing is known of arrays that may be the same memory. */
  public static final String MAY_OVERLAP = "its arrays may overlap";

  /** The reason where no proof was found. */
  public static final String SAME_INDEX = "two threads may have the same index";

  private final Verdict verdict;
  private final String reason;
  private final @Nullable Conflict conflict;
  private final List<Integer> numbers;
  private final List<Restriction> restrictions;

  private KernelRaces(
      Verdict verdict,
      String reason,
      @Nullable Conflict conflict,
      Collection<Integer> numbers,
      List<Restriction> restrictions) {
    this.verdict = verdict;
    this.reason = reason;
    this.conflict = conflict;
    this.numbers = List.copyOf(numbers);
    this.restrictions = List.copyOf(restrictions);
  }

  static KernelRaces unknown(String reason) {
    return new KernelRaces(Verdict.UNKNOWN, reason, null, List.of(), List.of());
  }

  static KernelRaces unknown(String reason, Conflict conflict) {
    return new KernelRaces(Verdict.UNKNOWN, reason, conflict, List.of(), List.of());
  }

  static KernelRaces proved(List<Restriction> restrictions) {
    return new KernelRaces(Verdict.PROVED, "", null, List.of(), restrictions);
  }

  static KernelRaces certain(Conflict conflict) {
    return new KernelRaces(Verdict.CERTAIN, "", conflict, List.of(), List.of());
  }

  /** Races of threads that load equal numbers from some arrays. */
  static KernelRaces ofData(Conflict conflict, Collection<Integer> numbers) {
    return new KernelRaces(Verdict.DATA, "the index is loaded", conflict, numbers, List.of());
  }

  /**
   * Analyses a kernel. Throws nothing for any module; where its code is too long or too involved,
   * the verdict is {@link Verdict#UNKNOWN}.
   *
   * @param arrays where the kernel receives arrays
   * @param tables where it receives tables of arrays
   * @param distinct the size of the elements of each array of which no two elements that a launch
   *     loads are equal, by the index of the array
   * @param space the launches that are allowed
   */
  public static KernelRaces of(
      PtxModule module,
      PtxEntry entry,
      List<ArrayPlace> arrays,
      List<ArrayPlace> tables,
      Map<Integer, Integer> distinct,
      LaunchSpace space) {
    return of(new KernelFlow(module, entry), arrays, tables, distinct, Map.of(), space);
  }

  /**
   * Analyses a kernel whose code other analyses may share, for launches that keep to what is
   * declared of the numbers in arrays.
   *
   * @param limits those of the numbers in an array, by its index
   */
  public static KernelRaces of(
      KernelFlow kernel,
      List<ArrayPlace> arrays,
      List<ArrayPlace> tables,
      Map<Integer, Integer> distinct,
      Map<Integer, NumberLimits> limits,
      LaunchSpace space) {
    try {
      if (kernel.module().addressSize() != Long.SIZE) {
        return unknown("it has no 64-bit addresses");
      }
      return new RaceAnalysis(kernel, arrays, tables, distinct, limits, space).find();
    } catch (TooComplexException e) {
      return unknown(String.valueOf(e.getMessage()));
    } catch (StackOverflowError e) {
      return unknown("its addresses are too long a formula");
    }
  }

  public Verdict verdict() {
    return verdict;
  }

  /** Why the verdict is no better than it is; empty if it is {@link Verdict#PROVED}. */
  public String reason() {
    return reason;
  }

  /** The accesses that the verdict is about; empty if it is about none, or about all. */
  public Optional<Conflict> conflict() {
    return Optional.ofNullable(conflict);
  }

  /** The arrays whose numbers decide, in ascending order, if it is {@link Verdict#DATA}. */
  public List<Integer> numbers() {
    return numbers;
  }

  /** The dimensions of the launches for which the proof holds; empty if it is for all. */
  public List<Restriction> restrictions() {
    return restrictions;
  }
}
