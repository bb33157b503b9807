package dev.streamfence.processor;

import static dev.streamfence.processor.UserBuild.Tool.ECLIPSE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The processor in Eclipse's compiler, which implements elements and types in its own way. */
class EclipseCompilerTest {
  /** The warnings that users turn on besides the default ones. */
  static final String WARNINGS =
      "-warn:+allDeadCode,allOver-ann,dep-ann,emptyBlock,fallthrough,finally,hashCode,semicolon,"
          + "static-method,super,switchDefault,typeHiding,unnecessaryElse,unused,uselessTypeCheck";

  @TempDir private Path folder;

  @ParameterizedTest
  @MethodSource("dev.streamfence.processor.Golden#all")
  void launcherIsTheOneThatJavacGets(Golden golden) throws IOException {
    UserBuild build = build().with(golden.source()).run();

    assertThat(launcher(golden.qualifiedLauncher().replace('.', '/'), build))
        .isEqualTo(Files.readString(golden.expected()));
  }

  @Test
  void textFromAnnotationsStaysALiteral() {
    String text = "a\\\"); static { throw new Error(); } String s = (\\\"\\u00e9";
    UserBuild build =
        build()
            .with(
                "demo/Kernels.java",
                Sources.kernels("@Kernel void run(@ThreadCount int n);").replace("k.ptx", text))
            .run();

    assertThat(launcher("demo/KernelsLauncher", build))
        .contains("\"a\\\"); static { throw new Error(); } String s = (\\\"\\u00e9\"");
  }

  @Test
  void undeclaredTypeIsOneErrorInTheLastRound() {
    UserBuild build =
        kernels(
                """
                @Kernel int first(DeviceArray<int[]> a, @ThreadCount int n);
                @Kernel void second(@Reads DeviceArray<?> b, @Writes int c, String d);
                void third();
                @Kernel <T> void fourth(T e, @ThreadCount int n) throws Exception;
                @Kernel(blockSize = 0) void fifth(Missing f, @ThreadCount int n);
                """)
            .run();

    assertThat(build.complaints())
        .containsExactly(
            "[UnresolvedType] no launcher generated for Kernels: type Missing in"
                + " fifth(Missing, int) is not resolved");
  }

