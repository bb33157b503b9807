// Long because one pass records all kinds of access, each with its first site.
package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.internal.ptx.analysis.ParameterAccess.Use;
import dev.streamfence.internal.ptx.analysis.lattice.AddressJudge;
import dev.streamfence.internal.ptx.analysis.lattice.Derivation;
import dev.streamfence.internal.ptx.analysis.lattice.Multiple;
import dev.streamfence.internal.ptx.analysis.lattice.Origin;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.analysis.lattice.Provenance;
import dev.streamfence.internal.ptx.ir.FunctionFlow;
import dev.streamfence.internal.ptx.ir.WordUses;
import dev.streamfence.internal.ptx.syntax.Operand;
import dev.streamfence.internal.ptx.syntax.PtxFunction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records the first site of each kind of access for every parameter. Records nothing until it is
 * opened: before the fixpoint, an access may look definite only because other origins have not
 * arrived yet.
 */
final class AccessLedger {
  private final PtxModule module;
  private final GridWorkspace workspace;
  private final EntryParameters parameters;
  private final Entry[] entries;
  private final Map<FunctionFlow, ThreadStrides> strides = new HashMap<>();

  /** The tables from which whole addresses are loaded, and the contents that are used as such. */
  private final Set<Integer> loadedFrom = new HashSet<>();

  private final AccessChoices choices;

  /** The indexes of the parameters from whose memory the code loads. */
  private final Set<Integer> sources = new HashSet<>();

  /** The uses of addresses that were in the memory behind one of several parameters. */
  private final Entry ofSeveral = new Entry();

  /** The indexes of the addresses that other code may have from here. */
  private final Set<Integer> handedOut = new HashSet<>();

  /** The first store through an address that comes from no parameter and no variable. */
  private @Nullable AccessSite storedElsewhere;

  /** The first load through such an address that the code may have computed from any bits. */
  private @Nullable AccessSite loadedThroughNumbers;

  /** The first store through one. */
  private @Nullable AccessSite storedThroughNumbers;

  /**
   * Whether code follows an address that it does not have from a parameter: then, a number that was
   * stored may be that address.
   */
  private boolean followsUnknown;

  private boolean open;

  private static final class Entry {
    final Map<Use, AccessSite> sites = new EnumMap<>(Use.class);

    /** Where other code may get a number that is as wide as an address. */
    @Nullable AccessSite passedOn;

    /** Whether a load takes whole addresses from there, or vectors. */
    boolean mayHoldAddresses;

    final AccessedWords.WordCollector words = new AccessedWords.WordCollector();

    void note(Use use, AccessSite site) {
      sites.merge(use, site, AccessSite::first);
    }

    /** Notes a use that reads, a use that writes, or both. */
    void note(boolean reads, Use reading, boolean writes, Use writing, AccessSite site) {
      if (reads) {
        note(reading, site);
      }
      if (writes) {
        note(writing, site);
      }
    }

    boolean isNews(Use use, Step step) {
      AccessSite known = sites.get(use);
      return known == null || step.instruction().line() < known.line();
    }
  }

