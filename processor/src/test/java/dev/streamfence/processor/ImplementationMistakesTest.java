package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.ERASURE_CLASH;
import static dev.streamfence.processor.diagnostic.Problem.FINAL_METHOD;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Interfaces that no class can implement: compilers would report the launcher instead. */
class ImplementationMistakesTest {
  private static final String FLOATS =
      "@Kernel void k(@Reads DeviceArray<float[]> x, @ThreadCount int n);";
  private static final String INTS =
      "@Kernel void k(@Reads DeviceArray<int[]> x, @ThreadCount int n);";

  @TempDir private Path folder;

  @Test
  void parentsThatClashByErasureAreRefused() {
    Mistakes.in(kernels("«interface K extends A, B {}", "A { " + FLOATS + "}", "B { " + INTS + "}"))
        .are(
            ERASURE_CLASH,
            "k of A and of B differ only in type arguments, so no class can implement both;"
                + " rename one");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // A default method is inherited as well.
        "A, B {}                     | A { default void k(DeviceArray<int[]> x, int n) {} }",
        "B, A {}                     | A { default void k(DeviceArray<int[]> x, int n) {} }",
        // The type argument of the parent decides, and what its method erases to.
        "B, A<DeviceArray<int[]>> {} | A<T extends DeviceArray<int[]>> { void k(T x, int n); }",
      })
  void anyInheritedMethodCanClash(String type, String parent) {
    assertThat(
            Mistakes.in(kernels("interface K extends " + type, parent, "B { " + FLOATS + " }"))
                .ids())
        .contains("ERROR [ErasureClash]");
  }

  @Test
  void ownKernelThatClashesWithAnInheritedOneIsRefused() {
    Mistakes.in(
            kernels(
                "interface K extends A { " + INTS.replace(" k(", " «k(") + " }",
                "A { " + FLOATS + " }"))
        .are(
            ERASURE_CLASH,
            "k of K and of A differ only in type arguments, so no class can implement both;"
                + " rename one");
  }

  @Test
  void overloadsWithOtherErasuresAreRight() {
    Mistakes.in(
            kernels(
                "interface K extends A, B<int[]> { " + FLOATS.replace("int n", "long n") + " }",
                "A { " + FLOATS + " }",
                "B<T> { @Kernel void k(@Reads DeviceArray<T> x, LaunchShape s); }"))
        .areNone();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"wait | @ThreadCount long n", "wait | long n, @ThreadCount int m", "notify | ''"})
  void finalMethodOfObjectIsNoKernel(String name, String parameters) {
    assertThat(Mistakes.inKernels("@Kernel void " + name + "(" + parameters + ");").ids())
        .contains("ERROR [FinalMethod]");
    assertThat(Mistakes.inKernels("void " + name + "(" + parameters + ");").ids())
        .contains("ERROR [FinalMethod]");
    assertThat(
            UserBuild.by(UserBuild.Tool.ECLIPSE, folder)
                .with(
                    "demo/Kernels.java",
                    Sources.kernels("@Kernel void " + name + "(" + parameters + ");"))
                .run()
                .ids())
        .contains("ERROR [FinalMethod]");
  }

  @Test
  void finalMethodOfObjectIsOneMistake() {
    Mistakes.inKernels("@Kernel void «wait(@ThreadCount long n);")
        .are(
            FINAL_METHOD,
            "wait is final in Object, so no launcher can implement it; rename it and add"
                + " @Kernel(\"wait\")");
  }

  @Test
  void aVariableIsNotNamedLikeAMethodOfObjectThatReturnsNothing() {
    Mistakes.inKernels(
            "@Symbol DeviceArray<int[]> «finalize(); @Kernel void run(@ThreadCount int n);")
        .are(
            FINAL_METHOD,
            "finalize returns void in Object, so no launcher can implement it; rename it and add"
                + " @Symbol(\"finalize\")");
    Mistakes.inKernels("@Kernel void finalize(@ThreadCount int n);").areNone();
  }

  @Test
  void overloadOfAFinalMethodIsRight() {
    Mistakes.inKernels("@Kernel void wait(@ThreadCount int n, int m);").areNone();
  }

  private static String kernels(String type, String... parents) {
    StringBuilder text = new StringBuilder("@KernelModule(\"k.ptx\")\n").append(type);
    for (String parent : parents) {
      text.append("\n@SuppressWarnings(\"streamfence:KernelWithoutLauncher\") interface ");
      text.append(parent);
    }
    return Sources.importing(text.toString());
  }
}
