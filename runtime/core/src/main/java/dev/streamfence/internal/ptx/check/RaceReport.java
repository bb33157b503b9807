package dev.streamfence.internal.ptx.check;

import dev.streamfence.internal.ptx.analysis.AccessSite;
import dev.streamfence.internal.ptx.check.Mismatch.Difference;
import dev.streamfence.internal.ptx.check.Mismatch.Subject;
import dev.streamfence.internal.ptx.races.KernelRaces;
import dev.streamfence.internal.ptx.races.KernelRaces.Conflict;
import dev.streamfence.internal.ptx.races.KernelRaces.Restriction;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.races.LaunchSpace;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.symbolic.NumberLimits;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.MangledName;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.SourcePosition;
import dev.streamfence.internal.ptx.syntax.Variable;
import dev.streamfence.launch.BlockShape;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a kernel's code shows of conflicts between the threads of one launch. Immutable. */
public final class RaceReport {
  private static final String OWN_ELEMENTS = "give each thread elements of its own";

  private final PtxModule module;
  private final PtxEntry entry;
  private final DeclaredArrays declared;
  private final KernelRaces races;

  /** The arrays of whose numbers the proof needs what is declared. */
  private final Set<Integer> conditions;

  /**
   * Analyses a kernel.
   *
   * @param block the block of every launch, if the declaration and the code agree on one
   */
  RaceReport(KernelFlow kernel, KernelSignature signature, Optional<BlockShape> block) {
    this.module = kernel.module();
    this.entry = kernel.entry();
    this.declared = DeclaredArrays.of(signature);
    LaunchSpace space = space(entry, signature, block);
    this.races = races(kernel, declared.distinct(), declared.limits(), space);
    this.conditions = races.verdict() == Verdict.PROVED ? conditions(kernel, space) : Set.of();
  }

  /**
   * The arrays of whose numbers a proof needs what is declared: all, unless those that it cannot do
   * without are enough.
   */
  private Set<Integer> conditions(KernelFlow kernel, LaunchSpace space) {
    Set<Integer> all = new TreeSet<>(declared.distinct().keySet());
    all.addAll(declared.limits().keySet());
    if (all.isEmpty() || isProved(races(kernel, Map.of(), Map.of(), space))) {
      return Set.of();
    }
    Set<Integer> needed = new TreeSet<>(all);
    needed.removeIf(
        array ->
            isProved(
                races(
                    kernel,
                    DeclaredArrays.without(array, declared.distinct()),
                    DeclaredArrays.without(array, declared.limits()),
                    space)));
    KernelRaces withNeeded =
        races(
            kernel,
            DeclaredArrays.only(needed, declared.distinct()),
            DeclaredArrays.only(needed, declared.limits()),
            space);
    return isProved(withNeeded) ? needed : all;
  }

  private boolean isProved(KernelRaces others) {
    return others.verdict() == Verdict.PROVED && others.restrictions().equals(races.restrictions());
  }

  private KernelRaces races(
      KernelFlow kernel,
      Map<Integer, Integer> distinct,
      Map<Integer, NumberLimits> limits,
      LaunchSpace space) {
    return KernelRaces.of(kernel, declared.places(), declared.tables(), distinct, limits, space);
  }

  private static LaunchSpace space(
      PtxEntry entry, KernelSignature signature, Optional<BlockShape> block) {
    boolean isOneDimensional =
        signature.parameters().stream().anyMatch(KernelParameter.Threads.class::isInstance);
    Optional<BlockShape> fixed =
        block.or(
            () ->
                entry
                    .blockLimit()
                    .filter(BlockLimit::exact)
                    .map(limit -> new BlockShape(limit.x(), limit.y(), limit.z())));
    return new LaunchSpace(
        fixed.map(BlockShape::x).orElse(0),
        fixed.map(BlockShape::y).orElse(0),
        fixed.map(BlockShape::z).orElse(0),
        isOneDimensional,
        signature.allowsAliases());
  }

  /** One clause that says what the code shows. */
  public String inWords() {
    return switch (races.verdict()) {
      case PROVED ->
          "no two threads of a launch conflict"
              + (races.restrictions().isEmpty()
                  ? ""
                  : " with " + inWords(races.restrictions().stream()))
              + declared.condition(conditions);
      case CERTAIN -> "threads of ordinary launches conflict" + where();
      case DATA -> "threads conflict if " + equalNumbers() + where();
      case UNKNOWN -> "unknown: " + races.reason() + where();
    };
  }

