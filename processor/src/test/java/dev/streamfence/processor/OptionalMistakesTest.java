package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static dev.streamfence.processor.UserBuild.javac;
import static dev.streamfence.processor.diagnostic.Problem.ANNOTATION_ON_STRUCT;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.NOT_OPTIONAL;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.JavaFileObjects;
import dev.streamfence.processor.diagnostic.Problem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays that may be absent, and other parameters that are said to be. */
class OptionalMistakesTest {
  private static final String TABLE = "a table, in which an empty array passes the address 0";

  private static Mistakes with(String parameter) {
    return Mistakes.inKernels("@Kernel void run(" + parameter + ", @ThreadCount int n);");
  }

  private static Mistakes inRecord(String component) {
    return Mistakes.in(
        Sources.kernels("@Kernel void run(Group «group, @ThreadCount int n);")
            + "record Group("
            + component
            + ") {}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DeviceArray<int[]>",
        "ReadableArray<int[]>",
        "dev.streamfence.column.DeviceColumn<int[]>",
        "dev.streamfence.column.ReadableColumn<int[]>"
      })
  void arraysAndColumnsMayBeOptional(String type) {
    String declared = "@Reads @Optional " + type + " x";
    Mistakes parameter = with(declared);
    parameter.areNone();
    assertThat(parameter.launcher()).contains(".reads(\"x\", int[].class).optional()");
    Mistakes component =
        Mistakes.in(
            Sources.kernels("@Kernel void run(Group group, @ThreadCount int n);")
                + ("record Group(" + declared + ", int y) {}"));
    component.areNone();
    assertThat(component.launcher()).contains(".reads(\"x\", int[].class).optional()");
  }

  /** Checkers for nulls ask for it; only where the interface has it, and in the same way. */
  @Test
  void launcherKeepsTheMarkOfAnArrayThatMayBeNull() {
    Compilation compilation =
        javac()
            .withOptions("-Xlint:all,-processing", "-Werror")
            .withProcessors(new KernelProcessor())
            .compile(
                JavaFileObjects.forSourceString(
                    "other.Nullable", "package other; public @interface Nullable {}"),
                Sources.file(
                    """
                    package demo;
                    import dev.streamfence.annotation.*;
                    import dev.streamfence.column.ReadableColumn;
                    import org.jspecify.annotations.Nullable;
                    @KernelModule("k.ptx")
                    @SuppressWarnings("streamfence:UnseenModule")
                    interface Kernels {
                      class DeviceArray {}
                      @Kernel
                      void run(@Reads @Optional @Nullable ReadableColumn<int[]> a,
                          @Reads @Optional dev.streamfence.@Nullable DeviceArray<int[]> b,
                          @Reads @Optional @other.Nullable ReadableColumn<int[]> c,
                          @Reads @Optional ReadableColumn<int[]> d,
                          @Reads @Nullable ReadableColumn<int[]> e, @ThreadCount int n);
                    }
                    """));
    assertThat(compilation).succeededWithoutWarnings();
    assertThat(compilation)
        .generatedSourceFile("demo.KernelsLauncher")
        .contentsAsUtf8String()
        .contains(
            "public void run(@Nullable ReadableColumn<int[]> a,\n"
                + "      dev.streamfence. @Nullable DeviceArray<int[]> b,"
                + " @other.Nullable ReadableColumn<int[]> c,\n"
                + "      ReadableColumn<int[]> d, ReadableColumn<int[]> e, int n)");
  }

