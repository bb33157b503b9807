package dev.streamfence.internal.ptx.check;

import static dev.streamfence.launch.KernelParameter.annotation;

import dev.streamfence.Access;
import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.analysis.AnalysisBudget;
import dev.streamfence.internal.ptx.analysis.KernelAccesses;
import dev.streamfence.internal.ptx.analysis.ModuleAnalysis;
import dev.streamfence.internal.ptx.analysis.ParameterAccess;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.check.Mismatch.Difference;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.PtxParameter;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelParameter.PassedCases;
import dev.streamfence.launch.KernelSignature;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Compares the declarations of a module's kernels with their code: that the entry exists, the
 * number, sizes and kinds of its parameters, the threads that it allows per block, and its accesses
 * to the memory behind each parameter. Signedness is not compared, because PTX hardly knows it.
 *
 * <p>The work is bounded, for each kernel and for all kernels that one object compares; beyond
 * that, every access is unclear. Confined to one thread.
 */
public final class KernelCheck {
  private static final PassedCases<Boolean> IS_ARRAY =
      new PassedCases<>(value -> false, struct -> false, array -> true, threadCount -> false);

  /** Which parameters may be floating-point numbers in the code. */
  private static final PassedCases<Boolean> FITS_FLOAT = fits(true);

  /** Which parameters may be integers in the code. */
  private static final PassedCases<Boolean> FITS_INTEGER = fits(false);

  /**
   * The most parameters of kernels with remembered analyses; further kernels are analysed each
   * time.
   */
  private static final int MAX_KNOWN = 1 << 16;

  private final PtxModule module;
  private final ModuleAnalysis analysis;

  /** Remembered, because several interfaces declare the same kernels in the same way. */
  private final Map<Declared, List<ParameterAccess>> known = new HashMap<>();

  private int knownParameters;

  /**
   * The inputs of a kernel's analysis.
   *
   * @param areBuffers for each parameter, whether it is an array
   */
  private record Declared(String entry, List<Boolean> areBuffers) {}

  /** Creates a check of this module's kernels with a budget of its own. */
  public KernelCheck(PtxModule module) {
    this(module, new AnalysisBudget());
  }

  /**
   * Creates a check of this module's kernels.
   *
   * @param budget the work budget for all comparisons of this object
   */
  public KernelCheck(PtxModule module, AnalysisBudget budget) {
    this.module = module;
    this.analysis = new ModuleAnalysis(module, budget);
  }

  /**
   * Compares a kernel's declaration with its code. Throws nothing for any module.
   *
   * @param declared the declaration
   * @return the differences, in the order of the parameters; differences in accesses only for
   *     parameters that agree otherwise
   */
  public List<Mismatch> compare(KernelSignature declared) {
    Optional<PtxEntry> found = module.entry(declared.entry());
    if (found.isEmpty()) {
      List<String> names = module.entries().stream().map(PtxEntry::name).toList();
      String instead = EntryNames.insteadOf(declared.entry(), names);
      return List.of(Mismatch.ofEntry(Difference.NO_ENTRY, instead));
    }
    PtxEntry entry = found.get();
    List<KernelParameter.Passed> parameters = declared.passed();
    if (entry.parameters().size() != parameters.size()) {
      return List.of(Mismatch.ofEntry(Difference.PARAMETER_COUNT, entry.parameters().size()));
    }
    List<Mismatch> mismatches = new ArrayList<>();
    List<ParameterAccess> accesses =
        accesses(entry, parameters.stream().map(KernelCheck::isArray).toList());
    for (int i = 0; i < parameters.size(); i++) {
      KernelParameter.Passed parameter = parameters.get(i);
      compare(i, parameter, entry.parameters().get(i))
          .or(compare(i, parameter, accesses.get(i)))
          .ifPresent(mismatches::add);
    }
    if (declared.blockSize() > 0) {
      entry
          .blockLimit()
          .filter(limit -> !limit.allows(declared.blockSize(), 1, 1))
          .ifPresent(limit -> mismatches.add(Mismatch.ofEntry(Difference.BLOCK_SIZE, limit)));
    }
    return List.copyOf(mismatches);
  }

  /**
   * Returns an entry's accesses to the memory behind its parameters, given only the parameters'
   * types.
   *
   * @param areBuffers for each parameter that the entry receives, whether it is an array
   * @return the accesses that are safe to declare, in the same order: memory that may be read and
   *     is certainly not written counts as read; empty if there is no such entry, or it takes
   *     another number of parameters
   */
  public List<ParameterAccess.Verdict> verdicts(String entry, List<Boolean> areBuffers) {
    Optional<PtxEntry> found = module.entry(entry);
    if (found.isEmpty() || found.get().parameters().size() != areBuffers.size()) {
      return List.of();
    }
    return accesses(found.get(), areBuffers).stream().map(KernelCheck::safeToDeclare).toList();
  }

  private static ParameterAccess.Verdict safeToDeclare(ParameterAccess access) {
    boolean neverStores = access.write().isEmpty() && access.possibleWrite().isEmpty();
    return neverStores && access.possibleRead().isPresent()
        ? ParameterAccess.Verdict.READS
        : access.verdict();
  }

