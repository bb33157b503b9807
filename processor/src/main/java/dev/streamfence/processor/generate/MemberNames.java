package dev.streamfence.processor.generate;

import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelSignature;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.SymbolMethod;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The names of a launcher's members and locals. Invariant: constants and fields have distinct
 * names, no parameter hides a field or local, and no field hides a class.
 */
final class MemberNames {
  private static final String RECORDER = "recorder";

  private static final Pattern WORD_START = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

  /** Expressions begin with these names, and a field of that name would take precedence. */
  private static final Set<String> IN_EXPRESSIONS =
      Set.of(
          KernelImage.class.getSimpleName(),
          KernelSignature.class.getSimpleName(),
          LoadedModule.class.getSimpleName(),
          "dev");

  // By identity, or each look-up would hash a kernel with all of its parameters.
  private final IdentityHashMap<KernelMethod, String> constants = new IdentityHashMap<>();
  private final IdentityHashMap<KernelMethod, String> fields = new IdentityHashMap<>();
  private final IdentityHashMap<KernelMethod, String> recorders = new IdentityHashMap<>();
  private final Names fieldNames;

  private final IdentityHashMap<SymbolMethod, String> symbolFields = new IdentityHashMap<>();

  MemberNames(List<KernelMethod> kernels, List<SymbolMethod> symbols) {
    Names constantNames = new Names(Set.of("IMAGE"));
    Set<String> locals = new HashSet<>(IN_EXPRESSIONS);
    for (KernelMethod kernel : kernels) {
      Set<String> parameters =
          kernel.parameters().stream().map(KernelParameter::name).collect(Collectors.toSet());
      String recorder = new Names(parameters).claim(RECORDER, "");
      recorders.put(kernel, recorder);
      locals.add(recorder);
      locals.addAll(parameters);
    }
    // Constants and fields share one namespace: an upper-case kernel name would fit both.
    fieldNames = new Names(locals);
    for (KernelMethod kernel : kernels) {
      constants.put(kernel, constantNames.claim(upperSnake(kernel.name()), "_"));
    }
    constants.values().forEach(fieldNames::take);
    fieldNames.take("IMAGE");
    for (KernelMethod kernel : kernels) {
      fields.put(kernel, fieldNames.claim(kernel.name(), ""));
    }
    for (SymbolMethod symbol : symbols) {
      symbolFields.put(symbol, fieldNames.claim(symbol.name(), ""));
    }
  }

  /** Claims a field for one of several parts of the launcher; each call returns a new name. */
  String part(int index) {
    return fieldNames.claim("part" + (index + 1), "_");
  }

  /**
   * The class of one of several parts.
   *
   * @param taken names of types that mean something else
   */
  String partClass(int index, Set<String> taken) {
    return new Names(taken).claim("Part" + (index + 1), "_");
  }

  /** The constant with the kernel's signature. */
  String constant(KernelMethod kernel) {
    return Objects.requireNonNull(constants.get(kernel));
  }

  /** The field with the kernel's recorder. */
  String field(KernelMethod kernel) {
    return Objects.requireNonNull(fields.get(kernel));
  }

  /** The field with the array of a variable. */
  String field(SymbolMethod symbol) {
    return Objects.requireNonNull(symbolFields.get(symbol));
  }

  /** The local variable with the kernel's recorder. */
  String recorder(KernelMethod kernel) {
    return Objects.requireNonNull(recorders.get(kernel));
  }

  private static String upperSnake(String name) {
    return WORD_START.matcher(name).replaceAll("_").toUpperCase(Locale.ROOT);
  }

  /** Names in use. A name that is taken gets the next number from 2 on that makes it unique. */
  private static final class Names {
    private final Set<String> taken;
    private final Map<String, Integer> lastNumbers = new HashMap<>();

    Names(Set<String> taken) {
      this.taken = new HashSet<>(taken);
    }

    void take(String name) {
      taken.add(name);
    }

    String claim(String name, String separator) {
      String free = name;
      while (!taken.add(free)) {
        // Remembered, or each of thousands of overloads would count from the beginning.
        int number = lastNumbers.merge(name, 2, (last, first) -> last + 1);
        free = name + separator + number;
      }
      return free;
    }
  }
}
