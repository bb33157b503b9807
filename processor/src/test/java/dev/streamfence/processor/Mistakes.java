package dev.streamfence.processor;

import static dev.streamfence.processor.UserBuild.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.Compiler;
import dev.streamfence.processor.diagnostic.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;

/**
 * The processor's messages on sources whose culprits are marked with {@code «}: each marker is the
 * position of one message.
 */
final class Mistakes {
  private static final String MARKER = "«";

  private final List<String> places;
  private final Compilation compilation;

  private Mistakes(List<String> places, Compilation compilation) {
    this.places = places;
    this.compilation = compilation;
  }

  /** Compiles the sources without their markers. */
  static Mistakes in(String... sources) {
    return in(javac(), sources);
  }

  /** Compiles the sources without their markers where these files are visible. */
  static Mistakes in(Resources visible, String... sources) {
    return in(visible.visibleTo(javac()), sources);
  }

  /** Compiles the sources without their markers where these files are visible. */
  static Mistakes in(Resources visible, List<String> options, String... sources) {
    return in(visible.visibleTo(javac().withOptions(options)), sources);
  }

  private static Mistakes in(Compiler compiler, String... sources) {
    List<String> places = new ArrayList<>();
    JavaFileObject[] files =
        Stream.of(sources).map(s -> unmark(s, places)).toArray(JavaFileObject[]::new);
    return new Mistakes(places, compiler.withProcessors(new KernelProcessor()).compile(files));
  }

  /** Compiles an annotated interface {@code Kernels} with these members. */
  static Mistakes inKernels(String members) {
    return in(Sources.kernels(members));
  }

  /** Asserts one complaint, an error, and its place. */
  void are(Problem problem, String message) {
    are(Diagnostic.Kind.ERROR, "[" + problem.id() + "] " + message);
  }

  /** Asserts one complaint, a warning, and its place. */
  void areWarning(Problem problem, String message) {
    String hint = "; suppress this with @SuppressWarnings(\"" + problem.suppression() + "\")";
    are(
        Diagnostic.Kind.WARNING,
        "[" + problem.id() + "] " + message + (message.contains("@SuppressWarnings") ? "" : hint));
  }

  /** Asserts these complaints, by their ids, in the order of the markers. */
  void are(Problem... problems) {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < problems.length; i++) {
      expected.add(places.get(i) + " [" + problems[i].id() + "]");
    }
    assertThat(ours().map(d -> place(d) + " " + id(d)))
        .containsExactlyInAnyOrderElementsOf(expected);
  }

  /** Asserts these complaints, each by a part of its text, of any kind, position and order. */
  void say(String... parts) {
    List<String> said =
        compilation.diagnostics().stream().map(d -> d.getMessage(Locale.ROOT)).toList();
    assertThat(said).hasSameSizeAs(parts);
    for (String part : parts) {
      assertThat(said).anySatisfy(message -> assertThat(message).contains(part));
    }
  }

  /** Asserts that there are no complaints, not even about missing PTX. */
  void areNoneAtAll() {
    assertThat(compilation.diagnostics()).isEmpty();
  }

  /** Asserts that the compiler refuses the sources, and that only it does. */
  void isLeftToTheCompiler() {
    assertThat(isCompiled()).isFalse();
    assertThat(ids()).isEmpty();
  }

  /** The launcher of {@code demo.Kernels}. */
  String launcher() {
    try {
      return compilation
          .generatedSourceFile("demo.KernelsLauncher")
          .orElseThrow()
          .getCharContent(false)
          .toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Asserts that there are no complaints. */
  void areNone() {
    assertThat(compilation.diagnostics()).filteredOn(d -> !isAboutAnUnseenModule(d)).isEmpty();
  }

  /** The kind and the id of each complaint, {@code ERROR [MissingAccess]}. */
  List<String> ids() {
    return compilation.diagnostics().stream()
        .filter(d -> d.getMessage(Locale.ROOT).startsWith("["))
        .map(d -> d.getKind() + " " + id(d))
        .toList();
  }

  /** Whether the compiler has made class files. */
  boolean isCompiled() {
    return compilation.status() != Compilation.Status.FAILURE;
  }

  /** The names of the files that the processor has written. */
  List<String> generatedFiles() {
    return compilation.generatedSourceFiles().stream().map(JavaFileObject::getName).toList();
  }

  private void are(Diagnostic.Kind kind, String message) {
    assertThat(places).hasSize(1);
    assertThat(ours().map(d -> d.getKind() + " " + place(d) + " " + d.getMessage(Locale.ROOT)))
        .containsExactly(kind + " " + places.get(0) + " " + message);
  }

  private Stream<Diagnostic<? extends JavaFileObject>> ours() {
    return compilation.diagnostics().stream()
        .filter(d -> d.getMessage(Locale.ROOT).startsWith("["))
        .filter(d -> !isAboutAnUnseenModule(d))
        .map(d -> d);
  }

  /** Nearly all interfaces here have no PTX; a test of its own covers that message. */
  private static boolean isAboutAnUnseenModule(Diagnostic<?> diagnostic) {
    return diagnostic.getMessage(Locale.ROOT).startsWith("[" + Problem.UNSEEN_MODULE.id() + "]");
  }

  private static String id(Diagnostic<? extends JavaFileObject> diagnostic) {
    return diagnostic.getMessage(Locale.ROOT).replaceAll("(?s)].*", "]");
  }

  private static String place(Diagnostic<? extends JavaFileObject> diagnostic) {
    JavaFileObject source = diagnostic.getSource();
    return (source == null ? "nowhere" : source.getName()) + ":" + diagnostic.getPosition();
  }

  private static JavaFileObject unmark(String source, List<String> places) {
    JavaFileObject file = Sources.file(source.replace(MARKER, ""));
    String rest = source;
    for (int at = rest.indexOf(MARKER); at >= 0; at = rest.indexOf(MARKER)) {
      places.add(file.getName() + ":" + at);
      rest = rest.replaceFirst(MARKER, "");
    }
    return file;
  }
}
