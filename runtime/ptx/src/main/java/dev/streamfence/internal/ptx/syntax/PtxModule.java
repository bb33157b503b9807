package dev.streamfence.internal.ptx.syntax;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Parsed PTX text. Immutable. */
public final class PtxModule {
  /** {@code sm_90}: the last digit is the second number of the compute capability. */
  private static final Pattern ARCHITECTURE = Pattern.compile("sm_(\\d{1,2})(\\d)([af]?)");

  /** The most calls around an inlined instruction that are followed. */
  private static final int MAX_INLINED = 64;

  private final String isaVersion;
  private final String target;
  private final boolean debug;
  private final int addressSize;
  private final List<Variable> variables;
  private final List<PtxFunction> functions;
  private final Set<String> aliases;
  private final Map<Long, String> files;

  /** Those of the toolkit. */
  private final Set<Long> toolkitFiles;

  private final Map<String, PtxFunction> functionsByName;
  private final Layout commonShared;
  private final List<PtxEntry> entries;
  private final int parts;

  PtxModule(
      String isaVersion,
      String target,
      boolean debug,
      int addressSize,
      List<Variable> variables,
      List<PtxFunction> functions,
      Set<String> aliases,
      Map<Long, String> files,
      int parts) {
    this.parts = parts;
    this.isaVersion = isaVersion;
    this.target = target;
    this.debug = debug;
    this.addressSize = addressSize;
    this.variables = List.copyOf(variables);
    this.functions = List.copyOf(functions);
    this.aliases = Set.copyOf(aliases);
    this.files = Map.copyOf(files);
    this.toolkitFiles =
        this.files.entrySet().stream()
            .filter(file -> ToolkitHeaders.contains(file.getValue()))
            .map(Map.Entry::getKey)
            .collect(Collectors.toUnmodifiableSet());
    Map<String, PtxFunction> byName = new HashMap<>();
    for (PtxFunction function : functions) {
      byName.put(function.name(), function);
    }
    functionsByName = Map.copyOf(byName);
    commonShared = new Layout();
    commonShared.addAll(variables, StateSpace.SHARED);
    for (PtxFunction function : functions) {
      if (!function.entry()) {
        commonShared.addAll(function.locals(), StateSpace.SHARED);
      }
    }
    List<PtxEntry> described = new ArrayList<>();
    for (PtxFunction function : functions) {
      if (function.entry() && function.hasBody()) {
        described.add(new PtxEntry(function, sharedBytes(function)));
      }
    }
    entries = List.copyOf(described);
  }

  private long sharedBytes(PtxFunction entry) {
    return sharedLayout(entry).size();
  }

  private Layout sharedLayout(PtxFunction entry) {
    Layout shared = new Layout(commonShared);
    shared.addAll(entry.locals(), StateSpace.SHARED);
    return shared;
  }

  /**
   * Returns the variable of a fixed size that a byte of a block's shared memory is in.
   *
   * @param entry the entry that the block runs
   * @param offset the byte, counted from the start of the block's shared memory
   */
  public Optional<Variable> sharedVariable(String entry, long offset) {
    PtxFunction function = functionsByName.get(entry);
    Layout shared = function == null ? commonShared : sharedLayout(function);
    return Stream.concat(
            variables.stream(), functions.stream().flatMap(each -> each.locals().stream()))
        .filter(variable -> variable.space() == StateSpace.SHARED)
        .filter(
            variable ->
                shared
                    .offset(variable)
                    .filter(start -> offset >= start && offset - start < variable.sizeInBytes())
                    .isPresent())
        .findFirst();
  }

  /**
   * Parses PTX text. Does not check opcodes: the translation to an executable program refuses
   * unsupported instructions.
   *
   * @param source the text of a {@code .ptx} file
   * @return the module
   * @throws PtxException if the text is not PTX; no other exception is thrown on any text
   */
  public static PtxModule parse(String source) {
    return new ModuleParser(Objects.requireNonNull(source, "source"), Integer.MAX_VALUE).parse();
  }

