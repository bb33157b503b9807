package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static dev.streamfence.processor.UserBuild.javac;
import static dev.streamfence.processor.diagnostic.Problem.INTERNAL_ERROR;
import static dev.streamfence.processor.diagnostic.Problem.WRITE_FAILED;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.JavaFileObjects;
import dev.streamfence.processor.diagnostic.Problem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import javax.annotation.processing.Processor;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.tools.Diagnostic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The processor's behaviour towards compilers and builds. */
class KernelProcessorTest {
  private static final String TWO_INTERFACES =
      Sources.importing(
          """
          @KernelModule("k.ptx")
          interface First { @Kernel void run(@ThreadCount int n); }
          @KernelModule("k.ptx")
          interface Second { @Kernel void run(@ThreadCount int n); }
          """);

  @Test
  void isFoundByTheServiceLoader() {
    assertThat(ServiceLoader.load(Processor.class))
        .hasAtLeastOneElementOfType(KernelProcessor.class);
  }

  @Test
  void supportsEverySourceVersionAndNamesItsOptions() {
    KernelProcessor processor = new KernelProcessor();

    assertThat(processor.getSupportedSourceVersion()).isEqualTo(SourceVersion.latestSupported());
    assertThat(processor.getSupportedOptions())
        .containsExactlyInAnyOrder(
            "streamfence.bounds",
            "streamfence.resources",
            "streamfence.nvcc",
            "streamfence.nvcc.options",
            "streamfence.clang",
            "streamfence.clang.options",
            "streamfence.compile.seconds");
  }

  @Test
  void optionsCauseNoWarningWhereThereAreNoKernels() {
    Compilation compilation =
        javac()
            .withProcessors(new KernelProcessor())
            .withOptions("-Xlint:all,-processing", "-Werror", "-Astreamfence.bounds")
            .compile(
                JavaFileObjects.forSourceString(
                    "demo.Plain", "package demo; class Plain { @Deprecated void run() {} }"));

    assertThat(compilation).succeededWithoutWarnings();
  }

  @Test
  void isDeclaredIsolatingToGradle() throws IOException {
    try (var file =
        KernelProcessor.class.getResourceAsStream(
            "/META-INF/gradle/incremental.annotation.processors")) {
      assertThat(new String(file.readAllBytes(), StandardCharsets.UTF_8).strip())
          .isEqualTo(KernelProcessor.class.getName() + ",isolating");
    }
  }

  @Test
  void eachLauncherOriginatesFromItsInterfaceAlone() {
    Map<String, List<Element>> origins = new HashMap<>();

    compile(new FaultyFiler("none", () -> {}, origins));

    assertThat(origins.keySet()).isEqualTo(Set.of("demo.FirstLauncher", "demo.SecondLauncher"));
    assertThat(origins.get("demo.FirstLauncher"))
        .extracting(element -> element.getSimpleName().toString())
        .containsExactly("First");
    assertThat(origins.get("demo.SecondLauncher"))
        .extracting(element -> element.getSimpleName().toString())
        .containsExactly("Second");
  }

  @Test
  void claimsNoAnnotation() {
    CountingProcessor other = new CountingProcessor();

    assertThat(compile(new KernelProcessor(), other)).succeeded();

    assertThat(other.interfaces()).containsExactly("First", "Second");
  }

  @Test
  void bugIsReportedOnTheInterfaceAndDoesNotStopTheOthers() {
    Map<String, List<Element>> origins = new HashMap<>();
    Compilation compilation =
        compile(
            new FaultyFiler(
                "demo.FirstLauncher",
                () -> {
                  throw new IllegalStateException("planted");
                },
                origins));

    Diagnostic<?> complaint = complaint(compilation, INTERNAL_ERROR);
    assertThat(complaint.getPosition()).isEqualTo(TWO_INTERFACES.indexOf("interface First"));
    assertThat(complaint.getMessage(Locale.ROOT))
        .startsWith(
            "[InternalError] internal error of the processor at demo.First; report it with this"
                + " trace:\n")
        .contains("java.lang.IllegalStateException: planted")
        .contains("at dev.streamfence.processor.LauncherWriter.write");
    assertThat(origins).containsKey("demo.SecondLauncher");
  }

  @ParameterizedTest
  @ValueSource(classes = {StackOverflowError.class, OutOfMemoryError.class, LinkageError.class})
  void errorIsReportedOnTheInterfaceAndDoesNotStopTheOthers(Class<? extends Error> type)
      throws ReflectiveOperationException {
    Error planted = type.getConstructor().newInstance();
    Map<String, List<Element>> origins = new HashMap<>();
    Compilation compilation =
        compile(
            new FaultyFiler(
                "demo.FirstLauncher",
                () -> {
                  throw planted;
                },
                origins));

    Diagnostic<?> complaint = complaint(compilation, INTERNAL_ERROR);
    assertThat(complaint.getPosition()).isEqualTo(TWO_INTERFACES.indexOf("interface First"));
    assertThat(complaint.getMessage(Locale.ROOT)).contains(type.getName());
    assertThat(origins).containsKey("demo.SecondLauncher");
  }

