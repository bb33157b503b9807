package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static com.google.testing.compile.Compiler.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares launchers with the texts in {@code src/test/resources/golden}, which are documentation
 * as well. {@code -Dgolden.update=true} rewrites them.
 */
class GoldenTest {
  private static final Path GOLDENS = Path.of("src/test/resources/golden");

  /** One golden has code: that of the examples. */
  private static final String CODE =
      "-Astreamfence.resources=" + Path.of("../examples/src/main/resources");

  private static final List<String> STRICT = List.of("-Xlint:all,-processing", "-Werror", CODE);

  @ParameterizedTest
  @CsvSource({
    "vector, VectorKernels, VectorKernelsLauncher",
    "reduce, ReduceKernels, ReduceKernelsLauncher",
    "nested, Engine, Engine_KernelsLauncher",
    "unnamed, Rootless, RootlessLauncher",
    "inherited, FastFloats, FastFloatsLauncher",
    "names, Access, AccessLauncher",
    "values, Particles, ParticlesLauncher",
  })
  void launcherIsTheGoldenOneAndCompilesWithoutWarnings(
      String folder, String source, String launcher) throws IOException {
    String text = read(folder, source);

    Compilation compilation =
        javac()
            .withOptions(STRICT)
            .withProcessors(new KernelProcessor())
            .compile(Sources.file(text));

    assertThat(compilation).succeededWithoutWarnings();
    String qualifiedName = text.startsWith("package demo;") ? "demo." + launcher : launcher;
    assertThat(compilation)
        .generatedSourceFile(qualifiedName)
        .contentsAsUtf8String()
        .isEqualTo(golden(folder, launcher, compilation));
  }

  @ParameterizedTest
  @CsvSource({
    "vector, VectorKernels, VectorKernelsLauncher",
    "reduce, ReduceKernels, ReduceKernelsLauncher",
    "nested, Engine, Engine_KernelsLauncher",
    "unnamed, Rootless, RootlessLauncher",
    "inherited, FastFloats, FastFloatsLauncher",
    "names, Access, AccessLauncher",
    "values, Particles, ParticlesLauncher",
  })
  void goldenCompilesAsIfWrittenByHand(String folder, String source, String launcher)
      throws IOException {
    Compilation compilation =
        javac()
            .withOptions("-Xlint:all,-processing", "-Werror", "-proc:none")
            .compile(Sources.file(read(folder, source)), Sources.file(read(folder, launcher)));

    assertThat(compilation).succeededWithoutWarnings();
  }

  @ParameterizedTest
  @CsvSource({"vector, VectorKernels", "inherited, FastFloats"})
  void launcherIsTheSameBytesEachTime(String folder, String source) throws IOException {
    assertThat(generate(folder, source)).isEqualTo(generate(folder, source)).isNotEmpty();
  }

  private static List<String> generate(String folder, String source) throws IOException {
    Compilation compilation =
        javac().withProcessors(new KernelProcessor()).compile(Sources.file(read(folder, source)));
    return compilation.generatedSourceFiles().stream()
        .map(
            file -> {
              try {
                return file.getCharContent(false).toString();
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            })
        .toList();
  }

  private static String golden(String folder, String launcher, Compilation compilation)
      throws IOException {
    Path golden = GOLDENS.resolve(folder).resolve(launcher + ".java");
    if (Boolean.getBoolean("golden.update")) {
      Files.writeString(
          golden, compilation.generatedSourceFiles().get(0).getCharContent(false).toString());
    }
    return Files.readString(golden);
  }

  private static String read(String folder, String type) throws IOException {
    return Files.readString(GOLDENS.resolve(folder).resolve(type + ".java"));
  }
}
