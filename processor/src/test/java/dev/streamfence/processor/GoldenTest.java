package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static dev.streamfence.processor.UserBuild.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares launchers with the texts in {@code src/test/resources/golden}, which are documentation
 * as well. {@code -Dgolden.update=true} rewrites them.
 */
class GoldenTest {
  /** Names the folder with the PTX of one golden, the interface of the examples. */
  private static final String CODE =
      "-Astreamfence.resources=" + Path.of("../examples/src/main/resources");

  private static final List<String> STRICT = List.of("-Xlint:all,-processing", "-Werror", CODE);

  @ParameterizedTest
  @MethodSource("dev.streamfence.processor.Golden#all")
  void launcherIsTheGoldenOneAndCompilesWithoutWarnings(Golden golden) throws IOException {
    Compilation compilation =
        javac()
            .withOptions(STRICT)
            .withProcessors(new KernelProcessor())
            .compile(file(golden.source()));

    assertThat(compilation).succeededWithoutWarnings();
    assertThat(compilation)
        .generatedSourceFile(golden.qualifiedLauncher())
        .contentsAsUtf8String()
        .isEqualTo(expected(golden, compilation));
  }

  @ParameterizedTest
  @MethodSource("dev.streamfence.processor.Golden#all")
  void goldenCompilesAsIfWrittenByHand(Golden golden) throws IOException {
    Compilation compilation =
        javac()
            .withOptions("-Xlint:all,-processing", "-Werror", "-proc:none")
            .compile(file(golden.source()), file(golden.expected()));

    assertThat(compilation).succeededWithoutWarnings();
  }

  @Test
  void launcherOfADocumentedInterfaceIsDocumented() {
    Compilation compilation =
        javac()
            .withOptions("-Xdoclint:all", "-Xlint:all,-processing", "-Werror")
            .withProcessors(new KernelProcessor())
            .compile(
                Sources.file(
                    Sources.importing(
                        "/** Kernels. */\n"
                            + Sources.UNSEEN
                            + "@KernelModule(\"k.ptx\")\npublic interface Kernels {\n"
                            + "  /**\n   * Runs.\n   *\n   * @param n threads\n   */\n"
                            + "  @Kernel void run(@ThreadCount int n);\n"
                            + "  /**\n   * Its limit.\n   *\n   * @return the limit\n   */\n"
                            + "  @Symbol DeviceArray<int[]> limit();\n}")));
    assertThat(compilation).succeededWithoutWarnings();
  }

  @Test
  void launcherHasTheSameBytesInEveryOrderOfInterfaces() throws IOException {
    List<JavaFileObject> files = new ArrayList<>();
    for (Golden golden : Golden.all()) {
      files.add(file(golden.source()));
    }
    Map<String, String> launchers = generate(files);
    Collections.reverse(files);

    assertThat(launchers).hasSameSizeAs(files);
    assertThat(generate(files)).isEqualTo(launchers);
  }

  /** The text of each file that is generated, by its name. */
  private static Map<String, String> generate(List<JavaFileObject> files) throws IOException {
    Compilation compilation =
        javac().withOptions(CODE).withProcessors(new KernelProcessor()).compile(files);
    Map<String, String> texts = new HashMap<>();
    for (JavaFileObject generated : compilation.generatedSourceFiles()) {
      texts.put(generated.getName(), generated.getCharContent(false).toString());
    }
    return texts;
  }

  private static String expected(Golden golden, Compilation compilation) throws IOException {
    if (Boolean.getBoolean("golden.update")) {
      Files.writeString(
          golden.expected(),
          compilation.generatedSourceFiles().get(0).getCharContent(false).toString());
    }
    return Files.readString(golden.expected());
  }

  private static JavaFileObject file(Path source) throws IOException {
    return Sources.file(Files.readString(source));
  }
}
