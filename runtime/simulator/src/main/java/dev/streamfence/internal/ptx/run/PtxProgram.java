package dev.streamfence.internal.ptx.run;

import dev.streamfence.internal.ptx.run.machine.Code;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.syntax.Layout;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.Variable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A module in executable form. Immutable and thread-safe. */
public final class PtxProgram {
  private final PtxModule module;
  private final Map<String, Code> codes;
  private final List<Variable> globals;
  private final Map<Integer, Integer> globalIndexes = new HashMap<>();
  private final List<Variable> constants;
  private final Layout constantLayout;
  private final List<PtxVariable> described;
  private final List<PtxVariable> describedConstants;

  PtxProgram(ProgramTranslator translated, PtxModule module) {
    this.module = module;
    this.codes = Map.copyOf(translated.codes());
    this.globals = List.copyOf(translated.globals());
    this.constants = List.copyOf(translated.constants());
    this.constantLayout = translated.constantLayout();
    for (Variable variable : globals) {
      globalIndexes.put(variable.id(), globalIndexes.size());
    }
    Set<Integer> ofModule =
        module.deviceVariables().stream().map(Variable::id).collect(Collectors.toSet());
    this.described = globals.stream().map(each -> describe(each, ofModule)).toList();
    this.describedConstants = constants.stream().map(each -> describe(each, ofModule)).toList();
  }

  private static PtxVariable describe(Variable variable, Set<Integer> ofModule) {
    return new PtxVariable(
        variable.name(),
        variable.sizeInBytes(),
        variable.alignment(),
        !variable.initializers().isEmpty(),
        ofModule.contains(variable.id()));
  }

  /**
   * Translates a module. An instruction or operand that cannot run makes the entries that can come
   * to it {@linkplain #refusal refuse} to run.
   *
   * @param module what to run
   * @return its executable form
   * @throws PtxException if its address size cannot be run, or it needs more memory than any device
   *     has
   */
  public static PtxProgram translate(PtxModule module) {
    return new ProgramTranslator(module).translate();
  }

  /**
   * Returns why an entry cannot run.
   *
   * @param entry the entry's name
   * @return the first of its instructions that cannot run, with its line, or the first of a
   *     function that it calls; null if the entry can run
   */
  public @Nullable PtxException refusal(String entry) {
    return code(entry).refusal;
  }

  Code code(String entry) {
    Code code = codes.get(entry);
    if (code == null) {
      throw new IllegalArgumentException("entry '" + entry + "' has no body");
    }
    return code;
  }

  /**
   * Returns the module's variables in global memory; an instance needs an address for each.
   *
   * @return the variables in the order of the text; unmodifiable
   */
  public List<PtxVariable> globals() {
    return described;
  }

  /**
   * Loads the program: writes the initial values of its global variables, zeros by default.
   * Synchronous.
   *
   * @param memory where the variables live
   * @param addressesOfGlobals one address per {@linkplain #globals variable}, aligned as it asks
   * @return an instance that can run the module's entries
   * @throws IllegalArgumentException if an address is missing or not aligned
   */
  public PtxInstance instantiate(GlobalMemory memory, long[] addressesOfGlobals) {
    return new PtxInstance(
        this, memory, checked(addressesOfGlobals, globals, "global"), new long[0]);
  }

  /**
   * Loads the program like {@link #instantiate(GlobalMemory, long[])}, with its constants in global
   * memory too, where the host can change them.
   *
   * @param addressesOfConstants one address per {@linkplain #constants constant}, aligned as it
   *     asks
   * @throws IllegalArgumentException if an address is missing or not aligned
   */
  public PtxInstance instantiate(
      GlobalMemory memory, long[] addressesOfGlobals, long[] addressesOfConstants) {
    return new PtxInstance(
        this,
        memory,
        checked(addressesOfGlobals, globals, "global"),
        checked(addressesOfConstants, constants, "constant"));
  }

  private static long[] checked(long[] given, List<Variable> variables, String kind) {
    if (given.length != variables.size()) {
      throw new IllegalArgumentException(
          given.length + " addresses for " + variables.size() + " " + kind + " variables");
    }
    long[] addresses = given.clone();
    for (int i = 0; i < addresses.length; i++) {
      Variable variable = variables.get(i);
      if ((addresses[i] & (variable.alignment() - 1)) != 0) {
        throw new IllegalArgumentException(
            String.format(
                "address 0x%x of '%s' is not a multiple of %d",
                addresses[i], variable.name(), variable.alignment()));
      }
    }
    return addresses;
  }

  PtxModule module() {
    return module;
  }

  Map<String, Code> codes() {
    return codes;
  }

  List<Variable> globalVariables() {
    return globals;
  }

  /**
   * Returns the module's variables in constant memory.
   *
   * @return the variables in the order of the text; unmodifiable
   */
  public List<PtxVariable> constants() {
    return describedConstants;
  }

  List<Variable> constantVariables() {
    return constants;
  }

  Layout constantLayout() {
    return constantLayout;
  }

  int globalIndex(Variable variable) {
    return globalIndexes.getOrDefault(variable.id(), -1);
  }
}