  /** A class in the launcher's package could not write these. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "private @interface Nullable {}",
        "@interface Nullable { String value(); }",
        "@interface Other {} @interface Nullable { Other value(); int more() default 1; }"
      })
  void launcherLeavesOutAMarkThatItCouldNotWrite(String mark) {
    String value =
        mark.contains("Other value") ? "(@Other)" : mark.contains("value") ? "(\"\")" : "";
    Mistakes mistakes =
        Mistakes.in(
            """
            package demo;
            import dev.streamfence.*;
            import dev.streamfence.annotation.*;
            class Outer {
              %s
              @KernelModule("k.ptx")
              @SuppressWarnings("streamfence:UnseenModule")
              interface Kernels {
                @Kernel
                void run(@Reads @Optional @Nullable%s DeviceArray<int[]> a, @ThreadCount int n);
              }
            }
            """
                .formatted(mark, value));
    mistakes.areNone();
  }

  @Test
  void launcherLeavesOutAMarkThatItsInterfaceInherits() {
    Mistakes.in(
            """
            package lib;
            public class Base {
              protected @interface Nullable {}
            }
            """,
            """
            package demo;
            import dev.streamfence.*;
            import dev.streamfence.annotation.*;
            class Outer extends lib.Base {
              @KernelModule("k.ptx")
              @SuppressWarnings("streamfence:UnseenModule")
              interface Kernels {
                @Kernel
                void run(@Reads @Optional @Nullable DeviceArray<int[]> a, @ThreadCount int n);
              }
            }
            """)
        .areNone();
  }

  @Test
  void writtenArrayMayBeOptionalAndTrusted() {
    Mistakes both = with("@Optional @Trusted(\"see k.cu\") @Writes DeviceArray<int[]> x");
    both.areNone();
    assertThat(both.launcher()).contains(".writes(\"x\", int[].class).trusted().optional()");
  }

  @ParameterizedTest
  @CsvSource({"int, an int", "boolean, a boolean", "double, a double"})
  void numberIsNotOptional(String type, String inWords) {
    with("«@Optional " + type + " x")
        .are(NOT_OPTIONAL, "'x' is " + inWords + ", not an array; remove @Optional");
    inRecord("@Optional " + type + " x")
        .are(NOT_OPTIONAL, "'group.x' is " + inWords + ", not an array; remove @Optional");
  }

  @Test
  void whatShapesALaunchIsNotOptional() {
    Mistakes.inKernels("@Kernel void run(«@Optional @ThreadCount int n);")
        .are(NOT_OPTIONAL, "'n' is an int, not an array; remove @Optional");
    Mistakes.inKernels("@Kernel void run(«@Optional LaunchShape shape);")
        .are(NOT_OPTIONAL, "'shape' is a LaunchShape, not an array; remove @Optional");
    with("«@Optional @DynamicSharedBytes int bytes")
        .are(NOT_OPTIONAL, "'bytes' is an int, not an array; remove @Optional");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DeviceArray<int[]>[]",
        "java.util.List<DeviceArray<?>>",
        "dev.streamfence.column.DeviceTable"
      })
  void tableIsNotOptional(String type) {
    with("@Reads «@Optional " + type + " x")
        .are(NOT_OPTIONAL, "'x' is " + TABLE + "; remove @Optional");
    inRecord("@Reads @Optional " + type + " x")
        .are(NOT_OPTIONAL, "'group.x' is " + TABLE + "; remove @Optional");
  }

  @Test
  void recordIsNotOptional() {
    Mistakes.in(
            Sources.kernels("@Kernel void run(«@Optional Group group, @ThreadCount int n);")
                + "record Group(int x) {}")
        .are(ANNOTATION_ON_STRUCT);
  }

  @Test
  void optionalArrayNeedsAnAccessLikeAnyOther() {
    with("@Optional DeviceArray<int[]> «x")
        .are(MISSING_ACCESS, "parameter 'x' of run needs @Reads, @Writes or @ReadWrites");
  }

  @Test
  void typeThatNoKernelTakesIsReportedOnce() {
    with("@Optional String «x").are(UNSUPPORTED_TYPE);
  }

  @Test
  void optionalAndTrustedNumberIsBoth() {
    with("«@Trusted(\"sure\") «@Optional int x").are(Problem.TRUSTED_SCALAR, NOT_OPTIONAL);
  }
}
