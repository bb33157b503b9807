package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.COMPACT_SOURCE;
import static dev.streamfence.processor.diagnostic.Problem.EMPTY_MODULE;
import static dev.streamfence.processor.diagnostic.Problem.GENERIC;
import static dev.streamfence.processor.diagnostic.Problem.KERNEL_NOT_ABSTRACT;
import static dev.streamfence.processor.diagnostic.Problem.KERNEL_OUTSIDE_MODULE;
import static dev.streamfence.processor.diagnostic.Problem.KERNEL_WITHOUT_LAUNCHER;
import static dev.streamfence.processor.diagnostic.Problem.LAUNCHER_METHOD_CLASH;
import static dev.streamfence.processor.diagnostic.Problem.LAUNCHER_NAME_CLASH;
import static dev.streamfence.processor.diagnostic.Problem.NOT_AN_INTERFACE;
import static dev.streamfence.processor.diagnostic.Problem.PRIVATE_INTERFACE;
import static dev.streamfence.processor.diagnostic.Problem.RESOURCE_NAME;
import static dev.streamfence.processor.diagnostic.Problem.SEALED_INTERFACE;
import static dev.streamfence.processor.diagnostic.Problem.STRAY_ANNOTATION;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes in a kernel interface as a whole, and annotations outside kernel interfaces. */
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

  @ParameterizedTest
  @ValueSource(strings = {"«T", "«T extends Number", "«T extends Comparable<T>"})
  void kernelInterfaceIsNotGeneric(String parameter) {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Kernels<"
                    + parameter
                    + "> { @Kernel void run(@Reads DeviceArray<T> x, @ThreadCount int n); }"))
        .are(
            GENERIC,
            "Kernels has the type parameter T; kernels are compiled for fixed types, so remove"
                + " it");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "class Outer { %s private «interface Saxpy %s } | it is",
        "record Outer(int a) { %s private «interface Saxpy %s } | it is",
        "enum Outer { A; %s private «interface Saxpy %s } | it is",
        "class Outer { private static class Inner { %s public «interface Saxpy %s } }"
            + "| its enclosing type Inner is",
        "class Outer { private class Inner { %s «interface Saxpy %s } } | its enclosing type"
            + " Inner is",
        "class Outer { private interface Inner { %s «interface Saxpy %s } }"
            + "| its enclosing type Inner is",
        "class Outer { private enum Inner { A; class Deep { %s «interface Saxpy %s } } }"
            + "| its enclosing type Inner is",
      })
  void privateInterfaceCannotBeImplemented(String types, String reason) {
    Mistakes.in(Sources.importing(types.formatted("@KernelModule(\"k.ptx\")", RUN)))
        .are(PRIVATE_INTERFACE, "Saxpy cannot have a launcher: " + reason + " private");
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_25, disabledReason = "compact source files came with JDK 25")
  void interfaceInACompactSourceFileCannotBeImplemented() {
    // The comment names the file.
    Mistakes.in(
            "/*\nclass Program\n*/\nimport dev.streamfence.*; import dev.streamfence.annotation.*;\n"
                + "@KernelModule(\"k.ptx\") «interface Saxpy "
                + RUN
                + "\nvoid main() {}")
        .are(
            COMPACT_SOURCE,
            "Saxpy cannot have a launcher: it is in a compact source file, whose class no other"
                + " code can name; move it to a file of its own");
  }

  /** The compiler hides the content of bodies from processors. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "class Outer { void run() { %s interface Saxpy %s } }",
        "class Outer { { %s interface Saxpy %s } }",
        "class Outer { Object o = new Object() { %s interface Saxpy %s }; }",
      })
  void localInterfaceHasNoLauncher(String types) {
    assertThat(
            Mistakes.in(Sources.importing(types.formatted("@KernelModule(\"k.ptx\")", RUN)))
                .generatedFiles())
        .isEmpty();
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "default void run() {}",
        "static void run() {}",
        "int COUNT = 3; class Nested {}",
        "String toString();",
        "@KernelModule(\"b.ptx\") interface Inner { @Kernel void run(@ThreadCount int n); }",
      })
  void moduleNeedsAKernel(String members) {
    Mistakes.in(Sources.importing("«@KernelModule(\"k.ptx\")\ninterface Saxpy {" + members + "}"))
        .are(
            EMPTY_MODULE,
            "Saxpy has no kernel; declare a method with @Kernel or remove @KernelModule");
  }

  @Test
  void moduleWhoseOnlyKernelHasABodyIsOneMistake() {
    Mistakes.inKernels("«@Kernel default void run(@ThreadCount int n) {}")
        .are(
            KERNEL_NOT_ABSTRACT,
            "run has a body, so no kernel is launched; remove the body or @Kernel");
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
        "a\\\\u0022k.ptx",
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
                + "\" is not a resource name; a resource name is relative to the root of the class"
                + " path, has at most 1024 characters, no ':', '\\' or control character, and no"
                + " part that is empty, '.' or '..'");
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
                + " demo.Outer.Saxpy, at least on file systems that ignore case; rename one");
  }

  @Test
  void memberWithTheLaunchersNameWouldHideIt() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\n«interface Saxpy {"
                    + " @Kernel void run(@ThreadCount int n); class SaxpyLauncher {} }"))
        .are(
            LAUNCHER_NAME_CLASH,
            "the launcher SaxpyLauncher of Saxpy clashes with a member of Saxpy, at least on"
                + " file systems that ignore case; rename one");
  }

  @ParameterizedTest
  @CsvSource({
    "on, DeviceStream s, ''",
    "module, DeviceStream s, ''",
    "on, T s, <T extends DeviceStream>",
    "on, T s, '<U extends DeviceStream & Runnable, T extends U>'",
  })
  void defaultMethodCannotHideAStaticMethodOfTheLauncher(
      String name, String parameter, String variables) {
    Mistakes.inKernels(
            "@Kernel void run(@ThreadCount int n); default "
                + variables
                + " void «"
                + name
                + "("
                + parameter
                + ") {}")
        .are(
            LAUNCHER_METHOD_CLASH,
            "the default method "
                + name
                + "(DeviceStream) of Kernels hides a static method of its launcher; rename it");
  }

  @Test
  void otherMethodsNamedModuleAreAllowed() {
    Mistakes.inKernels(
            "@Kernel void module(@ThreadCount int n); default void module(Object o) {}"
                + " default void module() {} static void module(DeviceStream s) {}")
        .areNone();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "abstract class Saxpy { «@Kernel abstract void run(@Reads int n); }",
        "class Saxpy { «@Kernel void run() {} }",
        "class Saxpy { «@Kernel static void run() {} }",
        "class Saxpy { «@Kernel private native void run(); }",
        "enum Saxpy { A; «@Kernel void run() {} }",
        "record Saxpy(int a) { «@Kernel void run() {} }",
        "@interface Saxpy { «@Kernel int run(); }",
        "«record Saxpy(@Kernel int run) {}",
      })
  void kernelBelongsToAnInterface(String type) {
    Mistakes.in(Sources.importing(type))
        .are(
            KERNEL_OUTSIDE_MODULE,
            "run is declared in Saxpy; @Kernel needs an interface with @KernelModule");
  }

  @Test
  void interfaceWithKernelsButWithoutAModuleIsAWarning() {
    Mistakes.in(Sources.importing("«interface Saxpy " + RUN))
        .areWarning(
            KERNEL_WITHOUT_LAUNCHER,
            "Saxpy has kernels but no @KernelModule, so it gets no launcher; add"
                + " @KernelModule, or"
                + " @SuppressWarnings(\"streamfence:KernelWithoutLauncher\") if other"
                + " interfaces extend it");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"streamfence:KernelWithoutLauncher\"",
        "{\"unused\", \"streamfence:KernelWithoutLauncher\"}",
        "\"streamfence:\" + \"KernelWithoutLauncher\"",
      })
  void warningIsSuppressedByAnEncloser(String value) {
    Mistakes.in(
            Sources.importing(
                "@SuppressWarnings(" + value + ")\nclass Outer { interface Saxpy " + RUN + "}"))
        .areNone();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "\"all\"",
        "\"KernelWithoutLauncher\"",
        "{\"unused\", \"streamfence:MissingAccess\"}",
        "Missing.NAME",
        "{\"unused\", Missing.NAME}",
      })
  void warningIsSuppressedByItsNameAlone(String value) {
    Mistakes.in(Sources.importing("@SuppressWarnings(" + value + ")\n«interface Saxpy " + RUN))
        .areWarning(
            KERNEL_WITHOUT_LAUNCHER,
            "Saxpy has kernels but no @KernelModule, so it gets no launcher; add"
                + " @KernelModule, or"
                + " @SuppressWarnings(\"streamfence:KernelWithoutLauncher\") if other"
                + " interfaces extend it");
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
  @ValueSource(
      strings = {
        "Reads",
        "Writes",
        "ReadWrites",
        "Trusted(\"sure\")",
        "Optional",
        "ThreadCount",
        "DynamicSharedBytes"
      })
  void annotationHasNoEffectOutsideKernels(String annotation) {
    String name = annotation.replaceAll("\\(.*", "");
    Mistakes.in(Sources.importing("class Saxpy { void run(«@" + annotation + " int n) {} }"))
        .are(
            STRAY_ANNOTATION,
            "@" + name + " on 'n' has no effect: run is not a kernel; remove it or add @Kernel");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "class Saxpy { Saxpy(«@Reads int n) {} }                         | Saxpy",
        "class Saxpy { static void run(«@Reads int n) {} }               | run",
        "class Saxpy { private void run(«@Reads int n) {} }              | run",
        "abstract class Saxpy { abstract void run(«@Reads int n); }      | run",
        "record Saxpy(«@Reads int n) {}                                  | Saxpy",
        "enum Saxpy { A(1); Saxpy(«@Reads int n) {} }                    | Saxpy",
        "interface Saxpy { void run(«@Reads int n); }                    | run",
        "interface Saxpy { static void run(«@Reads int n) {} }           | run",
        "interface Saxpy { private void run(«@Reads int n) {} }          | run",
        "class Saxpy { class Inner { void run(«@Reads int n) {} } }      | run",
      })
  void annotationHasNoEffectInOtherPlaces(String type, String place) {
    Mistakes.in(Sources.importing(type))
        .are(
            STRAY_ANNOTATION,
            "@Reads on 'n' has no effect: "
                + place
                + " is not a kernel; remove it"
                + (place.equals("Saxpy") ? "" : " or add @Kernel"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"default", "static", "private", "private static"})
  void annotationHasNoEffectOnAMethodWithABody(String modifiers) {
    Mistakes.inKernels(
            "@Kernel void run(@ThreadCount int n); "
                + modifiers
                + " void other(«@ThreadCount int n) {}")
        .are(
            STRAY_ANNOTATION,
            "@ThreadCount on 'n' has no effect: other is not a kernel; remove it or add @Kernel");
  }
}
