package dev.streamfence.internal.ptx.syntax;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The commands in each source make the PTX of the runtime, of its tests, of the integration tests
 * and of the examples, where the same version of nvcc is installed. Debug code is not compared,
 * since it contains the name of its build folder.
 */
final class CompiledSourcesTest {
  private static final List<Path> RESOURCES =
      List.of(
          Path.of("src/test/resources"),
          Path.of("../exchange/src/main/resources"),
          Path.of("../exchange/src/test/resources"),
          Path.of("../simulator/src/test/resources"),
          Path.of("../../integration-tests/src/test/resources"),
          Path.of("../../examples/src/main/resources"),
          Path.of("../../examples/src/test/resources"));

  private static final Pattern TOOLKIT = Pattern.compile("release [0-9.]+, V[0-9.]+");
  private static final Pattern COMMAND = Pattern.compile("^// +(nvcc|sed) -");
  private static final Pattern OUTPUT = Pattern.compile(" -o (\\S+)");

  static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path folder : RESOURCES) {
      try (Stream<Path> files = Files.walk(folder)) {
        // What is a binary differs with every version of the assembler.
        files
            .filter(file -> file.toString().endsWith(".cu"))
            .filter(file -> Files.exists(Path.of(file.toString().replace(".cu", ".ptx"))))
            .sorted()
            .forEach(sources::add);
      }
    }
    return sources;
  }

  @ParameterizedTest
  @MethodSource("sources")
  void ptxIsWhatTheCommandsInItsSourceMake(Path source, @TempDir Path folder)
      throws IOException, InterruptedException {
    String installed = installedToolkit();
    assumeTrue(!installed.isEmpty(), "nvcc is not installed");
    Files.copy(source, folder.resolve(source.getFileName()));
    List<String> made = new ArrayList<>();
    for (String command : commandsIn(source)) {
      Matcher output = OUTPUT.matcher(command);
      if (output.find()) {
        String shipped = Files.readString(source.resolveSibling(output.group(1)));
        assumeTrue(
            installed.equals(toolkitIn(shipped)),
            "nvcc is of " + installed + ", the PTX was made by " + toolkitIn(shipped));
        made.add(output.group(1));
      }
      output(folder, "sh", "-c", command);
    }

    assertThat(made).isNotEmpty();
    for (String file : made) {
      assertThat(code(Files.readString(folder.resolve(file))))
          .as(file)
          .isEqualTo(code(Files.readString(source.resolveSibling(file))));
    }
  }

  private static List<String> commandsIn(Path source) throws IOException {
    try (Stream<String> lines = Files.lines(source)) {
      return lines
          .filter(line -> COMMAND.matcher(line).find())
          .filter(line -> !line.contains(" -G "))
          .map(line -> line.substring("//".length()).strip())
          .toList();
    }
  }

  private static String installedToolkit() throws InterruptedException {
    try {
      return toolkitIn(output(Path.of("."), "nvcc", "--version"));
    } catch (IOException e) {
      return "";
    }
  }

  private static String toolkitIn(String text) {
    Matcher matcher = TOOLKIT.matcher(text);
    return matcher.find() ? matcher.group() : "";
  }

  private static String output(Path folder, String... command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  /** The code without the names that nvcc derives from the folder. */
  private static String code(String ptx) {
    return ptx.replaceAll("(?s)\\.section\\s+\\.debug_str\\b.*", "")
        .replaceAll("//.*", "")
        .replaceAll("\\s*\\R\\s*", "\n")
        .strip();
  }
}
