package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.annotation.processing.Processor;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import org.eclipse.jdt.internal.compiler.tool.EclipseCompiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The processor in Eclipse's compiler, which implements elements and types in its own way. */
class EclipseCompilerTest {
  /** What users turn on beside what is on anyway. */
  private static final String WARNINGS =
      "-warn:+allDeadCode,allOver-ann,dep-ann,emptyBlock,fallthrough,finally,hashCode,semicolon,"
          + "static-method,super,switchDefault,typeHiding,unnecessaryElse,unused,uselessTypeCheck";

  private final DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
  private final StringWriter output = new StringWriter();

  @TempDir private Path folder;

  @ParameterizedTest
  @MethodSource("dev.streamfence.processor.Golden#all")
  void launcherIsTheOneThatJavacGets(Golden golden) throws IOException {
    compile(golden.source());

    assertThat(generated(golden.qualifiedLauncher().replace('.', '/')))
        .isEqualTo(Files.readString(golden.expected()));
  }

  @Test
  void textFromAnnotationsStaysALiteral() throws IOException {
    compile(
        write(
            "Kernels",
            Sources.importing(
                "@KernelModule(\"a\\\"); static { throw new Error(); } String s = (\\\"\\u00e9\")\n"
                    + "interface Kernels { @Kernel void run(@ThreadCount int n); }")));

    assertThat(generated("demo/KernelsLauncher"))
        .contains("\"a\\\"); static { throw new Error(); } String s = (\\\"\\u00e9\"");
  }

  @Test
  void typeThatNobodyDeclaresIsOneErrorInTheEnd() throws IOException {
    compile(
        write(
            "Kernels",
            Sources.kernels(
                """
                @Kernel int first(DeviceArray<int[]> a, @ThreadCount int n);
                @Kernel void second(@Reads DeviceArray<?> b, @Writes int c, String d);
                void third();
                @Kernel <T> void fourth(T e, @ThreadCount int n) throws Exception;
                @Kernel(blockSize = 0) void fifth(Missing f, @ThreadCount int n);
                """)));

    assertThat(complaints())
        .containsExactly(
            "[UnresolvedType] no launcher generated for Kernels: type Missing in"
                + " fifth(Missing, int) is not resolved");
  }

  @Test
  void everyMistakeIsReportedAtOnce() throws IOException {
    compile(
        write(
            "Kernels",
            Sources.kernels(
                """
                @Kernel int first(DeviceArray<int[]> a, @ThreadCount int n);
                @Kernel void second(@Reads DeviceArray<?> b, @Writes int c, String d);
                void third();
                @Kernel <T> void fourth(T e, @ThreadCount int n) throws Exception;
                """)));

    assertThat(complaints())
        .extracting(complaint -> complaint.replaceAll("].*", "]"))
        .containsExactlyInAnyOrder(
            "[ReturnsValue]",
            "[MissingAccess]",
            "[BufferElement]",
            "[AccessOnScalar]",
            "[UnsupportedType]",
            "[MissingShape]",
            "[MissingKernel]",
            "[Generic]",
            "[ThrowsClause]");
  }

  @Test
  void constantThatAnotherProcessorGeneratesIsAwaited() throws IOException {
    String names = "package demo; interface Names { String ENTRY = \"run\"; int SIZE = 96; }";
    compile(
        write(
            "Kernels",
            Sources.kernels(
                "@Kernel(value = Names.ENTRY, blockSize = Names.SIZE)"
                    + " void any(@ThreadCount int n);")),
        new GeneratingProcessor(Map.of("demo.Names", names)));

    assertThat(generated("demo/KernelsLauncher")).contains("entry(\"run\")", ".blockSize(96)");
  }

  private void compile(Path source, Processor... others) throws IOException {
    JavaCompiler compiler = new EclipseCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavaCompiler.CompilationTask task =
          compiler.getTask(
              output,
              files,
              diagnostics,
              List.of(
                  "-17",
                  WARNINGS,
                  "-classpath",
                  System.getProperty("java.class.path"),
                  "-Astreamfence.resources=" + Path.of("../examples/src/main/resources"),
                  "-d",
                  Files.createDirectories(folder.resolve("classes")).toString(),
                  "-s",
                  Files.createDirectories(folder.resolve("generated")).toString()),
              null,
              files.getJavaFileObjects(source));
      List<Processor> processors = new ArrayList<>(List.of(others));
      processors.add(new KernelProcessor());
      task.setProcessors(processors);
      task.call();
    }
  }

  /** The launcher's text, after the compiler has accepted it as well. */
  private String generated(String name) throws IOException {
    assertThat(diagnostics.getDiagnostics())
        .as("%s", output)
        .noneMatch(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR);
    assertThat(diagnostics.getDiagnostics())
        .filteredOn(d -> d.getSource() != null && d.getSource().getName().endsWith(name + ".java"))
        .filteredOn(d -> d.getKind() != Diagnostic.Kind.NOTE)
        .extracting(d -> d.getMessage(Locale.ROOT))
        .as("warnings in %s", name)
        .isEmpty();
    assertThat(folder.resolve("classes").resolve(name + ".class")).exists();
    return Files.readString(folder.resolve("generated").resolve(name + ".java"));
  }

  private List<String> complaints() {
    return diagnostics.getDiagnostics().stream()
        .map(diagnostic -> diagnostic.getMessage(Locale.ROOT))
        .filter(message -> message.startsWith("["))
        .toList();
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(
        Files.createDirectories(folder.resolve("demo")).resolve(name + ".java"), text);
  }
}
