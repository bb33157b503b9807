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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the width of words in the PTX with the types in the sources, for every pointer to
 * numbers that a kernel of the tests takes. A right type is never complained of; most wrong ones
 * are.
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

  /** Counts, over all pointers to numbers. */
  private static final class Figures {
    int pointers;
    int knownWidths;
    int knownStrides;
    int planted;
    int found;
    final List<String> wrong = new ArrayList<>();

    void add(String where, int size, ParameterAccess access) {
      pointers++;
      knownWidths += access.words().isPresent() ? 1 : 0;
      knownStrides += access.words().filter(words -> words.stride() > 0).isPresent() ? 1 : 0;
      if (access.words().filter(words -> words.areNarrowerThan(size)).isPresent()) {
        wrong.add(where + ": " + access.words().orElseThrow());
      }
      // Of single bytes nothing is said, so that wrong types are planted for words only.
      boolean isTouched = access.verdict() != ParameterAccess.Verdict.NONE;
      for (int other = 2 * size; size > 1 && isTouched && other <= 8; other *= 2) {
        int tooWide = other;
        planted++;
        found += access.words().filter(words -> words.areNarrowerThan(tooWide)).isPresent() ? 1 : 0;
      }
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
        Integer size = pointer.matches() ? SIZES.get(pointer.group(1)) : null;
        if (size != null) {
          figures.add(
              name + " " + entry.name() + " " + declared[i].strip(), size, accesses.parameter(i));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"'', 0.4", "-debug, 0"})
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

    assertThat(figures.wrong).isEmpty();
    assertThat(figures.pointers).isGreaterThan(100);
    assertThat(figures.found).isGreaterThanOrEqualTo((int) (least * figures.planted));
  }
}