  /** Returns the names of the module's kernels, in the order of the text. */
  public List<String> entries() {
    return module.entries().stream().map(PtxEntry::name).toList();
  }

  /** Returns how large the module is, see {@link PtxModule#parts}. */
  public int parts() {
    return module.parts();
  }

  /**
   * Returns where an entry is declared.
   *
   * @return the line in the PTX text, counted from 1; 0 if there is no such entry
   */
  public int line(String entry) {
    return module.entry(entry).map(PtxEntry::line).orElse(0);
  }

  /** Returns the accesses through each parameter; remembered results cost no work. */
  private List<ParameterAccess> accesses(PtxEntry entry, List<Boolean> areBuffers) {
    Declared declared = new Declared(entry.name(), List.copyOf(areBuffers));
    List<ParameterAccess> found = known.get(declared);
    if (found == null) {
      KernelAccesses accesses =
          KernelAccesses.of(
              analysis,
              entry,
              (parameter, offset) ->
                  areBuffers.get(parameter) ? ParameterRole.BUFFER : ParameterRole.NUMBER);
      found = IntStream.range(0, areBuffers.size()).mapToObj(accesses::parameter).toList();
      if (knownParameters + found.size() <= MAX_KNOWN) {
        knownParameters += found.size();
        known.put(declared, found);
      }
    }
    return found;
  }

  private static Optional<Mismatch> compare(
      int index, KernelParameter.Passed declared, PtxParameter actual) {
    if (declared.sizeInBytes() != actual.sizeInBytes()) {
      return Optional.of(Mismatch.of(index, Difference.PARAMETER_SIZE, actual.sizeInBytes()));
    }
    return differsInKind(declared, actual.kind())
        ? Optional.of(Mismatch.of(index, Difference.PARAMETER_KIND, inWords(actual.kind())))
        : Optional.empty();
  }

  /** Tells whether two kinds of parameters differ; untyped bits fit any kind. */
  private static boolean differsInKind(
      KernelParameter.Passed declared, PtxParameter.ParameterKind actual) {
    return switch (actual) {
      case POINTER -> !isArray(declared);
      case OFFSET -> isArray(declared);
      case FLOAT -> !declared.match(FITS_FLOAT);
      case INTEGER -> !declared.match(FITS_INTEGER);
      default -> false;
    };
  }

  private static boolean isArray(KernelParameter.Passed declared) {
    return declared.match(IS_ARRAY);
  }

  private static PassedCases<Boolean> fits(boolean floatingPoint) {
    return new PassedCases<>(
        value -> value.type().isFloatingPoint() == floatingPoint,
        // A structure of one number is laid out like the number.
        struct -> struct.layout().fields() == 1,
        array -> !floatingPoint,
        threadCount -> !floatingPoint);
  }

  private static String inWords(PtxParameter.ParameterKind kind) {
    return switch (kind) {
      case FLOAT -> "a floating-point number";
      case POINTER -> "a pointer";
      case OFFSET -> "an address outside global memory";
      default -> "an integer";
    };
  }

  private static Supplier<Optional<Mismatch>> compare(
      int index, KernelParameter.Passed declared, ParameterAccess access) {
    Function<KernelParameter, Optional<Mismatch>> number =
        parameter ->
            access
                .read()
                .or(access::write)
                .map(site -> Mismatch.at(site, index, Difference.ADDRESS, ""));
    PassedCases<Optional<Mismatch>> cases =
        new PassedCases<>(number, number, array -> compare(index, array, access), number);
    return () -> declared.match(cases);
  }

  private static Optional<Mismatch> compare(
      int index, KernelParameter.Array array, ParameterAccess access) {
    Access declared = array.access();
    boolean mayLoad = access.read().isPresent() || access.possibleRead().isPresent();
    boolean mayStore = access.write().isPresent() || access.possibleWrite().isPresent();
    if (declared.reads() && declared.writes()) {
      return access.read().isPresent() && !mayStore
          ? Optional.of(Mismatch.of(index, Difference.ONLY_LOADS, ""))
          : Optional.empty();
    }
    if (declared.reads()) {
      return access
          .write()
          .map(
              site ->
                  Mismatch.at(
                      site,
                      index,
                      Difference.STORES,
                      annotation(mayLoad ? Access.READ_WRITE : Access.WRITE)))
          .or(() -> unclear(index, array, Difference.MAY_STORE, access.possibleWrite()));
    }
    if (access.read().isPresent()) {
      return access
          .read()
          .map(
              site ->
                  Mismatch.at(
                      site,
                      index,
                      Difference.LOADS,
                      annotation(mayStore ? Access.READ_WRITE : Access.READ)));
    }
    return mayStore
        ? unclear(index, array, Difference.MAY_LOAD, access.possibleRead())
        : Optional.of(Mismatch.of(index, Difference.NEVER_STORES, ""));
  }

  private static Optional<Mismatch> unclear(
      int index, KernelParameter.Array array, Difference kind, Optional<AccessSite> possible) {
    return possible
        .filter(site -> !array.trusted())
        .map(site -> Mismatch.at(site, index, kind, ""));
  }
}
