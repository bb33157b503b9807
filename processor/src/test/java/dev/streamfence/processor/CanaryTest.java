package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static dev.streamfence.processor.UserBuild.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Launchers run, and text from an annotation does not. */
class CanaryTest {
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
  void textFromAnAnnotationDoesNotRun(String escaped) throws Exception {
    assertThat(runLauncher(escaped.formatted(Canary.SHOT))).isEqualTo("alive");
  }

  @Test
  void codeInAnInitialiserWouldChangeTheCanary() throws Exception {
    CompiledClasses classes =
        new CompiledClasses(
            javac()
                .compile(
                    Sources.file(
                        "package demo;\nclass KernelsLauncher { "
                            + Canary.SHOT.replace("\\\"", "\"")
                            + " }")));

    assertThat(Canary.after(classes, "demo.KernelsLauncher")).isEqualTo("dead");
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
    return Canary.after(new CompiledClasses(compilation), "demo.KernelsLauncher");
  }
}
