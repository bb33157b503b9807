package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static com.google.testing.compile.Compiler.javac;
import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.testing.compile.Compilation;
import java.io.IOException;
import java.nio.file.Path;
import javax.tools.JavaFileObject;
import javax.tools.StandardLocation;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Class files of other languages name parameters as Java cannot. */
class ClassFileNamesTest {
  private static final String PLACEHOLDER = "placeholder";

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"class", "<set-value>", "a.b.c.d.e.f", "x; int y=1;", "1234567890a"})
  void parameterGetsANameByItsPosition(String name) throws IOException {
    Resources.in(folder).with("lib/Base.class", classFile(name));

    Compilation compilation =
        Resources.in(folder)
            .visibleTo(javac().withProcessors(new KernelProcessor()))
            .compile(
                Sources.file(
                    Sources.importing(
                        Sources.UNSEEN
                            + "@KernelModule(\"k.ptx\")\ninterface K extends lib.Base {}")));

    assertThat(compilation).succeededWithoutWarnings();
    assertThat(compilation)
        .generatedSourceFile("demo.KLauncher")
        .contentsAsUtf8String()
        .contains("public void run(float arg0, int count) {");
  }

  /** An interface that has a parameter of this name. */
  private static byte[] classFile(String parameter) throws IOException {
    Compilation compilation =
        javac()
            .withOptions("-parameters")
            .compile(
                Sources.file(
                    """
                    package lib;
                    import dev.streamfence.annotation.*;
                    public interface Base {
                      @Kernel void run(float placeholder, @ThreadCount int count);
                    }
                    """));
    JavaFileObject file =
        compilation.generatedFile(StandardLocation.CLASS_OUTPUT, "lib/Base.class").orElseThrow();
    try (var bytes = file.openInputStream()) {
      return new String(bytes.readAllBytes(), ISO_8859_1)
          .replace(constant(PLACEHOLDER), constant(parameter))
          .getBytes(ISO_8859_1);
    }
  }

  /** How a constant pool has a text: its length in two bytes, then its characters. */
  private static String constant(String text) {
    return "\0" + (char) text.length() + text;
  }
}
