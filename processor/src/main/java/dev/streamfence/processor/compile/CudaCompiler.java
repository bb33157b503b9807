package dev.streamfence.processor.compile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A CUDA compiler that the user has named. Immutable.
 *
 * @param kind which compiler it is
 * @param program its path, or its name on the path of programs
 * @param options the user's options, which come behind ours
 * @param seconds how long it may take for one source
 */
public record CudaCompiler(CompilerKind kind, String program, List<String> options, int seconds) {
  /** The header that clang reads first, in place of those of a CUDA toolkit. */
  private static final String HEADER = "streamfence_cuda.h";

  /** The kind of a compiler. */
  public enum CompilerKind {
    NVCC("nvcc", "-ptx -lineinfo"),
    CLANG(
        "clang",
        "-x cuda -S -O3 -gline-tables-only --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc"
            // Without a toolkit, clang 14 makes the oldest PTX, which has no shuffles.
            + " -nocudalib -Wno-unknown-cuda-version -Xclang -target-feature -Xclang +ptx64");

    private final String word;
    private final String always;

    CompilerKind(String word, String always) {
      this.word = word;
      this.always = always;
    }

    /** Its name in options of the processor. */
    public String word() {
      return word;
    }
  }

  public CudaCompiler {
    options = List.copyOf(options);
  }

  /**
   * Splits options at spaces, except between quotes, which are double or single ones. A backslash
   * stands before a quote that is part of an option; any other backslash is one.
   *
   * @throws IllegalArgumentException if a quote is not closed
   */
  public static List<String> split(String options) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    char quote = 0;
    boolean isWord = false;
    for (int i = 0; i < options.length(); i++) {
      char c = options.charAt(i);
      char next = i + 1 < options.length() ? options.charAt(i + 1) : 0;
      if (c == '\\' && (next == '"' || next == '\'')) {
        word.append(next);
        isWord = true;
        i++;
      } else if (quote == 0 ? c == '"' || c == '\'' : c == quote) {
        quote = quote == 0 ? c : 0;
        isWord = true;
      } else if (quote != 0 || !Character.isWhitespace(c)) {
        word.append(c);
        isWord = true;
      } else if (isWord) {
        words.add(word.toString());
        word.setLength(0);
        isWord = false;
      }
    }
    if (quote != 0) {
      throw new IllegalArgumentException("a quote " + quote + " is not closed");
    }
    if (isWord) {
      words.add(word.toString());
    }
    return words;
  }

  /** Everything that decides what it makes of a source, apart from files. */
  public String description() {
    return kind.word + " " + program + " " + kind.always + " " + options;
  }

  /**
   * Compiles a source to PTX, with what the user's options add.
   *
   * @param root the folder from which the source is named
   * @param name the source's name in it
   * @throws IOException if the compiler cannot be run, or does not end in time
   */
  public CompilerResult compile(Path root, String name) throws IOException {
    Path work = Files.createTempDirectory("streamfence");
    try {
      Path ptx = work.resolve("out.ptx");
      Path dependencies = work.resolve("out.d");
      ProcessRun run = ProcessRun.of(command(name, work, ptx, dependencies), root, seconds);
      List<CompilerMessage> messages = new ArrayList<>(CompilerMessage.in(run.output()));
      Optional<byte[]> made =
          run.exit() == 0 && Files.isRegularFile(ptx) && Files.size(ptx) > 0
              ? Optional.of(RegularFile.read(ptx))
              : Optional.empty();
      if (made.isEmpty() && messages.stream().noneMatch(CompilerMessage::isError)) {
        messages.add(new CompilerMessage(true, failure(run)));
      }
      if (run.exit() == 0 && made.isPresent()) {
        // A compiler that made the code has found no error, whatever its words are.
        messages.replaceAll(message -> new CompilerMessage(false, message.text()));
      }
      List<Path> inputs =
          Files.isRegularFile(dependencies)
              ? DependencyFile.parse(
                      new String(RegularFile.read(dependencies), StandardCharsets.UTF_8), root)
                  .stream()
                  .filter(file -> !file.startsWith(work))
                  .toList()
              : List.of();
      return new CompilerResult(
          made.map(bytes -> PtxPaths.relative(bytes, root)), messages, inputs);
    } finally {
      delete(work);
    }
  }

  private List<String> command(String name, Path work, Path ptx, Path dependencies)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(program);
    command.addAll(split(kind.always));
    if (kind == CompilerKind.CLANG) {
      command.addAll(List.of("-include", header(work).toString()));
    }
    command.addAll(options);
    command.addAll(List.of("-MD", "-MF", dependencies.toString(), "-MT", DependencyFile.TARGET));
    // A name that begins with a dash is no option.
    command.addAll(List.of("-o", ptx.toString(), name.startsWith("-") ? "./" + name : name));
    return command;
  }

  private static Path header(Path work) throws IOException {
    try (InputStream in =
        Objects.requireNonNull(CudaCompiler.class.getResourceAsStream(HEADER), HEADER)) {
      Path header = work.resolve(HEADER);
      Files.copy(in, header);
      return header;
    }
  }

  private static String failure(ProcessRun run) {
    String said =
        run.output()
            .lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty())
            .limit(5)
            .collect(Collectors.joining(" | "));
    return (run.exit() == 0 ? "it made no PTX" : "it ended with exit code " + run.exit())
        + (said.isEmpty() ? ", and said nothing" : "; it said: " + shortened(said));
  }

  private static String shortened(String text) {
    return text.length() <= 2000 ? text : text.substring(0, 2000) + "…";
  }

  /** Deletes a folder with whatever the compiler has left in it; what cannot be deleted stays. */
  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // A temporary file that is left behind does not make the code worse.
    }
  }
}
