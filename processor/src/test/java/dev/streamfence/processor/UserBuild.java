package dev.streamfence.processor;

import com.google.testing.compile.Compiler;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.annotation.processing.Processor;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.eclipse.jdt.internal.compiler.tool.EclipseCompiler;

/** A build of files on disk, by one of the compilers that users run the processor in. */
final class UserBuild {
  /** Which compiler builds. */
  enum Tool {
    /** The one of the JDK that runs the tests. */
    JAVAC(ToolProvider::getSystemJavaCompiler, List.of()),

    /** Eclipse's, which implements elements and types in its own way. */
    ECLIPSE(EclipseCompiler::new, List.of("-17"));

    private final Supplier<JavaCompiler> compiler;
    private final List<String> level;

    Tool(Supplier<JavaCompiler> compiler, List<String> level) {
      this.compiler = compiler;
      this.level = level;
    }
  }

  /**
   * Those of Eclipse list all classes of the JDK when they are made, which takes longer than most
   * builds. For builds that set no more than a class path and folders for their output, as each
   * build does anew.
   */
  private static final class SharedFiles {
    static final StandardJavaFileManager OF_ECLIPSE =
        new EclipseCompiler().getStandardFileManager(null, Locale.ROOT, null);
  }

  /** What user code needs of the class path of the tests: each build lists every jar on it. */
  static final List<Path> OWN_CLASS_PATH =
      Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
          .map(Path::of)
          .filter(UserBuild::isOfUsers)
          .toList();

  private final Tool tool;
  private Path generatedFolder;
  private final Path folder;
  private final List<Path> sources = new ArrayList<>();
  private final List<String> options = new ArrayList<>();
  private final List<Processor> processors = new ArrayList<>();
  private final DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
  private final StringWriter output = new StringWriter();
  private List<Path> classPath = OWN_CLASS_PATH;
  private boolean saysRelease;
  private boolean isCompiled;

  private UserBuild(Tool tool, Path folder) {
    this.tool = tool;
    this.folder = folder;
    this.generatedFolder = folder.resolve("generated");
  }

  /** javac in memory, with {@link #OWN_CLASS_PATH}. */
  static Compiler javac() {
    return Compiler.javac().withClasspath(OWN_CLASS_PATH.stream().map(Path::toFile).toList());
  }

  /** A build without sources in {@code folder}, which only this build uses. */
  static UserBuild by(Tool tool, Path folder) {
    return new UserBuild(tool, folder);
  }