  AccessLedger(PtxModule module, GridWorkspace workspace, EntryParameters parameters) {
    this.module = module;
    this.workspace = workspace;
    this.parameters = parameters;
    choices = new AccessChoices(parameters);
    entries = new Entry[parameters.size()];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = new Entry();
    }
  }

  void open() {
    open = true;
  }

  /** Returns the first store through an address of unknown origin. */
  @Nullable AccessSite storedElsewhere() {
    return storedElsewhere;
  }

  /** Returns the first load through an address that the code may have computed from numbers. */
  @Nullable AccessSite loadedThroughNumbers() {
    return loadedThroughNumbers;
  }

  /** Returns the first store through such an address. */
  @Nullable AccessSite storedThroughNumbers() {
    return storedThroughNumbers;
  }

  /**
   * Returns an address that an instruction finds in a table.
   *
   * @param isAddress whether it loads whole addresses, which is recorded
   */
  Provenance contentOf(int table, boolean isAddress) {
    if (open && isAddress) {
      loadedFrom.add(Origin.index(table));
    }
    int contents = parameters.contents(Origin.index(table));
    return Provenance.of(Derivation.of(Origin.parameter(contents, ParameterRole.BUFFER)));
  }

  /** Returns the indexes of the tables from which addresses are loaded, and of their contents. */
  Set<Integer> loadedFrom() {
    return Set.copyOf(loadedFrom);
  }

  /**
   * Records that an instruction accesses an address.
   *
   * @param width how many bytes a plain load or store of one word accesses; 0 for other accesses
   */
  void access(
      Step step, Operand operand, Provenance address, boolean reads, boolean writes, int width) {
    if (!open) {
      return;
    }
    if (address.hasNoOrigin()
        && !isLoadedFromArray(address)
        && !workspace.isAccess(step, operand)) {
      AccessSite site = site(step, "the origin of its address is unknown");
      boolean isThroughNumbers = address.mayBeComputed();
      storedElsewhere = writes ? earlier(storedElsewhere, site) : storedElsewhere;
      if (isThroughNumbers && writes) {
        storedThroughNumbers = earlier(storedThroughNumbers, site);
      }
      if (isThroughNumbers && reads) {
        loadedThroughNumbers = earlier(loadedThroughNumbers, site);
      }
    }
    if (address.isNumber()) {
      return;
    }
    AddressJudge judge = AddressJudge.of(address);
    judge.touched().stream()
        .map(Origin::index)
        .filter(parameters::isContents)
        .forEach(loadedFrom::add);
    if (reads && (width == 0 || width >= module.addressSize() / 8)) {
      judge.touched().forEach(origin -> entries[Origin.index(origin)].mayHoldAddresses = true);
    }
    follow(step, judge, reads, writes);
    mayBeAddresses(step, operand, judge);
    if (judge.isDefinite()) {
      Entry entry = entries[Origin.index(judge.touched().iterator().next())];
      AccessSite site = site(step, "");
      entry.note(reads, Use.READ, writes, Use.WRITE, site);
      int words = width > 0 ? width : WordUses.floatBytes(step.instruction());
      entry.words.add(site, step, words, width > 1 ? stride(step, operand) : Optional.empty());
    } else if (!judge.touched().isEmpty()) {
      if (judge.isChoice()) {
        Supplier<AccessSite> site = () -> unclearSite(step, operand, judge);
        choices.add(judge.touched(), step.instruction().line(), reads, writes, site);
      }
      boolean news =
          judge.touched().stream()
              .anyMatch(origin -> isNews(entries[Origin.index(origin)], step, reads, writes));
      if (news) {
        AccessSite site = unclearSite(step, operand, judge);
        judge.touched().forEach(origin -> possible(Origin.index(origin), site, reads, writes));
      }
    }
  }

  private static AccessSite earlier(@Nullable AccessSite known, AccessSite site) {
    return known == null ? site : AccessSite.first(known, site);
  }

  private static boolean isLoadedFromArray(Provenance address) {
    return AddressJudge.of(address).loaded().stream()
        .anyMatch(each -> each.hasSeveralSources() || each.source().isPresent());
  }

  /** Returns the accesses through one of several parameters. */
  List<AccessChoice> choices() {
    return choices.all();
  }

  /** Returns whether a possible access comes before all that are known. */
  private static boolean isNews(Entry entry, Step step, boolean reads, boolean writes) {
    return (reads && entry.isNews(Use.POSSIBLE_READ, step))
        || (writes && entry.isNews(Use.POSSIBLE_WRITE, step));
  }

  private AccessSite unclearSite(Step step, Operand operand, AddressJudge judge) {
    AccessSite site = site(step, judge.doubt(parameters::describe));
    return OutOfSight.find(step, operand).map(first -> site.because(site(first, ""))).orElse(site);
  }

  /** Records an access through addresses that were loaded from memory. */
  private void follow(Step step, AddressJudge judge, boolean reads, boolean writes) {
    if (judge.loaded().isEmpty()) {
      return;
    }
    followsUnknown = true;
    AccessSite site = site(step, "");
    for (Derivation address : judge.loaded()) {
      Entry entry = ofSeveral;
      if (!address.hasSeveralSources()) {
        entry = address.source().isPresent() ? entries[address.source().getAsInt()] : null;
      }
      if (entry != null) {
        entry.note(reads, Use.CONTENT_READ, writes, Use.CONTENT_WRITE, site);
      }
    }
  }

  /** Records that an instruction loads from the memory behind a parameter. */
  void addSource(int parameter) {
    if (open) {
      sources.add(parameter);
    }
  }

  /** Records that an instruction converts a value between state spaces: it is an address. */
  void convert(Step step, Operand operand, Provenance address) {
    if (!open || address.isNumber()) {
      return;
    }
    AddressJudge judge = AddressJudge.of(address);
    if (judge.isDefinite()) {
      entries[Origin.index(judge.touched().iterator().next())].note(Use.CONVERSION, site(step, ""));
    } else {
      mayBeAddresses(step, operand, judge);
    }
  }

  private void mayBeAddresses(Step step, Operand operand, AddressJudge judge) {
    Set<Integer> numbers = judge.isDefinite() ? judge.suspects() : judge.numbers();
    if (numbers.stream()
        .anyMatch(number -> entries[Origin.index(number)].isNews(Use.POSSIBLE_ADDRESS, step))) {
      AccessSite site = unclearSite(step, operand, judge);
      numbers.forEach(number -> entries[Origin.index(number)].note(Use.POSSIBLE_ADDRESS, site));
    }
  }

  /** Records that code runs that the module does not have. */
  void callUnknown() {
    followsUnknown |= open;
  }

  private Optional<Long> stride(Step step, Operand address) {
    return strides
        .computeIfAbsent(step.activation().flow(), ThreadStrides::of)
        .stride(step.index(), address);
  }

  /** Records that an instruction lets a value escape to an untracked place. */
  void handOut(Step step, Provenance value, String reason) {
    // Scaled values can be scaled down again, and parts can be put together.
    note(step, value, reason, multiple -> true, false, true);
    if (open) {
      for (Derivation alternative : value.alternatives()) {
        for (int i = 0; i < alternative.size(); i++) {
          int origin = alternative.origin(i);
          if (Origin.is(origin, ParameterRole.NUMBER)
              && !Origin.isNarrow(origin)
              && alternative.multiple(i) == Multiple.ONE) {
            Entry entry = entries[Origin.index(origin)];
            AccessSite site = site(step, reason);
            entry.passedOn = entry.passedOn == null ? site : AccessSite.first(entry.passedOn, site);
          }
        }
      }
    }
  }

  /** Returns the indexes of the addresses that other code may have from this kernel. */
  Set<Integer> handedOut() {
    return Set.copyOf(handedOut);
  }

  /** Returns the origin of the address of a variable; null if it is not analysed. */
  @Nullable Integer variable(String name) {
    return parameters.variable(name);
  }

  /** Returns whether loads from constant memory matter. */
  boolean hasVariables() {
    return parameters.hasVariables();
  }

  /** Records that an instruction has an unknown effect on the memory behind a value. */
  void unknown(Step step, Provenance value, String reason) {
    note(step, value, reason, multiple -> true, true, true);
  }

  /** Records that an instruction may read the memory that a value points to. */
  void mayRead(Step step, Provenance value, String reason) {
    note(step, value, reason, Multiple::mayBeAddress, false, false);
  }

  private void note(
      Step step,
      Provenance value,
      String reason,
      Predicate<Multiple> matters,
      boolean numbersToo,
      boolean writes) {
    if (!open || value.hasNoOrigin()) {
      return;
    }
    AccessSite site = site(step, reason);
    for (Derivation alternative : value.alternatives()) {
      for (int i = 0; i < alternative.size(); i++) {
        int origin = alternative.origin(i);
        if (!Origin.isObject(origin)
            && (numbersToo || !Origin.is(origin, ParameterRole.NUMBER))
            && matters.test(alternative.multiple(i))) {
          possible(Origin.index(origin), site, true, writes);
          if (writes) {
            handedOut.add(Origin.index(origin));
          }
          if (Origin.isTable(origin)) {
            // Unknown code that has the table has the addresses in it.
            possible(parameters.contents(Origin.index(origin)), site, true, writes);
          }
        }
      }
    }
  }

  /** Makes every parameter unknown. */
  void giveUp(PtxFunction function, String reason) {
    AccessSite site = new AccessSite(function.line(), function.name(), ".entry", reason, null);
    for (int i = 0; i < entries.length; i++) {
      handedOut.add(i);
    }
    choices.clear();
    for (Entry entry : entries) {
      entry.sites.remove(Use.READ);
      entry.sites.remove(Use.WRITE);
      entry.sites.put(Use.POSSIBLE_READ, site);
      entry.sites.put(Use.POSSIBLE_WRITE, site);
    }
  }

  private void possible(int index, AccessSite site, boolean reads, boolean writes) {
    entries[index].note(reads, Use.POSSIBLE_READ, writes, Use.POSSIBLE_WRITE, site);
  }

  private AccessSite site(Step step, String reason) {
    return AccessSite.of(
        module, step.activation().flow().function().name(), step.instruction(), reason);
  }

  /** Returns the accesses of each origin, in the order of their indexes. */
  List<ParameterAccess> accesses() {
    ParameterAccess[] accesses = new ParameterAccess[entries.length];
    for (int i = 0; i < accesses.length; i++) {
      Entry e = entries[i];
      if (sources.contains(i)) {
        ofSeveral.sites.forEach(e::note);
      }
      if (!e.mayHoldAddresses) {
        // Its numbers only lay in memory where addresses are, too.
        e.sites.remove(Use.CONTENT_READ);
        e.sites.remove(Use.CONTENT_WRITE);
      }
      if (followsUnknown && e.passedOn != null) {
        e.sites.putIfAbsent(Use.POSSIBLE_ADDRESS, e.passedOn);
      }
      accesses[i] = new ParameterAccess(e.sites, e.words.words());
    }
    return List.of(accesses);
  }
}
