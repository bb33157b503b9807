package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static com.google.testing.compile.Compiler.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Launchers run, and what text from an annotation says does not run with them. */
class CanaryTest {
  private static final String SHOT = "static { System.setProperty(\\\"canary\\\", \\\"dead\\\"); }";

  /** Java escapes that mean legal resource names; the middle is what would run. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "k\\\"); %s static Object o = (\\\"",
        "k\\042); %s static Object o = (\\042",
        "k\\u005c\\u0022); %s static Object o = (\\u005c\\u0022",
        "*/ %s /*",
        "k */ %s /* {@code",
        "}*/ %s class A {",
        "k\\u2028%s\\u2029",
        "$L); %s $T.of(",
      })
  void canarySurvives(String escaped) throws Exception {
    assertThat(runLauncher(escaped.formatted(SHOT))).isEqualTo("alive");
  }

  @Test
  void initialiserIsWhereItWouldDie() throws Exception {
    Classes classes =
        new Classes(
            javac()
                .compile(
                    Sources.file(
                        "package demo;\nclass KernelsLauncher { "
                            + SHOT.replace("\\\"", "\"")
                            + " }")));

    assertThat(initialise(classes)).isEqualTo("dead");
  }

  private static String runLauncher(String resource) throws Exception {
    Compilation compilation =
        javac()
            .withProcessors(new KernelProcessor())
            .compile(
                Sources.file(
                    Sources.importing(
                        Sources.UNSEEN
                            + "@KernelModule(\""
                            + resource
                            + "\")\ninterface Kernels { @Kernel void run(@ThreadCount int n); }")));
    assertThat(compilation).succeededWithoutWarnings();
    return initialise(new Classes(compilation));
  }

  private static String initialise(Classes classes) throws ClassNotFoundException {
    System.setProperty("canary", "alive");
    try {
      Class.forName("demo.KernelsLauncher", true, classes);
      return System.getProperty("canary");
    } finally {
      System.clearProperty("canary");
    }
  }

  /** Loads what a compilation has made. */
  private static final class Classes extends ClassLoader {
    private final Map<String, byte[]> contents = new HashMap<>();

    Classes(Compilation compilation) throws IOException {
      for (JavaFileObject file : compilation.generatedFiles()) {
        if (file.getKind() == JavaFileObject.Kind.CLASS) {
          String path = file.getName().replaceFirst("^/?CLASS_OUTPUT/", "");
          try (var bytes = file.openInputStream()) {
            contents.put(path.replace(".class", "").replace('/', '.'), bytes.readAllBytes());
          }
        }
      }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      byte[] content = contents.get(name);
      if (content == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, content, 0, content.length);
    }
  }
}