  /** Adds a source under its path from the root of the sources. */
  UserBuild with(String path, String text) {
    try {
      Path file = sourceFolder().resolve(path);
      Files.createDirectories(file.getParent());
      sources.add(Files.writeString(file, text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** Adds an existing source. */
  UserBuild with(Path source) {
    sources.add(source);
    return this;
  }

  /** Adds options that both compilers know. */
  UserBuild options(String... more) {
    options.addAll(List.of(more));
    return this;
  }

  /** Compiles for an earlier version of Java. */
  UserBuild release(int version) {
    saysRelease = true;
    return options("--release", String.valueOf(version));
  }

  /** Replaces the class path, by default that of the tests. */
  UserBuild classPath(List<Path> entries) {
    classPath = List.copyOf(entries);
    return this;
  }

  /** Adds processors that run before ours. */
  UserBuild after(Processor... others) {
    processors.addAll(List.of(others));
    return this;
  }

  /** Writes generated sources to the folder of the classes, as javac does by itself. */
  UserBuild generatingAmongClasses() {
    generatedFolder = classFolder();
    return this;
  }

  /** Compiles, with our processor behind the others. */
  UserBuild run() {
    return runWith(new KernelProcessor());
  }

  /** Compiles, with this one in place of our processor. */
  UserBuild runWith(Processor processor) {
    processors.add(processor);
    return compile(List.of());
  }

  /** Compiles without any processor. */
  UserBuild runWithoutProcessors() {
    return compile(List.of("-proc:none"));
  }

  private UserBuild compile(List<String> more) {
    JavaCompiler compiler = tool.compiler.get();
    try {
      if (tool == Tool.ECLIPSE && options.stream().noneMatch(UserBuild::isAboutFiles)) {
        isCompiled = compile(compiler, SharedFiles.OF_ECLIPSE, more);
      } else {
        try (StandardJavaFileManager files =
            compiler.getStandardFileManager(diagnostics, Locale.ROOT, null)) {
          isCompiled = compile(compiler, files, more);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  private boolean compile(JavaCompiler compiler, StandardJavaFileManager files, List<String> more)
      throws IOException {
    files.setLocationFromPaths(StandardLocation.CLASS_PATH, classPath);
    List<String> all = new ArrayList<>(options);
    all.addAll(saysRelease ? List.of() : tool.level);
    all.addAll(more);
    all.addAll(
        List.of(
            "-d",
            Files.createDirectories(classFolder()).toString(),
            "-s",
            Files.createDirectories(generatedFolder).toString()));
    JavaCompiler.CompilationTask task =
        compiler.getTask(
            output,
            files,
            diagnostics,
            all,
            null,
            files.getJavaFileObjectsFromPaths(List.copyOf(sources)));
    if (!processors.isEmpty()) {
      task.setProcessors(processors);
    }
    return task.call();
  }

  /** Whether the compiler has taken everything. */
  boolean isCompiled() {
    return isCompiled;
  }

  /** The messages of the processor, in order. */
  List<String> complaints() {
    return messages().filter(message -> message.startsWith("[")).toList();
  }

  /** The ids of the processor's messages with their kinds, {@code ERROR [MissingAccess]}. */
  List<String> ids() {
    return diagnostics.getDiagnostics().stream()
        .filter(diagnostic -> diagnostic.getMessage(Locale.ROOT).startsWith("["))
        .map(d -> d.getKind() + " " + d.getMessage(Locale.ROOT).replaceAll("(?s)].*", "]"))
        .toList();
  }

  /** Everything that is an error or a warning, of the compiler as well, one to a line. */
  List<String> everything() {
    return diagnostics.getDiagnostics().stream()
        .filter(diagnostic -> diagnostic.getKind() != Diagnostic.Kind.NOTE)
        .map(UserBuild::describe)
        .toList();
  }

  /** Everything that is an error, of the compiler as well, one to a line. */
  List<String> errors() {
    return diagnostics.getDiagnostics().stream()
        .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
        .map(UserBuild::describe)
        .toList();
  }

  /** Errors and warnings that stand in a generated file. */
  List<String> inGeneratedFiles() {
    return diagnostics.getDiagnostics().stream()
        .filter(diagnostic -> diagnostic.getKind() != Diagnostic.Kind.NOTE)
        .filter(UserBuild::isInALauncher)
        .map(UserBuild::describe)
        .toList();
  }

  /** The compiler's output besides its diagnostics. */
  String output() {
    return output.toString();
  }

  /** Whether a source was generated, under its path from the root of generated sources. */
  boolean hasGenerated(String path) {
    return Files.exists(generatedFolder.resolve(path));
  }

  /** The text of a generated source. */
  String generated(String path) {
    try {
      return Files.readString(generatedFolder.resolve(path));
    } catch (IOException e) {
      throw new AssertionError(everything() + output(), e);
    }
  }

  /** Where sources are. */
  Path sourceFolder() {
    return folder.resolve("sources");
  }

  /** Where classes are written to. */
  Path classFolder() {
    return folder.resolve("classes");
  }

  private Stream<String> messages() {
    return diagnostics.getDiagnostics().stream().map(d -> d.getMessage(Locale.ROOT));
  }

  private static boolean isAboutFiles(String option) {
    return option.startsWith("--") || option.matches("-(p|.*path)");
  }

  private static boolean isOfUsers(Path entry) {
    return Files.isDirectory(entry)
        || entry.getFileName().toString().matches("(streamfence|jspecify|jna|jcuda|fastcsv)-.*");
  }

  private static boolean isInALauncher(Diagnostic<? extends JavaFileObject> diagnostic) {
    return diagnostic.getSource() != null
        && diagnostic.getSource().getName().endsWith("Launcher.java");
  }

  private static String describe(Diagnostic<? extends JavaFileObject> diagnostic) {
    JavaFileObject source = diagnostic.getSource();
    String file = source == null ? "" : Path.of(source.getName()).getFileName().toString();
    return String.join(
        " ",
        Arrays.asList(
            file + ":" + diagnostic.getLineNumber(),
            diagnostic.getKind().toString(),
            diagnostic.getMessage(Locale.ROOT)));
  }
}
