package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.EMPTY_MODULE;
import static dev.streamfence.processor.diagnostic.Problem.FACTORY_CLASH;
import static dev.streamfence.processor.diagnostic.Problem.GENERIC;
import static dev.streamfence.processor.diagnostic.Problem.KERNEL_NOT_ABSTRACT;
import static dev.streamfence.processor.diagnostic.Problem.KERNEL_OUTSIDE_MODULE;
import static dev.streamfence.processor.diagnostic.Problem.KERNEL_WITHOUT_LAUNCHER;
import static dev.streamfence.processor.diagnostic.Problem.LAUNCHER_NAME_CLASH;
import static dev.streamfence.processor.diagnostic.Problem.NOT_AN_INTERFACE;
import static dev.streamfence.processor.diagnostic.Problem.PRIVATE_INTERFACE;
import static dev.streamfence.processor.diagnostic.Problem.RESOURCE_NAME;
import static dev.streamfence.processor.diagnostic.Problem.SEALED_INTERFACE;
import static dev.streamfence.processor.diagnostic.Problem.STRAY_ANNOTATION;
import static dev.streamfence.processor.diagnostic.Problem.TOO_LARGE;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes in a kernel interface as a whole, and annotations that belong to none. */
class InterfaceMistakesTest {
  private static final String RUN = "{ @Kernel void run(@ThreadCount int n); }\n";

  @ParameterizedTest
  @CsvSource({
    "abstract class Saxpy {}, a class",
    "enum Saxpy {}, an enum",
    "record Saxpy(int a) {}, a record",
    "@interface Saxpy {}, an annotation type",
  })
  void onlyAnInterfaceHasALauncher(String type, String kind) {
    Mistakes.in(Sources.importing("«@KernelModule(\"k.ptx\")\n" + type))
        .are(NOT_AN_INTERFACE, "@KernelModule needs an interface; Saxpy is " + kind);
  }

  @Test
  void classWithKernelsIsOneMistake() {
    Mistakes.in(
            Sources.importing(
                "«@KernelModule(\"k.ptx\")\nabstract class Saxpy {"
                    + " @Kernel abstract void run(int[] x); }"))
        .are(NOT_AN_INTERFACE, "@KernelModule needs an interface; Saxpy is a class");
  }

