package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the width of words in the PTX with the types in the sources, for every pointer to
 * numbers that a kernel of the tests takes. A right type is never complained of, unless the kernel
 * stores the bits of floating-point numbers as integers; most wrong ones are.
 */
final class ElementWidthCorpusTest {
  private static final Pattern KERNEL =
      Pattern.compile("__global__\\s+void\\s+(\\w+)\\s*\\(([^)]*)\\)");

  private static final Pattern POINTER =
      Pattern.compile("((?:unsigned |signed )?\\w+(?: long)?)\\s*\\*\\s*\\w+");

  private static final Map<String, Integer> SIZES =
      Map.ofEntries(
          Map.entry("char", 1),
          Map.entry("unsigned char", 1),
          Map.entry("signed char", 1),
          Map.entry("u8", 1),
          Map.entry("bool", 1),
          Map.entry("short", 2),
          Map.entry("unsigned short", 2),
          Map.entry("u16", 2),
          Map.entry("__half", 2),
          Map.entry("half", 2),
          Map.entry("int", 4),
          Map.entry("unsigned", 4),
          Map.entry("unsigned int", 4),
          Map.entry("u32", 4),
          Map.entry("float", 4),
          Map.entry("long long", 8),
          Map.entry("unsigned long long", 8),
          Map.entry("u64", 8),
          Map.entry("double", 8));

  private static final Set<String> FLOATS = Set.of("float", "double");

  /** The types that are planted for another one. */
  private static final List<String> PLANTED =
      List.of("short", "int", "long long", "float", "double");

  /** Arrays of integers in which kernels store the bits of floating-point numbers. */
  private static final List<String> BITS_OF_FLOATS =
      List.of("float.ptx single_precision u32* out", "expressions.ptx widen_floats long long");

  /** Counts, over all pointers to numbers. */
  private static final class Figures {
    int pointers;
    int knownWidths;
    int knownStrides;
    int planted;
    int found;
    final List<String> wrong = new ArrayList<>();

    void add(String where, String type, ParameterAccess access) {
      pointers++;
      knownWidths += access.words().isPresent() ? 1 : 0;
      knownStrides += access.words().filter(words -> words.stride() > 0).isPresent() ? 1 : 0;
      if (isComplainedOf(access, type)) {
        wrong.add(where + ": " + access.words().orElseThrow());
      }
      int size = SIZES.get(type);
      // Of single bytes nothing is said, so that wrong types are planted for words only.
      boolean isTouched = access.verdict() != ParameterAccess.Verdict.NONE;
      for (String other : PLANTED) {
        boolean isWrong =
            FLOATS.contains(type)
                ? !other.equals(type)
                : !FLOATS.contains(other) && SIZES.get(other) > size;
        if (size > 1 && isTouched && isWrong) {
          planted++;
          found += isComplainedOf(access, other) ? 1 : 0;
        }
      }
    }

    private static boolean isComplainedOf(ParameterAccess access, String type) {
      int size = SIZES.get(type);
      boolean areFloats = FLOATS.contains(type);
      return access
          .words()
          .filter(words -> words.areNarrowerThan(size) || words.areOtherFloatsThan(areFloats, size))
          .isPresent();
    }

    @Override
    public String toString() {
      return pointers
          + " pointers to numbers, width known of "
          + knownWidths
          + ", stride of "
          + knownStrides
          + "; complaints of right types "
          + wrong.size()
          + ", of planted wrong types "
          + found
          + " of "
          + planted;
    }
  }

  /** The kernels of one source, each with the declarations of its parameters. */
  private static Map<String, String[]> kernels(String source) {
    Map<String, String[]> kernels = new LinkedHashMap<>();
    Matcher matcher = KERNEL.matcher(source.replaceAll("//.*", ""));
    while (matcher.find()) {
      kernels.put(matcher.group(1), matcher.group(2).split(","));
    }
    return kernels;
  }

  private static void add(Figures figures, Path source, String suffix) throws IOException {
    String name = source.getFileName().toString().replace(".cu", suffix + ".ptx");
    Path ptx = source.resolveSibling(name);
    if (!Files.exists(ptx)) {
      return;
    }
    PtxModule module = PtxModule.parse(Files.readString(ptx));
    Map<String, String[]> kernels = kernels(Files.readString(source));
    for (PtxEntry entry : module.entries()) {
      String[] declared = kernels.get(entry.name());
      if (declared == null || declared.length != entry.parameters().size()) {
        continue;
      }
      KernelAccesses accesses =
          KernelAccesses.of(
              module,
              entry,
              (parameter, offset) ->
                  declared[parameter].contains("*") ? ParameterRole.BUFFER : ParameterRole.NUMBER);
      for (int i = 0; i < declared.length; i++) {
        String plain = declared[i].replaceAll("\\b(const|volatile|__restrict__)\\b", " ");
        Matcher pointer = POINTER.matcher(plain.replaceAll("\\s+", " ").strip());
        if (pointer.matches() && SIZES.containsKey(pointer.group(1))) {
          figures.add(
              name + " " + entry.name() + " " + declared[i].strip(),
              pointer.group(1),
              accesses.parameter(i));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"'', 0.6", "-debug, 0.5"})
  void noRightTypeIsComplainedOfAndManyWrongOnesAre(String suffix, double least)
      throws IOException {
    Figures figures = new Figures();
    for (Path folder :
        List.of(
            Path.of("src/test/resources"),
            Path.of("../simulator/src/test/resources"),
            Path.of("../exchange/src/test/resources"),
            Path.of("../../integration-tests/src/test/resources"),
            Path.of("../../examples/src/main/resources"))) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path source :
            files.filter(file -> file.toString().endsWith(".cu")).sorted().toList()) {
          add(figures, source, suffix);
        }
      }
    }
    System.out.println("Element widths" + suffix + ": " + figures);

    assertThat(figures.wrong).allMatch(each -> BITS_OF_FLOATS.stream().anyMatch(each::startsWith));
    assertThat(figures.pointers).isGreaterThan(100);
    assertThat(figures.found).isGreaterThanOrEqualTo((int) (least * figures.planted));
  }
}
