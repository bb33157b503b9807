// Long because it joins the comparisons of all parts of a declaration.
package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.AccessChoice;
import dev.streamfence.internal.ptx.analysis.AnalysisBudget;
import dev.streamfence.internal.ptx.analysis.BlockSizeDependence;
import dev.streamfence.internal.ptx.analysis.KernelAccesses;
import dev.streamfence.internal.ptx.analysis.ModuleAnalysis;
import dev.streamfence.internal.ptx.analysis.ParameterAccess;
import dev.streamfence.internal.ptx.analysis.VariableUse;
import dev.streamfence.internal.ptx.analysis.VariableUses;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.bounds.KernelBounds;
import dev.streamfence.internal.ptx.bounds.LaunchBounds;
import dev.streamfence.internal.ptx.check.Mismatch.Difference;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.PtxParameter;
import dev.streamfence.launch.BlockShape;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelParameter.PassedCases;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.KernelSymbol;
import dev.streamfence.launch.StructLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares the declarations of a module's kernels with their code: that the entry exists, the
 * number, sizes and kinds of its parameters, the threads that it allows per block, and its accesses
 * to the memory behind each parameter. Signedness is not compared, because PTX hardly knows it.
 *
 * <p>The work is bounded, for each kernel and for all kernels that one object compares; beyond
 * that, every access is unclear. Confined to one thread.
 */
public final class KernelCheck {
  private static final PassedCases<Boolean> IS_POINTER =
      new PassedCases<>(
          value -> false, struct -> false, array -> true, table -> true, threadCount -> false);

  /** The roles of a parameter's parts that are no numbers, by their offsets. */
  private static final PassedCases<Map<Integer, ParameterRole>> ROLES =
      new PassedCases<>(
          value -> Map.of(),
          KernelCheck::roles,
          array -> Map.of(0, ParameterRole.BUFFER),
          table -> Map.of(0, ParameterRole.TABLE),
          threadCount -> Map.of());

  /** Which parameters may be floating-point numbers in the code. */
  private static final PassedCases<Boolean> FITS_FLOAT = fits(true);

  /** Which parameters may be integers in the code. */
  private static final PassedCases<Boolean> FITS_INTEGER = fits(false);

  /**
   * The most parameters of kernels with remembered analyses; further kernels are analysed each
   * time.
   */
  private static final int MAX_KNOWN = 1 << 16;

  /** The most kernels of which each of these is remembered. */
  private static final int MAX_REMEMBERED = 1 << 10;

  private final PtxModule module;
  private final ModuleAnalysis analysis;
  private final LaunchCheck launches;

  /** Remembered, because several interfaces declare the same kernels in the same way. */
  private final Map<Declared, KernelAccesses> known = new HashMap<>();

  private int knownParameters;

  /** The code of the last kernel, of which several analyses are made. */
  private @Nullable KernelFlow lastFlow;

  /** What the code shows of kernels, remembered for the same reason. */
  private final Map<KernelSignature, RaceReport> knownRaces = new HashMap<>();

  private final Map<KernelSignature, BoundsReport> knownBounds = new HashMap<>();
  private final Map<Analysed, String> knownAnalyses = new HashMap<>();

  private @Nullable VariableUses variableUses;
  private List<KernelSymbol> symbolsOfUses = List.of();

  /**
   * The inputs of a kernel's analysis.
   *
   * @param roles for each parameter, the roles of its parts that are no numbers, by their offsets
   */
  private record Declared(String entry, List<Map<Integer, ParameterRole>> roles) {}