  @Test
  void aValueOfAnotherTypeIsTheCompilersError() {
    UserBuild build =
        kernels("@Kernel(value = \"other\", mayAlias = 1) void run(@ThreadCount int n);").run();

    assertThat(build.complaints()).isEmpty();
    assertThat(build.errors())
        .containsExactly("Kernels.java:6 ERROR Type mismatch: cannot convert from int to boolean");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@Kernel(Missing.ENTRY) void run(@ThreadCount int n);",
        "@Kernel(null) void run(@ThreadCount int n);",
        "@Kernel({\"one\", \"two\"}) void run(@ThreadCount int n);",
        "@Kernel void run(@Reads(below = {\"x\", null}) DeviceArray<int[]> x, @ThreadCount int n);",
        "@Kernel void run(@Reads @Reads DeviceArray<int[]> x, @ThreadCount int n);",
      })
  void whatTheCompilerRefusesInAnAnnotationIsItsErrorAlone(String kernel) {
    UserBuild build =
        build()
            .with(
                "demo/Kernels.java",
                Sources.kernels(kernel).replace("@KernelModule", Sources.UNSEEN + "@KernelModule"))
            .run();

    assertThat(build.isCompiled()).isFalse();
    assertThat(build.complaints()).isEmpty();
    assertThat(build.inGeneratedFiles()).isEmpty();
  }

  @Test
  void textThatOnlyLooksLikeARefusedValueIsKept() {
    assertThat(kernels("@Kernel(\"<error>\") void run(@ThreadCount int n);").run().ids())
        .contains("ERROR [EntryName]");
  }

  @Test
  void limitsAreReadAsOneNameAsSeveralAndFromConstants() {
    UserBuild build =
        build()
            .with("demo/Names.java", "package demo; interface Names { String LENGTH = \"n\"; }")
            .with(
                "demo/Kernels.java",
                Sources.kernels(
                    "@Kernel void run(@Reads(below = \"b\") DeviceArray<int[]> a,"
                        + " @Reads(atMost = {Names.LENGTH, \"a\"}, least = -1)"
                        + " DeviceArray<long[]> b, @Reads(below = {}) DeviceArray<int[]> c,"
                        + " @ThreadCount int n);"))
            .run();

    assertThat(launcher("demo/KernelsLauncher", build))
        .contains(
            ".reads(\"a\", int[].class).below(\"b\")",
            ".reads(\"b\", long[].class).atMost(\"n\").atMost(\"a\").least(-1)")
        .containsPattern("\"c\", int\\[]\\.class\\)\\s");
  }

  @Test
  void aLimitOfAnotherTypeIsTheCompilersError() {
    UserBuild build =
        kernels("@Kernel void run(@Reads(below = 1) DeviceArray<int[]> a, @ThreadCount int n);")
            .run();

    assertThat(build.complaints()).allMatch(each -> each.startsWith("[UnseenModule]"));
    assertThat(build.errors())
        .containsExactly(
            "Kernels.java:6 ERROR Type mismatch: cannot convert from int to java.lang.String[]");
  }

  @Test
  void aRecordWaitsForTheTypeOfItsComponent() {
    UserBuild build =
        build()
            .after(
                new GeneratingProcessor(
                    Map.of("demo.Later", "package demo; public record Later(int a) {}")))
            .with(
                "demo/Pair.java",
                "package demo; import dev.streamfence.*; import dev.streamfence.annotation.*;"
                    + "record Pair(@Reads DeviceArray<Later[]> later, int n) {}")
            .with(
                "demo/Kernels.java",
                Sources.kernels("@Kernel void run(Pair pair, @ThreadCount int n);"))
            .run();

    assertThat(build.errors()).isEmpty();
    assertThat(build.generated("demo/KernelsLauncher.java")).contains(".reads(\"later\"");
  }

  /** Without a kernel interface beside it, that compiler does not ask processors. */
  @Test
  void aKernelOfAnAnnotationTypeIsRefused() {
    UserBuild build =
        kernels("@Kernel void run(@ThreadCount int n);")
            .with(
                "demo/Mark.java",
                "package demo; import dev.streamfence.annotation.*; @interface Mark { @Kernel int x(); }")
            .run();

    assertThat(build.ids()).contains("ERROR [KernelOutsideModule]");
  }

  @Test
  void everyMistakeIsReportedAtOnce() {
    UserBuild build =
        kernels(
                """
                @Kernel int first(DeviceArray<int[]> a, @ThreadCount int n);
                @Kernel void second(@Reads DeviceArray<?> b, @Writes int c, String d);
                void third();
                @Kernel <T> void fourth(T e, @ThreadCount int n) throws Exception;
                """)
            .run();

    assertThat(build.ids())
        .containsExactlyInAnyOrder(
            "ERROR [ReturnsValue]",
            "ERROR [MissingAccess]",
            "ERROR [BufferElement]",
            "ERROR [AccessOnScalar]",
            "ERROR [UnsupportedType]",
            "ERROR [MissingShape]",
            "ERROR [MissingKernel]",
            "ERROR [Generic]",
            "ERROR [ThrowsClause]");
  }

  @Test
  void aMistakeAtAParameterOfAGeneratedTypeIsReportedThere() {
    UserBuild build =
        UserBuild.by(UserBuild.Tool.ECLIPSE, folder)
            .after(new GeneratingProcessor(Map.of("demo.Kind", "package demo; enum Kind { A }")))
            .with(
                "demo/Kernels.java",
                Sources.kernels("@Kernel void run(DeviceArray<int[]> x, Kind k, LaunchShape s);"))
            .run();

    assertThat(build.ids())
        .contains("ERROR [MissingAccess]")
        .doesNotContain("ERROR [InternalError]");
  }

  @Test
  void constantThatAnotherProcessorGeneratesIsAwaited() {
    String names = "package demo; interface Names { String ENTRY = \"run\"; int SIZE = 96; }";
    UserBuild build =
        kernels(
                "@Kernel(value = Names.ENTRY, blockSize = Names.SIZE) void any(@ThreadCount int"
                    + " n);")
            .after(new GeneratingProcessor(Map.of("demo.Names", names)))
            .run();

    assertThat(launcher("demo/KernelsLauncher", build))
        .contains("entry(\"run\")", "int.class, 96)");
  }

  private UserBuild build() {
    return UserBuild.by(ECLIPSE, folder)
        .options(WARNINGS, "-Astreamfence.resources=" + Path.of("../examples/src/main/resources"));
  }

  private UserBuild kernels(String members) {
    return build().with("demo/Kernels.java", Sources.kernels(members));
  }

  /** The launcher's text, which the compiler has accepted. */
  private static String launcher(String name, UserBuild build) {
    assertThat(build.isCompiled()).as("%s", build.everything()).isTrue();
    assertThat(build.inGeneratedFiles()).isEmpty();
    assertThat(build.classFolder().resolve(name + ".class")).exists();
    return build.generated(name + ".java");
  }
}
