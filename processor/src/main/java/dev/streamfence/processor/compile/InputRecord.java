package dev.streamfence.processor.compile;

import dev.streamfence.launch.KernelImage;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What PTX was made from: the compiler with its options, and the content of each file that it has
 * read; and the warnings that it gave. Immutable.
 *
 * @param facts one line for each, without its end
 * @param warnings as they were given, without ends of lines
 */
public record InputRecord(List<String> facts, List<String> warnings) {
  private static final String WARNING = "warning ";

  public InputRecord {
    facts = List.copyOf(facts);
    warnings = List.copyOf(warnings);
  }

  /**
   * The record of PTX that was made just now; empty if the compiler did not tell what it has read,
   * or a file has gone, or cannot be read.
   *
   * @param written the PTX as it is stored
   */
  public static Optional<InputRecord> of(
      CudaCompiler compiler, byte[] written, List<Path> inputs, List<String> warnings) {
    if (inputs.isEmpty()) {
      return Optional.empty();
    }
    try {
      List<String> facts = new ArrayList<>();
      facts.add("compiler " + hash(compiler.description()) + " " + identity(compiler));
      facts.add("ptx " + KernelImage.sha256(written));
      for (Path input : inputs) {
        facts.add(KernelImage.sha256(RegularFile.read(input)) + " " + input);
      }
      return Optional.of(
          new InputRecord(facts, warnings.stream().map(each -> each.replace('\n', ' ')).toList()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Reads the text of a record; a damaged one fits nothing. */
  public static InputRecord parse(byte[] text) {
    List<String> facts = new ArrayList<>();
    List<String> warnings = new ArrayList<>();
    for (String line : new String(text, StandardCharsets.UTF_8).lines().toList()) {
      if (line.startsWith(WARNING)) {
        warnings.add(line.substring(WARNING.length()));
      } else {
        facts.add(line);
      }
    }
    return new InputRecord(facts, warnings);
  }

  /** The text of this record. */
  public String text() {
    return Stream.concat(facts.stream(), warnings.stream().map(WARNING::concat))
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  /** Whether nothing has changed since this record was made. */
  public boolean fits(CudaCompiler compiler, byte[] written) {
    if (facts.size() < 3) {
      return false;
    }
    List<Path> inputs = new ArrayList<>();
    for (String fact : facts.subList(2, facts.size())) {
      try {
        inputs.add(Path.of(fact.substring(fact.indexOf(' ') + 1)));
      } catch (InvalidPathException e) {
        return false;
      }
    }
    return of(compiler, written, inputs, warnings).filter(this::equals).isPresent();
  }

  private static String hash(String text) {
    return KernelImage.sha256(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Changes when another compiler is installed under the same name. */
  private static String identity(CudaCompiler compiler) {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    List<String> folders = new ArrayList<>(List.of(""));
    if (!compiler.program().contains("/")) {
      folders.addAll(List.of(path.split(File.pathSeparator)));
    }
    for (String folder : folders) {
      try {
        Path program = Path.of(folder).resolve(compiler.program());
        if (Files.isRegularFile(program)) {
          return Files.size(program) + " " + Files.getLastModifiedTime(program).toMillis();
        }
      } catch (IOException | InvalidPathException ignored) {
        // The program is found elsewhere, or not at all.
      }
    }
    return "unknown";
  }
}