  /**
   * Parses PTX text unless it is too large.
   *
   * @param source the text of a {@code .ptx} file
   * @param maxParts the most instructions, names, and distinct operands and initial values that it
   *     may have; each takes less than a hundred bytes
   * @return the module; empty if it has more
   * @throws PtxException if the text is not PTX; no other exception is thrown on any text
   */
  public static Optional<PtxModule> parseUpTo(String source, int maxParts) {
    try {
      return Optional.of(new ModuleParser(source, maxParts).parse());
    } catch (ModelSize.ExceededException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns how large the module is.
   *
   * @return the number that {@link #parseUpTo} limits
   */
  public int parts() {
    return parts;
  }

  /**
   * Returns the version of the PTX language.
   *
   * @return what {@code .version} says, such as {@code 7.0}
   */
  public String isaVersion() {
    return isaVersion;
  }

  /**
   * Returns the architecture that the text was made for.
   *
   * @return the first word of {@code .target}, such as {@code sm_75}
   */
  public String target() {
    return target;
  }

  /** Returns whether the text was compiled for debugging, as with {@code nvcc -G}. */
  public boolean isDebug() {
    return debug;
  }

  /**
   * Tells whether a device can run the text. The device must be new enough; for a text made for
   * only one architecture ({@code sm_90a}) or one family ({@code sm_100f}), it must match.
   *
   * @param major the device's compute capability, first number
   * @param minor the device's compute capability, second number
   * @return false if {@code .target} names a newer architecture, or is specific to another one
   */
  public boolean runsOn(int major, int minor) {
    Matcher named = ARCHITECTURE.matcher(target);
    if (!named.matches()) {
      return true;
    }
    int wantedMajor = Integer.parseInt(named.group(1));
    int wantedMinor = Integer.parseInt(named.group(2));
    return switch (named.group(3)) {
      case "a" -> wantedMajor == major && wantedMinor == minor;
      case "f" -> wantedMajor == major && wantedMinor <= minor;
      default -> 100 * wantedMajor + wantedMinor <= 100 * major + minor;
    };
  }

  /**
   * Returns the width of an address.
   *
   * @return 32 or 64
   */
  public int addressSize() {
    return addressSize;
  }

  /**
   * Returns the kernels of the module.
   *
   * @return the entries in the order of the text; unmodifiable
   */
  public List<PtxEntry> entries() {
    return entries;
  }

  /**
   * Looks up a kernel.
   *
   * @param name as written in the PTX text
   * @return the entry, if the module has it
   */
  public Optional<PtxEntry> entry(String name) {
    return entries.stream().filter(entry -> entry.name().equals(name)).findFirst();
  }

  /**
   * Returns the variables that the host can ask for: in global or constant memory, not declared
   * {@code .extern}, and not empty.
   */
  public List<Variable> deviceVariables() {
    return variables.stream().filter(PtxModule::isInDeviceMemory).toList();
  }

  private static boolean isInDeviceMemory(Variable variable) {
    return (variable.space() == StateSpace.GLOBAL || variable.space() == StateSpace.CONST)
        && !variable.external()
        && variable.type().kind != ScalarType.NumberKind.OPAQUE
        && variable.sizeInBytes() > 0;
  }

  public List<Variable> variables() {
    return variables;
  }

  public List<PtxFunction> functions() {
    return functions;
  }

  /** Returns the function of this name, which may be only a declaration. */
  public Optional<PtxFunction> function(String name) {
    return Optional.ofNullable(functionsByName.get(name));
  }

  /** Returns whether a name is an alias of a function. */
  public boolean isAlias(String name) {
    return aliases.contains(name);
  }

  /**
   * Returns the position in the source, if the text knows one. In an inlined function, that is the
   * innermost position outside the headers of the CUDA toolkit, if there is any.
   */
  public Optional<SourcePosition> position(SourceLine source) {
    Optional<SourcePosition> innermost = Optional.empty();
    SourceLine at = source;
    for (int depth = 0; at != null && depth < MAX_INLINED; depth++) {
      Optional<SourcePosition> position = place(at);
      if (position.isPresent() && !toolkitFiles.contains(at.file())) {
        return position;
      }
      innermost = innermost.or(() -> position);
      at = at.inlinedAt();
    }
    return innermost;
  }

  private Optional<SourcePosition> place(SourceLine source) {
    String file = files.get(source.file());
    return file == null || source.line() < 1 || source.line() > Integer.MAX_VALUE
        ? Optional.empty()
        : Optional.of(new SourcePosition(file, (int) source.line()));
  }

  /** Returns the layout of shared variables that do not belong to an entry. */
  public Layout commonShared() {
    return commonShared;
  }
}
