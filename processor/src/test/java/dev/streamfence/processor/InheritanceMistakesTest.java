package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.AMBIGUOUS_KERNEL;
import static dev.streamfence.processor.diagnostic.Problem.BUFFER_ELEMENT;
import static dev.streamfence.processor.diagnostic.Problem.EMPTY_MODULE;
import static dev.streamfence.processor.diagnostic.Problem.GENERIC;
import static dev.streamfence.processor.diagnostic.Problem.LAUNCHER_METHOD_CLASH;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_KERNEL;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_SHAPE;
import static dev.streamfence.processor.diagnostic.Problem.RETURNS_VALUE;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mistakes that an interface inherits, or makes with what it inherits. */
class InheritanceMistakesTest {
  @Test
  void typeArgumentIsChecked() {
    Mistakes.in(
            extending("Base<int[]>", ""),
            base("Base<T>", "@Kernel void run(T x, @ThreadCount int n);"))
        .are(
            UNSUPPORTED_TYPE,
            "'x' has type int[]; a kernel cannot reach host memory: upload it and take a"
                + " DeviceArray<int[]> (inherited from Base)");
  }

  @Test
  void typeArgumentOfAnElementIsChecked() {
    Mistakes.in(
            extending("Base<Integer>", ""),
            base("Base<T>", "@Kernel void run(@Reads DeviceArray<T> x, @ThreadCount int n);"))
        .are(
            BUFFER_ELEMENT,
            "'x' has type DeviceArray<Integer>; use an array of primitives, such as"
                + " DeviceArray<float[]> (inherited from Base)");
  }

  @Test
  void rawParentLeavesTheElementOpen() {
    Mistakes.in(
            extending("Base", ""),
            base("Base<T>", "@Kernel void run(@Reads DeviceArray<T> x, @ThreadCount int n);"))
        .are(
            BUFFER_ELEMENT,
            "'x' has type DeviceArray; use an array of primitives, such as DeviceArray<float[]>"
                + " (inherited from Base)");
  }

  @Test
  void inheritedKernelIsNotGeneric() {
    Mistakes.in(
            extending("Base", ""),
            base("Base", "@Kernel <T> void run(@Reads DeviceArray<T> x, @ThreadCount int n);"))
        .are(
            GENERIC,
            "run has the type parameter T; kernels are compiled for fixed types, so remove it"
                + " (inherited from Base)");
  }

  @Test
  void mistakeOfADistantParentNamesIt() {
    Mistakes.in(
            extending("Near", ""),
            "package demo;\ninterface Near extends Far {}",
            base("Far", "@Kernel int run(@ThreadCount int n);"))
        .are(
            RETURNS_VALUE,
            "run returns int; a kernel returns void or a Completion, and results go through @Writes parameters"
                + " (inherited from Far)");
  }

  @Test
  void overridingKernelNeedsItsAnnotationsAgain() {
    String base = base("Base", "@Kernel void run(@Reads DeviceArray<int[]> x, LaunchShape s);");
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Kernels extends Base {"
                    + " void «run(DeviceArray<int[]> x, LaunchShape s); }"),
            base)
        .are(
            MISSING_KERNEL,
            "run needs @Kernel or @Symbol; each abstract method of a kernel interface is a kernel or"
                + " gives a variable");
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Kernels extends Base {"
                    + " @Kernel void run(DeviceArray<int[]> «x, LaunchShape s); }"),
            base)
        .are(MISSING_ACCESS, "parameter 'x' of run needs @Reads, @Writes or @ReadWrites");
  }

  @Test
  void overridingKernelNeedsItsThreadCountAgain() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Kernels extends Base {"
                    + " @Kernel void «run(int n); }"),
            base("Base", "@Kernel void run(@ThreadCount int n);"))
        .are(
            MISSING_SHAPE,
            "run does not say how many threads it needs; add @ThreadCount to an int or long, or a"
                + " LaunchShape parameter");
  }

  @Test
  void parentsWithoutAKernelLeaveTheModuleEmpty() {
    Mistakes.in(
            Sources.importing("«@KernelModule(\"k.ptx\")\ninterface Kernels extends Base {}"),
            "package demo;\ninterface Base { default void run() {} }")
        .are(
            EMPTY_MODULE,
            "Kernels has no kernel; declare a method with @Kernel or remove @KernelModule");
  }

  @Test
  void kernelInheritedFromManyIsOneMistake() {
    Mistakes.in(
            extending("C, B, A", ""),
            base("A", "@Kernel void run(@ThreadCount int n);"),
            base("B", "@Kernel void run(@ThreadCount int n);"),
            base("C", "@Kernel void run(@ThreadCount int n);"))
        .are(
            AMBIGUOUS_KERNEL,
            "run is inherited from A and from B; declare it in Kernels to choose one");
  }

  @Test
  void kernelInheritedOverTwoPathsIsOneKernel() {
    Mistakes.in(
            Sources.importing("@KernelModule(\"k.ptx\")\ninterface Kernels extends A, B {}"),
            base("Root", "@Kernel void run(@ThreadCount int n);"),
            "package demo;\ninterface A extends Root {}",
            "package demo;\ninterface B extends Root {}")
        .areNone();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Base               | Base    | default void on(DeviceStream s) {}",
        "Base<DeviceStream> | Base<T> | default void on(T s) {}",
      })
  void inheritedDefaultMethodCannotHideTheFactory(String parent, String declared, String method) {
    Mistakes.in(
            extending(parent, "@Kernel void run(@ThreadCount int n);"),
            Sources.importing("interface " + declared + " { " + method + " }"))
        .are(
            LAUNCHER_METHOD_CLASH,
            "the default method on(DeviceStream) of Base hides a static method of its launcher;"
                + " rename it (inherited from Base)");
  }

  @Test
  void otherMethodsNamedLikeTheFactoryAreAllowed() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Kernels extends Base<String> {"
                    + " @Kernel void run(@ThreadCount int n);"
                    + " static void on(DeviceStream s) {} default void on(int s) {} }"),
            "package demo;\ninterface Base<T> { default void on(T s) {} }")
        .areNone();
  }

  private static String extending(String parents, String members) {
    return Sources.importing(
        "@KernelModule(\"k.ptx\")\n«interface Kernels extends " + parents + " {" + members + "}");
  }

  private static String base(String declared, String members) {
    return Sources.importing(
        "@SuppressWarnings(\"streamfence:KernelWithoutLauncher\")\ninterface "
            + declared
            + " {"
            + members
            + "}");
  }
}
