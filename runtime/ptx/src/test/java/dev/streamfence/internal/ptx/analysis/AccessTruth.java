package dev.streamfence.internal.ptx.analysis;

import dev.streamfence.corpus.KernelCase;
import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The accesses of a kernel of the corpus, as its author noted them beside the source.
 *
 * @param parameters in order; fields of structures are in their parameter
 */
record AccessTruth(String entry, List<Parameter> parameters) {
  private static final Pattern LINE = Pattern.compile("// truth name=(\\S+):(.*)");
  private static final Pattern WORD = Pattern.compile("(\\S+?)=([a-z:]+)(!escapes)?(?=\\s|$)");

  /** The offsets of the fields that truth lines name; the sources note them beside each field. */
  private static final Map<String, Integer> OFFSETS =
      Map.ofEntries(
          Map.entry("in", 0),
          Map.entry("out", 8),
          Map.entry("starts", 8),
          Map.entry("columns", 16),
          Map.entry("values", 24),
          Map.entry("of[0]", 8),
          Map.entry("of[1]", 16),
          Map.entry("of[2]", 24),
          Map.entry("of[3]", 32),
          Map.entry("view.in", 8),
          Map.entry("view.out", 16),
          Map.entry("extra.counts", 32),
          Map.entry("extra.marks", 40),
          Map.entry("word.pointer", 8),
          Map.entry("more", 0));

  /**
   * The accesses through one pointer.
   *
   * @param declared whether the source declares it a pointer; not so with a number used as one
   * @param escapes whether its address gets where no analysis can follow
   */
  record Pointer(
      String name, int offset, boolean declared, boolean reads, boolean writes, boolean escapes) {}

  /**
   * A parameter.
   *
   * @param pointers one, or several in a structure, or none in a number
   */
  record Parameter(String name, List<Pointer> pointers) {
    ParameterRole role(int offset) {
      return pointers.stream().anyMatch(p -> p.offset == offset && p.declared)
          ? ParameterRole.BUFFER
          : ParameterRole.NUMBER;
    }
  }

  /** Reads the truth lines of one source. */
  static List<AccessTruth> of(String source) {
    List<AccessTruth> truths = new ArrayList<>();
    Matcher lines = LINE.matcher(source);
    while (lines.find()) {
      Map<String, Parameter> parameters = new LinkedHashMap<>();
      String rest = lines.group(2).strip();
      Matcher words = WORD.matcher(rest);
      int end = 0;
      while (words.find()) {
        end = words.end();
        add(parameters, words.group(1), words.group(2), words.group(3) != null);
      }
      if (end != rest.length()) {
        throw new IllegalArgumentException("not understood: " + lines.group());
      }
      truths.add(new AccessTruth(lines.group(1), List.copyOf(parameters.values())));
    }
    return truths;
  }

  private static void add(
      Map<String, Parameter> parameters, String name, String word, boolean escapes) {
    int dot = name.indexOf('.');
    if (word.equals("value") || word.equals("struct")) {
      parameters.put(name, new Parameter(name, new ArrayList<>()));
      return;
    }
    boolean declared = !word.startsWith("address:");
    String access = declared ? word : word.substring(word.indexOf(':') + 1);
    boolean reads = access.equals("reads") || access.equals("readwrites");
    boolean writes = access.equals("writes") || access.equals("readwrites");
    if (!reads && !writes && !access.equals("untouched")) {
      throw new IllegalArgumentException(name + "=" + word);
    }
    String holder = dot < 0 ? name : name.substring(0, dot);
    int offset = dot < 0 ? 0 : OFFSETS.get(name.substring(dot + 1));
    parameters
        .computeIfAbsent(holder, n -> new Parameter(n, new ArrayList<>()))
        .pointers
        .add(new Pointer(name, offset, declared, reads, writes, escapes));
  }

  /** Returns the corpus: the truths of each source by the source's name without its ending. */
  static Map<String, List<AccessTruth>> corpus() {
    Map<String, List<AccessTruth>> corpus = new LinkedHashMap<>();
    try (Stream<Path> files = Files.list(folder())) {
      List<Path> sources = files.filter(file -> file.toString().endsWith(".cu")).sorted().toList();
      for (Path source : sources) {
        String name = source.getFileName().toString();
        corpus.put(name.substring(0, name.length() - 3), of(Files.readString(source)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return corpus;
  }

  /** Returns the text of one of the corpus's PTX files. */
  static String ptx(String name) {
    return KernelCase.text("access/" + name + ".ptx");
  }

  private static Path folder() {
    try {
      return Path.of(AccessTruth.class.getResource("/dev/streamfence/internal/ptx/access").toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