  /** The inputs of {@link #analysis}. */
  private record Analysed(KernelSignature declared, List<KernelSymbol> symbols) {}

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
    this.launches = new LaunchCheck(module, analysis, budget);
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
    KernelAccesses accesses =
        accesses(entry, parameters.stream().map(p -> p.match(ROLES)).toList());
    for (int i = 0; i < parameters.size(); i++) {
      int index = i;
      KernelParameter.Passed parameter = parameters.get(i);
      compare(entry.name(), i, parameter, entry.parameters().get(i))
          .ifPresentOrElse(
              mismatches::add,
              () -> new AccessCheck(index, accesses, mismatches).compare(parameter));
    }
    if (mismatches.stream().noneMatch(KernelCheck::isOfType)) {
      List<Mismatch> records = new ArrayList<>();
      for (int i = 0; i < parameters.size(); i++) {
        if (parameters.get(i) instanceof KernelParameter.Struct struct) {
          StructCheck.compare(flow(entry), i, struct).ifPresent(records::add);
        }
      }
      records.addAll(RecordCheck.compare(declared, () -> flow(entry)));
      // What has an error, or accesses that are not known, gets no second message.
      records.stream()
          .filter(
              record ->
                  mismatches.stream()
                      .filter(known -> known.kind().isUnclear() || !known.isWarning())
                      .noneMatch(record::isAbout))
          .toList()
          .forEach(mismatches::add);
      for (AccessChoice choice : accesses.choices()) {
        ChoiceCheck.compare(choice, accesses, parameters)
            .filter(mismatch -> mismatches.stream().noneMatch(mismatch::repeats))
            .ifPresent(
                mismatch -> {
                  mismatches.removeIf(mismatch::explains);
                  mismatches.add(mismatch);
                });
      }
    }
    Optional<Mismatch> blocks = compareBlocks(declared, entry);
    blocks.ifPresent(mismatches::add);
    mismatches.addAll(
        launches.compare(declared, entry, blocks.isPresent() ? Optional.empty() : block(declared)));
    if (declared.requiresBounds() && mismatches.stream().allMatch(Mismatch::isWarning)) {
      mismatches.addAll(bounds(entry, declared).unproved());
    }
    return withoutRepetitions(mismatches);
  }

  /**
   * Says what a kernel's code shows of the elements that it touches.
   *
   * @param declared a declaration that agrees with the code
   * @return one clause per array; empty if there is no such entry
   */
  public List<String> bounds(KernelSignature declared) {
    return agreeing(declared).map(entry -> bounds(entry, declared).inWords()).orElse(List.of());
  }

  /**
   * Says what launches of a kernel need to know about its code, see {@link KernelFacts}.
   *
   * @param declared a declaration that agrees with the code
   * @param symbols the variables that the interface declares
   * @return the text for {@link KernelSignature#analysed}; empty if there is no such entry, or if
   *     launches have to read the code itself
   */
  public String analysis(KernelSignature declared, List<KernelSymbol> symbols) {
    return remembered(
        knownAnalyses,
        new Analysed(declared, List.copyOf(symbols)),
        () ->
            agreeing(declared)
                .flatMap(entry -> facts(entry, declared, symbols).text(declared))
                .orElse(""));
  }

  /**
   * What it takes to compute which elements a launch of a kernel touches.
   *
   * @param declared a declaration that agrees with the code
   * @return empty if there is no such entry
   */
  public Optional<LaunchBounds> launches(KernelSignature declared) {
    return agreeing(declared)
        .map(
            entry ->
                declared.requiresBounds()
                    ? whole(entry, declared)
                    : bounds(entry, declared).launches());
  }

  private KernelFacts facts(PtxEntry entry, KernelSignature declared, List<KernelSymbol> symbols) {
    Map<String, VariableUse> uses = new HashMap<>();
    if (!symbols.isEmpty()) {
      if (variableUses == null || !symbols.equals(symbolsOfUses)) {
        Set<String> names = symbols.stream().map(KernelSymbol::name).collect(Collectors.toSet());
        // A budget of its own: what is compared does not depend on which launchers are written.
        variableUses = new VariableUses(module, names, new AnalysisBudget());
        symbolsOfUses = symbols;
      }
      VariableUses found = variableUses;
      symbols.forEach(symbol -> uses.put(symbol.name(), found.of(entry.name(), symbol.name())));
    }
    return new KernelFacts(
        entry.blockLimit().filter(BlockLimit::exact).orElse(null),
        uses,
        () -> bounds(entry, declared).launches());
  }

  private Optional<PtxEntry> agreeing(KernelSignature declared) {
    return module
        .entry(declared.entry())
        .filter(entry -> entry.parameters().size() == declared.passed().size());
  }

  /**
   * Says what a kernel's code shows of conflicts between the threads of one launch.
   *
   * @param declared a declaration that agrees with the code
   * @return empty if there is no such entry
   */
  public Optional<RaceReport> races(KernelSignature declared) {
    return agreeing(declared)
        .map(
            entry ->
                remembered(
                    knownRaces,
                    declared,
                    () -> {
                      KernelFlow flow = flow(entry);
                      RaceReport races = new RaceReport(flow, declared, block(declared));
                      // The next question is about them, and the code is prepared now.
                      bounds(entry, declared);
                      return races;
                    }));
  }

  private static <K, V> V remembered(Map<K, V> known, K key, Supplier<V> analysis) {
    V found = known.get(key);
    if (found == null) {
      found = analysis.get();
      if (known.size() == MAX_REMEMBERED) {
        known.clear();
      }
      known.put(key, found);
    }
    return found;
  }

  /** With the limits of arrays, which launches compare only where the proof is required. */
  private LaunchBounds whole(PtxEntry entry, KernelSignature declared) {
    DeclaredArrays arrays = DeclaredArrays.of(declared);
    return KernelBounds.of(flow(entry), arrays.places(), arrays.tables(), arrays.limits())
        .launches();
  }

  private BoundsReport bounds(PtxEntry entry, KernelSignature declared) {
    return remembered(knownBounds, declared, () -> new BoundsReport(flow(entry), declared));
  }

  private KernelFlow flow(PtxEntry entry) {
    KernelFlow last = lastFlow;
    if (last == null || !last.entry().name().equals(entry.name())) {
      last = new KernelFlow(module, entry, analysis::flow);
      lastFlow = last;
    }
    return last;
  }

  private static boolean isOfType(Mismatch mismatch) {
    return mismatch.kind() == Difference.PARAMETER_SIZE
        || mismatch.kind() == Difference.PARAMETER_KIND;
  }

  /** Returns the differences with only the first of those that have the same unclear cause. */
  private static List<Mismatch> withoutRepetitions(List<Mismatch> mismatches) {
    List<Mismatch> kept = new ArrayList<>();
    for (Mismatch mismatch : mismatches) {
      if (kept.stream().noneMatch(mismatch::hasCauseOf)) {
        kept.add(mismatch);
      }
    }
    return List.copyOf(kept);
  }

  /** Returns the module. */
  public PtxModule module() {
    return module;
  }

  /** Returns whether the code was compiled for debugging, which leaves more accesses unclear. */
  public boolean isDebug() {
    return module.isDebug();
  }

  /** Returns the first difference between a variable and its declaration, if there is any. */
  public Optional<SymbolMismatch> compare(KernelSymbol declared) {
    return SymbolCheck.compare(module, declared);
  }

  private Optional<Mismatch> compareBlocks(KernelSignature declared, PtxEntry entry) {
    Optional<BlockLimit> limit = entry.blockLimit();
    boolean isFixed = limit.filter(BlockLimit::exact).isPresent();
    if (declared.hasAutomaticBlockSize()) {
      return isFixed
          ? limit.filter(fixed -> !fixed.allows(fixed.x(), 1, 1)).map(KernelCheck::ofBlocks)
          : BlockSizeDependence.of(analysis, entry)
              .map(site -> Mismatch.ofEntryAt(site, Difference.ONE_BLOCK_SIZE));
    }
    return block(declared)
        .flatMap(
            block ->
                limit
                    .filter(known -> !known.allows(block.x(), block.y(), block.z()))
                    .map(KernelCheck::ofBlocks));
  }

  /** The block of every launch, if the declaration has one. */
  private static Optional<BlockShape> block(KernelSignature declared) {
    return declared.requiredBlock().isEmpty() && declared.blockSize() > 0
        ? Optional.of(new BlockShape(declared.blockSize(), 1, 1))
        : declared.requiredBlock();
  }

  private static Mismatch ofBlocks(BlockLimit allowed) {
    return Mismatch.ofEntry(Difference.BLOCK_SIZE, allowed);
  }

  /**
   * Returns an entry's accesses to the memory behind its parameters, given only the parameters'
   * types.
   *
   * @param passing how the entry receives each of its parameters
   * @return the accesses that are safe to declare, in the same order: memory that may be read and
   *     is certainly not written counts as read; empty if there is no such entry, or it takes
   *     another number of parameters
   */
  public List<ParameterAccess.Verdict> verdicts(String entry, List<Passing> passing) {
    Optional<PtxEntry> found = module.entry(entry);
    if (found.isEmpty() || found.get().parameters().size() != passing.size()) {
      return List.of();
    }
    KernelAccesses accesses =
        accesses(found.get(), passing.stream().map(KernelCheck::roles).toList());
    return IntStream.range(0, passing.size())
        .mapToObj(
            i -> passing.get(i) == Passing.TABLE ? accesses.contents(i, 0) : accesses.parameter(i))
        .map(KernelCheck::safeToDeclare)
        .toList();
  }

  private static Map<Integer, ParameterRole> roles(Passing passing) {
    return switch (passing) {
      case BY_VALUE -> Map.of();
      case ARRAY -> Map.of(0, ParameterRole.BUFFER);
      case TABLE -> Map.of(0, ParameterRole.TABLE);
    };
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

  /** Returns how many parameters each of the module's kernels takes. */
  public Map<String, Integer> parameterCounts() {
    Map<String, Integer> counts = new HashMap<>();
    module.entries().forEach(entry -> counts.put(entry.name(), entry.parameters().size()));
    return counts;
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

  /** Returns the accesses of a kernel; remembered results cost no work. */
  private KernelAccesses accesses(PtxEntry entry, List<Map<Integer, ParameterRole>> roles) {
    Declared declared = new Declared(entry.name(), List.copyOf(roles));
    KernelAccesses found = known.get(declared);
    if (found == null) {
      found =
          KernelAccesses.of(
              analysis,
              entry,
              (parameter, offset) ->
                  roles.get(parameter).getOrDefault(offset, ParameterRole.NUMBER));
      if (knownParameters + roles.size() <= MAX_KNOWN) {
        knownParameters += roles.size();
        known.put(declared, found);
      }
    }
    return found;
  }

  private static Map<Integer, ParameterRole> roles(KernelParameter.Struct struct) {
    StructLayout layout = struct.layout();
    Map<Integer, ParameterRole> roles = new HashMap<>();
    for (int i = 0; i < struct.fields().size(); i++) {
      ParameterRole role = struct.fields().get(i).match(ROLES).get(0);
      if (role != null) {
        roles.put(layout.offset(i), role);
      }
    }
    return Map.copyOf(roles);
  }

  private static Optional<Mismatch> compare(
      String entry, int index, KernelParameter.Passed declared, PtxParameter actual) {
    int size = actual.sizeInBytes();
    if (declared.sizeInBytes() != size) {
      return Optional.of(Mismatch.ofSize(entry, index, size));
    }
    return differsInKind(declared, actual.kind())
        ? Optional.of(
            Mismatch.of(
                index,
                Difference.PARAMETER_KIND,
                MangledParameters.inWords(entry, index, size)
                    .orElseGet(() -> inWords(actual.kind()))))
        : Optional.empty();
  }

  /** Tells whether two kinds of parameters differ; untyped bits fit any kind. */
  private static boolean differsInKind(
      KernelParameter.Passed declared, PtxParameter.ParameterKind actual) {
    return switch (actual) {
      case POINTER -> !isPointer(declared);
      case OFFSET -> isPointer(declared);
      case FLOAT -> !declared.match(FITS_FLOAT);
      case INTEGER -> !declared.match(FITS_INTEGER);
      default -> false;
    };
  }

  private static boolean isPointer(KernelParameter.Passed declared) {
    return declared.match(IS_POINTER);
  }

  private static PassedCases<Boolean> fits(boolean floatingPoint) {
    return new PassedCases<>(
        value -> value.type().isFloatingPoint() == floatingPoint,
        // A structure of one number is laid out like the number.
        struct -> struct.fields().size() == 1,
        array -> !floatingPoint,
        table -> !floatingPoint,
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
}