  private static String inWords(Stream<Restriction> restrictions) {
    return restrictions
        .map(each -> each.size() + (each.most() == 1 ? " = 1" : " at most " + each.most()))
        .collect(Collectors.joining(" and "));
  }

  private String equalNumbers() {
    return races.numbers().stream()
        .map(array -> "'" + declared.name(array) + "'")
        .collect(Collectors.joining(" and ", "numbers in ", " are equal"));
  }

  private String where() {
    return races.conflict().map(conflict -> " (" + name(conflict) + ")").orElse("");
  }

  private String name(Conflict conflict) {
    Variable variable = conflict.variable();
    String name =
        variable == null ? declared.name(conflict.array()) : MangledName.variable(variable.name());
    return "'" + name + "'";
  }

  /**
   * The difference if threads conflict in memory that is not trusted, for certain or if numbers
   * that they load are equal.
   */
  public Optional<Mismatch> shown() {
    return races
        .conflict()
        .filter(conflict -> races.verdict() != Verdict.UNKNOWN)
        .filter(conflict -> conflict.variable() != null || !declared.isTrusted(conflict.array()))
        .map(
            conflict ->
                mismatch(
                    conflict,
                    races.verdict() == Verdict.DATA
                        ? Difference.DATA_DEPENDENT_RACE
                        : Difference.RACE,
                    ""));
  }

  /**
   * The difference unless it is proved that no threads conflict, in all blocks that the code may be
   * meant for.
   */
  public Optional<Mismatch> unproved() {
    if (races.verdict() == Verdict.PROVED) {
      String small =
          inWords(
              races.restrictions().stream().filter(each -> each.isRead() && !isKept(each.most())));
      return small.isEmpty()
          ? Optional.empty()
          : Optional.of(
              Mismatch.ofEntry(
                  Difference.UNPROVED_RACES,
                  " except in launches with "
                      + small
                      + ", which no requiredBlock declares; declare one"));
    }
    return Optional.of(
        races
            .conflict()
            .map(conflict -> mismatch(conflict, Difference.UNPROVED_RACES, "; " + remedy()))
            .orElseGet(
                () ->
                    Mismatch.ofEntry(
                        Difference.UNPROVED_RACES, ": " + races.reason() + "; " + remedy())));
  }

  /** Whether the code allows no blocks of more threads. */
  private boolean isKept(int mostThreads) {
    return entry.blockLimit().map(BlockLimit::threads).orElse(Integer.MAX_VALUE) <= mostThreads;
  }

  /** What makes a proof possible. */
  private String remedy() {
    return switch (races.verdict()) {
      case CERTAIN -> "order them by a barrier or an atomic operation";
      case DATA ->
          declared.distinct().keySet().containsAll(races.numbers())
              ? OWN_ELEMENTS
              : "declare what is known of the numbers, as @Reads(distinct = true) or"
                  + " @Reads(below = ...)";
      default ->
          switch (races.reason()) {
            case KernelRaces.MAY_OVERLAP -> "remove mayAlias = true";
            case KernelRaces.SAME_INDEX -> OWN_ELEMENTS;
            default -> "let the code show which elements each thread has";
          };
    };
  }

  private Mismatch mismatch(Conflict conflict, Difference kind, String addition) {
    AccessSite site = AccessSite.of(module, entry.name(), conflict.first(), "");
    String what =
        switch (races.verdict()) {
          case CERTAIN ->
              ": two threads of one launch access the same bytes of "
                  + name(conflict)
                  + " without an order, whatever the data are";
          case DATA ->
              ": two threads access the same bytes of " + name(conflict) + " if " + equalNumbers();
          default -> ": " + races.reason() + ", in " + name(conflict);
        };
    boolean isSame = conflict.first().equals(conflict.second());
    String other =
        isSame
            ? ""
            : ", and "
                + conflict.second().mnemonic()
                + " in line "
                + conflict.second().line()
                + module
                    .position(conflict.second().source())
                    .map(SourcePosition::inFile)
                    .map(place -> ", " + place)
                    .orElse("");
    Subject subject =
        conflict.variable() == null
            ? new Subject(
                declared.places().get(conflict.array()).parameter(),
                declared.name(conflict.array()),
                "")
            : null;
    String both = isSame ? "; both make the same access" : "";
    return Mismatch.ofRace(site, subject, kind, what + both, other + addition);
  }
}
