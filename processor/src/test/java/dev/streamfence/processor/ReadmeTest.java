package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static com.google.testing.compile.Compiler.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.JavaFileObjects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;

/** What the README shows compiles, and what it names is there. */
class ReadmeTest {
  private static final Path README = Path.of("../README.md");
  private static final Pattern JAVA = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
  private static final Pattern INTERFACE = Pattern.compile("interface (\\w+)");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)\\)");

  /** What a piece that is no type stands in. */
  private static final String METHOD =
      """
      package demo;
      import dev.streamfence.*;
      import dev.streamfence.simulation.DriverCall;
      import dev.streamfence.simulation.*;
      import java.nio.file.Path;
      class Piece%d {
        void run(Path path) throws Exception {
      %s
        }
      }
      """;

  /** What the pieces use and the README leaves out. */
  private static final String COUNTING =
      Sources.importing(
          Sources.UNSEEN
              + "@KernelModule(\"kernels/counting.ptx\")\npublic interface CountingKernels {"
              + " @Kernel Completion count(@ReadWrites DeviceArray<float[]> x,"
              + " @ThreadCount int n); }");

  @Test
  void everyPieceOfJavaCompiles() throws IOException {
    List<JavaFileObject> files = new ArrayList<>();
    files.add(Sources.file(COUNTING));
    Matcher piece = JAVA.matcher(Files.readString(README));
    while (piece.find()) {
      files.add(file(files.size(), piece.group(1)));
    }
    assertThat(files).hasSizeGreaterThan(4);

    Compilation compilation =
        javac()
            .withOptions("-Astreamfence.resources=" + Path.of("../examples/src/main/resources"))
            .withProcessors(new KernelProcessor())
            .compile(files);

    assertThat(compilation).succeededWithoutWarnings();
  }

  private static JavaFileObject file(int number, String piece) {
    Matcher type = INTERFACE.matcher(piece);
    return type.find()
        ? JavaFileObjects.forSourceString("demo." + type.group(1), Sources.importing(piece))
        : JavaFileObjects.forSourceString("demo.Piece" + number, METHOD.formatted(number, piece));
  }

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    Matcher link = LINK.matcher(Files.readString(README));
    List<String> broken = new ArrayList<>();
    while (link.find()) {
      if (!Files.exists(README.resolveSibling(link.group(1)))) {
        broken.add(link.group(1));
      }
    }
    assertThat(broken).isEmpty();
  }
}