  @Test
  void stackOverflowIsReportedInAFewLines() {
    Compilation compilation =
        compile(
            new FaultyFiler("demo.FirstLauncher", KernelProcessorTest::overflow, new HashMap<>()));

    assertThat(complaint(compilation, INTERNAL_ERROR).getMessage(Locale.ROOT).lines())
        .hasSizeLessThan(100)
        .anyMatch(line -> line.contains("StackOverflowError"));
  }

  @Test
  void errorWithoutMemoryForItsReportIsReportedByAConstant() {
    Map<String, List<Element>> origins = new HashMap<>();
    Compilation compilation =
        compile(
            new FaultyFiler(
                "demo.FirstLauncher",
                () -> {
                  throw new EndlessError();
                },
                origins));

    Diagnostic<?> complaint = complaint(compilation, INTERNAL_ERROR);
    assertThat(complaint.getPosition()).isEqualTo(TWO_INTERFACES.indexOf("interface First"));
    assertThat(complaint.getMessage(Locale.ROOT))
        .isEqualTo(
            "[InternalError] internal error of the processor, which has no memory or stack left to"
                + " say more; launchers are missing");
    assertThat(origins).containsKey("demo.SecondLauncher");
  }

  @Test
  void bugAtTheStartOfARoundIsReportedWithoutAPosition() {
    FaultyFiler processor = new FaultyFiler("none", () -> {}, new HashMap<>());
    processor.failInRound(
        () -> {
          throw new OutOfMemoryError("planted");
        });

    Diagnostic<?> complaint = complaint(compile(processor), INTERNAL_ERROR);

    assertThat(complaint.getSource()).isNull();
    assertThat(complaint.getMessage(Locale.ROOT))
        .startsWith("[InternalError] internal error of the processor at the start of a round;")
        .contains("java.lang.OutOfMemoryError: planted");
  }

  @Test
  void fileThatCannotBeWrittenIsAnErrorWithItsCause() {
    Map<String, List<Element>> origins = new HashMap<>();
    Compilation compilation =
        compile(
            new FaultyFiler(
                "demo.FirstLauncher",
                () -> {
                  throw new IOException("disk full");
                },
                origins));

    assertThat(complaint(compilation, WRITE_FAILED).getMessage(Locale.ROOT))
        .isEqualTo(
            "[WriteFailed] demo.FirstLauncher cannot be written: java.io.IOException: disk full");
    assertThat(origins).containsKey("demo.SecondLauncher");
  }

  @Test
  void processorThatIsRegisteredTwiceIsReported() {
    Compilation compilation = compile(new KernelProcessor(), new KernelProcessor());

    assertThat(compilation).failed();
    assertThat(compilation)
        .hadErrorContaining("[WriteFailed] demo.FirstLauncher cannot be written");
  }

  @Test
  void launcherOfAnEarlierBuildOnTheClassPathIsNoClash() {
    // Any class that is not a source of this compilation will do.
    Compilation compilation =
        javac()
            .withProcessors(new KernelProcessor())
            .compile(
                Sources.file(
                    """
                    package dev.streamfence.processor;
                    import dev.streamfence.annotation.*;
                    @KernelModule("k.ptx")
                    interface EarlierBuild { @Kernel void run(@ThreadCount int n); }
                    """));

    assertThat(compilation).succeeded();
    assertThat(compilation).generatedSourceFile(EarlierBuildLauncher.class.getName());
  }

  @Test
  void annotationWithoutItsValueIsLeftToTheCompiler() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule interface Saxpy { @Kernel void run(@ThreadCount int n); }"))
        .are();
  }

  /** An error for whose report there is no memory. */
  private static final class EndlessError extends OutOfMemoryError {
    private static final long serialVersionUID = 1;

    @Override
    public void printStackTrace(PrintWriter writer) {
      throw new OutOfMemoryError("again");
    }
  }

  @SuppressWarnings("InfiniteRecursion")
  private static void overflow() {
    overflow();
  }

  private static Compilation compile(Processor... processors) {
    return javac().withProcessors(processors).compile(Sources.file(TWO_INTERFACES));
  }

  private static Diagnostic<?> complaint(Compilation compilation, Problem problem) {
    List<Diagnostic<?>> complaints = new ArrayList<>();
    for (Diagnostic<?> error : compilation.errors()) {
      if (error.getMessage(Locale.ROOT).startsWith("[" + problem.id() + "]")) {
        complaints.add(error);
      }
    }
    assertThat(complaints).hasSize(1);
    return complaints.get(0);
  }
}
