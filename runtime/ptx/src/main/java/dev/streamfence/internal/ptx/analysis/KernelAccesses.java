package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.lattice.Origin;
import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The accesses of a kernel, and of all functions that it calls, to the memory behind each of its
 * parameters. Immutable.
 *
 * <p>The analysis does not run the kernel, and errs on one side only: an access that is reported
 * neither as definite nor as possible does not happen. This has four limits. A pointer that the
 * kernel loads from the memory behind a parameter that is no table belongs to no parameter:
 * accesses through it are reported apart, with the parameter ({@link
 * ParameterAccess#readThroughContent}), although it may lead to the same memory; accesses through a
 * pointer in a global variable are not reported. Two parameters may hold the same address. An index
 * may lead out of a buffer. The code may build an address from constants by comparing bits of
 * another one.
 *
 * <p>The work is bounded by {@link CodeLimits}: if a kernel takes more than ten million steps, or
 * more than 32 KiB of parameters, every parameter is unknown. Beyond {@link
 * CodeLimits#VARIABLE_OFFSETS} pieces of eight bytes, the pieces of one structure are not told
 * apart; beyond {@link CodeLimits#ORIGINS} more, the kernel is unknown.
 */
public final class KernelAccesses {
  private final PtxEntry entry;
  private final EntryParameters pieces;
  private final List<ParameterAccess> accesses;

  private final List<AccessChoice> choices;

  /** See {@link AccessLedger#loadedFrom}. */
  private final Set<Integer> loadedFrom;

  /** See {@link AccessLedger#handedOut}. */
  private final Set<Integer> handedOut;

  private final @Nullable AccessSite storedElsewhere;
  private final @Nullable AccessSite loadedThroughNumbers;
  private final @Nullable AccessSite storedThroughNumbers;

  private KernelAccesses(PtxEntry entry, EntryParameters pieces, AccessLedger ledger) {
    this.entry = entry;
    this.pieces = pieces;
    this.accesses = ledger.accesses();
    this.choices = List.copyOf(ledger.choices());
    this.loadedFrom = ledger.loadedFrom();
    this.handedOut = ledger.handedOut();
    this.storedElsewhere = ledger.storedElsewhere();
    this.loadedThroughNumbers = ledger.loadedThroughNumbers();
    this.storedThroughNumbers = ledger.storedThroughNumbers();
  }

  /**
   * Analyses a kernel without declared roles.
   *
   * @param module the module
   * @param entry one of its entries
   * @return its accesses
   */
  public static KernelAccesses of(PtxModule module, PtxEntry entry) {
    return of(module, entry, ParameterRoles.UNDECLARED);
  }

  /**
   * Analyses a kernel. Throws nothing for any module.
   *
   * @param module the module
   * @param entry one of its entries
   * @param roles the declared roles of its parameters
   * @return its accesses
   */
  public static KernelAccesses of(PtxModule module, PtxEntry entry, ParameterRoles roles) {
    return of(new ModuleAnalysis(module), entry, roles);
  }

  public static KernelAccesses of(ModuleAnalysis shared, PtxEntry entry, ParameterRoles roles) {
    return of(shared, entry, roles, List.of());
  }

  /** Analyses a kernel, with its accesses to these variables of the module. */
  static KernelAccesses of(
      ModuleAnalysis shared, PtxEntry entry, ParameterRoles roles, List<String> variables) {
    PtxModule module = shared.module();
    EntryParameters pieces = new EntryParameters(entry, module.addressSize() / 8, roles, variables);
    GridWorkspace workspace = new GridWorkspace(shared, entry.function());
    AccessLedger ledger = new AccessLedger(module, workspace, pieces);
    if (pieces.isTooMany()) {
      ledger.giveUp(entry.function(), "the parameters are too large to analyse");
    } else {
      new AccessAnalysis(shared, ledger).run(entry.function(), pieces);
    }
    return new KernelAccesses(entry, pieces, ledger);
  }

  /**
   * Returns the access to the memory behind a parameter; for a structure, behind all its fields.
   *
   * @param index counted from 0
   * @return the access
   */
  public ParameterAccess parameter(int index) {
    Objects.checkIndex(index, entry.parameters().size());
    ParameterAccess all = ParameterAccess.UNTOUCHED;
    for (int piece : pieces.of(index).values()) {
      all = all.and(accesses.get(piece));
    }
    return all;
  }

  /**
   * Returns the access to the memory behind one field of a structure.
   *
   * @param index the index of the structure, counted from 0
   * @param offset the offset of any byte of the field
   * @return the access
   */
  public ParameterAccess parameter(int index, int offset) {
    Objects.checkIndex(index, entry.parameters().size());
    Objects.checkIndex(offset, entry.parameters().get(index).sizeInBytes());
    NavigableMap<Long, Integer> ofParameter = pieces.of(index);
    Map.Entry<Long, Integer> piece = ofParameter.floorEntry((long) offset);
    return piece == null ? ParameterAccess.UNTOUCHED : accesses.get(piece.getValue());
  }

  /**
   * Returns the access through the addresses in a table, to whatever memory they lead.
   *
   * @param index the index of the parameter that has the role {@link
   *     dev.streamfence.internal.ptx.analysis.lattice.ParameterRole#TABLE}, counted from 0
   * @param offset the offset of the field with this role; 0 unless the parameter is a structure
   * @return the access
   */
  public ParameterAccess contents(int index, int offset) {
    Objects.checkIndex(index, entry.parameters().size());
    Map.Entry<Long, Integer> piece = pieces.of(index).floorEntry((long) offset);
    int found = piece == null ? -1 : pieces.contents(piece.getValue());
    return found < 0 ? ParameterAccess.UNTOUCHED : accesses.get(found);
  }

  /**
   * Returns the accesses through one of several parameters, of which each is only possible for one
   * parameter, but certain for all together.
   */
  public List<AccessChoice> choices() {
    return choices;
  }

  /**
   * Returns the first store through an address of unknown origin: the kernel may have put it
   * together from the bits of any parameter's.
   */
  public Optional<AccessSite> storedElsewhere() {
    return Optional.ofNullable(storedElsewhere);
  }

  /**
   * Returns the first load through an address that the code computed from numbers alone, which may
   * be the bits of any parameter.
   */
  public Optional<AccessSite> loadedThroughNumbers() {
    return Optional.ofNullable(loadedThroughNumbers);
  }

  /** Returns the first store through such an address, or else the first load. */
  public Optional<AccessSite> accessedThroughNumbers() {
    return Optional.ofNullable(storedThroughNumbers).or(this::loadedThroughNumbers);
  }

  /** Returns the access to an analysed variable, other than through an address in memory. */
  ParameterAccess variable(String name) {
    return accesses.get(index(name));
  }

  /** Returns whether other code may have the address of an analysed variable from this kernel. */
  boolean handsOut(String variable) {
    return handedOut.contains(index(variable));
  }

  private int index(String variable) {
    return Origin.index(Objects.requireNonNull(pieces.variable(variable), variable));
  }

  /** Returns whether the kernel may load an address from a table, see {@link #contents}. */
  public boolean takesAddresses(int index, int offset) {
    Map.Entry<Long, Integer> piece = pieces.of(index).floorEntry((long) offset);
    return piece != null
        && (loadedFrom.contains(piece.getValue())
            || loadedFrom.contains(pieces.contents(piece.getValue())));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(entry.name());
    for (int i = 0; i < entry.parameters().size(); i++) {
      text.append(i == 0 ? "(" : ", ").append(parameter(i).verdict());
    }
    return text.append(entry.parameters().isEmpty() ? "()" : ")").toString();
  }
}