  @Test
  void kernelInterfaceIsNotGeneric() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Kernels<«T> {"
                    + " @Kernel void run(@Reads DeviceArray<T> x, @ThreadCount int n); }"))
        .are(
            GENERIC,
            "Kernels has the type parameter T; kernels are compiled for fixed types, remove it");
  }

  @Test
  void privateInterfaceCannotBeImplemented() {
    Mistakes.in(
            Sources.importing(
                "class Outer { @KernelModule(\"k.ptx\") private «interface Saxpy " + RUN + "}"))
        .are(PRIVATE_INTERFACE, "Saxpy cannot have a launcher: it is private");
  }

  @Test
  void interfaceInAPrivateClassCannotBeImplemented() {
    Mistakes.in(
            Sources.importing(
                "class Outer { private static class Inner {"
                    + " @KernelModule(\"k.ptx\") public «interface Saxpy "
                    + RUN
                    + "} }"))
        .are(PRIVATE_INTERFACE, "Saxpy cannot have a launcher: its encloser Inner is private");
  }

  @Test
  void protectedInterfaceIsSeenByItsPackage() {
    Mistakes.in(
            Sources.importing(
                "public class Outer { @KernelModule(\"k.ptx\") protected interface Saxpy "
                    + RUN
                    + "}"))
        .areNone();
  }

  @Test
  void sealedInterfaceCannotBeImplemented() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\nsealed «interface Saxpy permits Other "
                    + RUN
                    + "@KernelModule(\"k.ptx\") non-sealed interface Other extends Saxpy {}"))
        .are(
            SEALED_INTERFACE,
            "Saxpy cannot have a launcher: it is sealed; remove sealed and permits");
  }

  @Test
  void moduleHasAKernel() {
    Mistakes.in(
            Sources.importing(
                "«@KernelModule(\"k.ptx\")\ninterface Saxpy { default void run() {} }"))
        .are(
            EMPTY_MODULE,
            "Saxpy has no kernel; declare a method with @Kernel or remove @KernelModule");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/k.ptx",
        "a//k.ptx",
        "./k.ptx",
        "../k.ptx",
        "a/../k.ptx",
        "a/",
        "c:k.ptx",
        "a\\\\k.ptx",
        "a\\nk.ptx",
        "a\\u007f",
        ".."
      })
  void resourceNameStaysOnTheClassPath(String name) {
    Mistakes.in(Sources.importing("@KernelModule(«\"" + name + "\")\ninterface Saxpy " + RUN))
        .are(
            RESOURCE_NAME,
            "\""
                + name.replace("\\\\", "\\").replace("\\n", "\\u000a")
                + "\" is no resource name; it is relative to the root of the class path, of at most"
                + " 1024 characters, with '/' between parts that are not empty, '.' or '..', and"
                + " without ':', '\\' and control characters");
  }

  @Test
  void launcherWouldReplaceAClassOfTheSameName() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\n«interface Saxpy " + RUN + "class SaxpyLauncher {}"))
        .are(
            LAUNCHER_NAME_CLASH,
            "the launcher SaxpyLauncher of Saxpy clashes with demo.SaxpyLauncher, at least ignoring"
                + " case; rename one");
  }

  @Test
  void launcherWouldReplaceAClassWhereFilesHaveNoCase() {
    Mistakes.in(
            Sources.importing("@KernelModule(\"k.ptx\")\n«interface Saxpy " + RUN),
            "package demo;\nclass SAXPYlauncher {}")
        .are(
            LAUNCHER_NAME_CLASH,
            "the launcher SaxpyLauncher of Saxpy clashes with demo.SAXPYlauncher, at least ignoring"
                + " case; rename one");
  }

  @Test
  void twoInterfacesCannotShareALauncher() {
    Mistakes.in(
            Sources.importing(
                "class Outer { @KernelModule(\"k.ptx\") interface Saxpy " + RUN + "}\n"),
            Sources.importing("@KernelModule(\"k.ptx\")\n«interface Outer_Saxpy " + RUN))
        .are(
            LAUNCHER_NAME_CLASH,
            "the launcher Outer_SaxpyLauncher of Outer_Saxpy clashes with the launcher of"
                + " demo.Outer.Saxpy, at least ignoring case; rename one");
  }

  @Test
  void memberWithTheLaunchersNameWouldHideIt() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\n«interface Saxpy {"
                    + " @Kernel void run(@ThreadCount int n); class SaxpyLauncher {} }"))
        .are(
            LAUNCHER_NAME_CLASH,
            "the launcher SaxpyLauncher of Saxpy clashes with a member of Saxpy, at least ignoring"
                + " case; rename one");
  }

  @Test
  void defaultMethodCannotHideTheFactory() {
    Mistakes.inKernels(
            "@Kernel void run(@ThreadCount int n); default void «on(DeviceStream stream) {}")
        .are(
            FACTORY_CLASH,
            "the default method on(DeviceStream) of Kernels hides its launcher's factory; rename"
                + " the method");
  }

  @Test
  void launcherFitsIntoOneClass() {
    String kernels = kernels(1500);
    Mistakes.in(Sources.importing("@KernelModule(\"k.ptx\")\ninterface Large {" + kernels + "}"))
        .areNone();
  }

  @Test
  void interfaceThatIsTooLargeHasToBeSplit() {
    String kernels = kernels(1501);
    Mistakes.in(Sources.importing("@KernelModule(\"k.ptx\")\n«interface Large {" + kernels + "}"))
        .are(TOO_LARGE, "Large has 1501 kernels, more than one launcher class can hold; split it");
  }

  @Test
  void kernelBelongsToAnInterface() {
    Mistakes.in(
            Sources.importing("abstract class Saxpy { «@Kernel abstract void run(@Reads int n); }"))
        .are(
            KERNEL_OUTSIDE_MODULE,
            "run is a method of Saxpy; @Kernel needs an interface with @KernelModule");
  }

  @Test
  void interfaceWithKernelsProbablyWantsALauncher() {
    Mistakes.in(Sources.importing("«interface Saxpy " + RUN))
        .areWarning(
            KERNEL_WITHOUT_LAUNCHER,
            "Saxpy has kernels but no @KernelModule, so no launcher; add it, or"
                + " @SuppressWarnings(\"streamfence:KernelWithoutLauncher\") if it is there to be"
                + " extended");
  }

  @Test
  void warningIsSuppressedByAnEncloser() {
    Mistakes.in(
            Sources.importing(
                "@SuppressWarnings(\"streamfence:KernelWithoutLauncher\")\nclass Outer { interface"
                    + " Saxpy "
                    + RUN
                    + "}"))
        .areNone();
  }

  @Test
  void kernelWithABodyIsAMistakeOutsideModulesToo() {
    Mistakes.in(
            Sources.importing(
                "interface Saxpy { «@Kernel default void run(@ThreadCount int n) {} }"))
        .are(
            KERNEL_NOT_ABSTRACT,
            "run has a body, so no kernel is launched; remove the body or @Kernel");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Reads", "Writes", "ReadWrites", "ThreadCount", "DynamicSharedBytes"})
  void annotationHasNoEffectOutsideKernels(String annotation) {
    Mistakes.in(Sources.importing("class Saxpy { void run(«@" + annotation + " int n) {} }"))
        .are(
            STRAY_ANNOTATION,
            "@" + annotation + " on 'n' has no effect: run is no kernel; remove it or add @Kernel");
  }

  @Test
  void annotationHasNoEffectOnAConstructor() {
    Mistakes.in(Sources.importing("class Saxpy { Saxpy(«@Reads int n) {} }"))
        .are(
            STRAY_ANNOTATION,
            "@Reads on 'n' has no effect: Saxpy is no kernel; remove it or add @Kernel");
  }

  @Test
  void annotationHasNoEffectOnADefaultMethod() {
    Mistakes.inKernels(
            "@Kernel void run(@ThreadCount int n); default void other(«@ThreadCount int n) {}")
        .are(
            STRAY_ANNOTATION,
            "@ThreadCount on 'n' has no effect: other is no kernel; remove it or add @Kernel");
  }

  private static String kernels(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "@Kernel void k" + i + "(@ThreadCount int n);\n")
        .collect(Collectors.joining());
  }
}
