package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static dev.streamfence.processor.UserBuild.javac;
import static dev.streamfence.processor.diagnostic.Problem.ENTRY_NAME;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_SHAPE;
import static dev.streamfence.processor.diagnostic.Problem.UNRESOLVED_TYPE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.lang.model.element.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Interfaces that name types which are not there in the first round. */
class RoundsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "@Kernel void run(Missing x, @ThreadCount int n); | run(Missing, int)",
        "@Kernel void run(@Reads DeviceArray<Missing[]> x); | run(DeviceArray<Missing[]>)",
        "@Kernel void run(@Reads DeviceArray<? extends Missing> x);"
            + " | run(DeviceArray<? extends Missing>)",
        "@Kernel Missing run(@ThreadCount int n); | run(int)",
        "@Kernel void run(@ThreadCount int n) throws Missing; | run(int)",
        "record P(float x, Missing y) {} @Kernel void run(P p, @ThreadCount int n);"
            + " | run(Saxpy.P, int)",
        "record P(float x, Missing y) {} @Kernel void run(@Reads DeviceArray<P[]> p);"
            + " | run(DeviceArray<Saxpy.P[]>)",
        "record P(float x, Missing y) {} @Kernel void run(@Reads java.util.List<DeviceArray<P[]>> p);"
            + " | run(List<DeviceArray<Saxpy.P[]>>)",
      })
  void undeclaredTypeIsOneErrorInTheLastRound(String method, String place) {
    Mistakes.in(Sources.importing("@KernelModule(\"k.ptx\")\n«interface Saxpy { " + method + " }"))
        .are(
            UNRESOLVED_TYPE,
            "no launcher generated for Saxpy: type Missing in " + place + " is not resolved");
  }

  /** A qualified name that begins with a class of the same package: javac 17 keeps none of it. */
  @Test
  void undeclaredTypeWithoutANameIsNotNamed() {
    boolean isKept = Runtime.version().feature() > 17;
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\n«interface Saxpy {"
                    + " @Kernel void run(@Reads hidden.deep.Type<float[]> x, @ThreadCount int n); }\n"
                    + "class hidden {}"))
        .are(
            UNRESOLVED_TYPE,
            "no launcher generated for Saxpy: "
                + (isKept ? "type Type in run(Type, int)" : "a type in run(..., int)")
                + " is not resolved");
  }

  @Test
  void undeclaredParentIsOneErrorInTheLastRound() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\n«interface Saxpy extends Base {}\n"
                    + "interface Base extends Missing<int[]> {}"))
        .are(
            UNRESOLVED_TYPE,
            "no launcher generated for Saxpy: type Missing in extends Missing is not"
                + " resolved");
  }

  @Test
  void typeThatAnotherProcessorGeneratesIsAwaited() {
    Compilation compilation =
        javac()
            .withProcessors(
                new KernelProcessor(),
                new GeneratingProcessor(
                    Map.of(
                        "demo.Base",
                        Sources.importing(
                            "@SuppressWarnings(\"streamfence:KernelWithoutLauncher\")\n"
                                + "interface Base extends Deeper {"
                                + " @Kernel void fill(@ThreadCount int n); }"))),
                new GeneratingProcessor(Map.of("demo.Deeper", "package demo; interface Deeper {}")))
            .compile(
                Sources.file(
                    Sources.importing(
                        Sources.UNSEEN
                            + "@KernelModule(\"k.ptx\")\ninterface Saxpy extends Base {}")),
                Sources.file(
                    "package demo;\nclass User {"
                        + " void use(dev.streamfence.DeviceStream s) {"
                        + " SaxpyLauncher.on(s).fill(1); } }"));

    assertThat(compilation).succeededWithoutWarnings();
    assertThat(compilation).generatedSourceFile("demo.SaxpyLauncher");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@KernelModule(Names.PATH)\ninterface Saxpy { @Kernel void run(@ThreadCount int n); }",
        "@KernelModule(\"gen.ptx\")\ninterface Saxpy {"
            + " @Kernel(Names.ENTRY) void any(@ThreadCount int n); }",
        "@KernelModule(\"gen.ptx\")\ninterface Saxpy {"
            + " @Kernel(value = \"run\", blockSize = Names.SIZE) void run(@ThreadCount int n); }",
        "@KernelModule(\"gen.ptx\")\ninterface Saxpy { @Kernel(\"run\") void run(@ThreadCount int n,"
            + " @Trusted(Names.REASON) @Reads DeviceArray<int[]> a); }",
        "@KernelModule(\"gen.ptx\")\ninterface Saxpy { @Kernel(\"run\") void run(@ThreadCount int n,"
            + " @Reads(below = {\"n\", Names.LIMIT}) DeviceArray<int[]> a); }",
        "@KernelModule(\"gen.ptx\")\ninterface Saxpy extends Base {}\n"
            + "@SuppressWarnings(\"streamfence:KernelWithoutLauncher\") interface Base {"
            + " @Kernel(Names.ENTRY) void any(@ThreadCount int n); }",
      })
  void constantThatAnotherProcessorGeneratesIsAwaited(String declaration) throws IOException {
    String names =
        "package demo; interface Names { String PATH = \"gen.ptx\"; String ENTRY = \"run\";"
            + " int SIZE = 96; String REASON = \"seen\"; String LIMIT = \"n\"; }";
    Compilation compilation =
        javac()
            .withProcessors(
                new KernelProcessor(), new GeneratingProcessor(Map.of("demo.Names", names)))
            .compile(Sources.file(Sources.importing(Sources.UNSEEN + declaration)));

    assertThat(compilation).succeededWithoutWarnings();
    String launcher =
        compilation
            .generatedSourceFile("demo.SaxpyLauncher")
            .orElseThrow()
            .getCharContent(false)
            .toString();
    assertThat(launcher).contains("\"gen.ptx\"").contains("entry(\"run\")");
    assertThat(launcher.contains("int.class, 96)")).isEqualTo(declaration.contains("SIZE"));
  }

  @Test
  void undeclaredConstantIsLeftToTheCompiler() {
    Compilation compilation =
        javac()
            .withProcessors(new KernelProcessor())
            .compile(
                Sources.file(
                    Sources.importing(
                        "@KernelModule(\"k.ptx\")\ninterface Saxpy {"
                            + " @Kernel(Names.ENTRY) void run(@ThreadCount int n); }")));

    assertThat(compilation).hadErrorCount(1);
    assertThat(compilation).hadErrorContaining("cannot find symbol");
  }

  @Test
  void textThatOnlyLooksLikeAMissingConstantIsKept() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Saxpy {"
                    + " @Kernel(«\"<error>\") void run(@ThreadCount int n); }"))
        .are(ENTRY_NAME);
  }

  @Test
  void otherInterfacesDoNotWait() {
    Map<String, List<Element>> origins = new HashMap<>();

    Compilation compilation =
        javac()
            .withProcessors(new FaultyFiler("none", () -> {}, origins))
            .compile(
                Sources.file(
                    Sources.importing(
                        "@KernelModule(\"k.ptx\")\ninterface Waiting extends Missing {}\n"
                            + "@KernelModule(\"k.ptx\")\ninterface Saxpy {"
                            + " @Kernel void run(@ThreadCount int n); }")));

    assertThat(compilation).failed();
    assertThat(origins).containsOnlyKeys("demo.SaxpyLauncher");
  }

  @Test
  void mistakesAreNotHiddenByWaitingInterfaces() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\n«interface Waiting extends Missing {}\n"
                    + "@KernelModule(\"k.ptx\")\ninterface Saxpy { @Kernel void «run(int n); }"))
        .are(UNRESOLVED_TYPE, MISSING_SHAPE);
  }
}
