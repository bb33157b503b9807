package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static com.google.testing.compile.Compiler.javac;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.JavaFileObjects;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * The Java of the README and of the pages that it leads to compiles, and runs where it needs no
 * GPU; their links work.
 */
class ReadmeTest {
  private static final Path README = Path.of("../README.md");
  private static final Pattern JAVA = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
  private static final Pattern INTERFACE = Pattern.compile("interface (\\w+)");

  /** The package and the name of the type of a whole file. */
  private static final Pattern WHOLE =
      Pattern.compile("(?s)\\Apackage (\\w+);.*?(?:class|interface) (\\w+) ");

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(?:#[^)]*)?\\)");

  private static final Pattern ANCHOR = Pattern.compile("\\]\\(([^)#:]*)#([^)]+)\\)");
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");

  /**
   * {@link ProblemPageTest} compiles the mistakes, most of which are wrong on purpose; the cookbook
   * and the pages of the operators and of Spark show pieces of programs that are tested beside
   * them.
   */
  private static final List<String> TESTED_ELSEWHERE =
      List.of("PROBLEMS.md", "COOKBOOK.md", "OPERATORS.md", "SPARK.md");

  /** The method around a piece of code that is no type. */
  private static final String METHOD =
      """
      package demo;
      import static org.assertj.core.api.Assertions.assertThat;
      import static dev.streamfence.assertj.TraceAssertions.assertThat;
      import dev.streamfence.*;
      import dev.streamfence.foreign.*;
      import dev.streamfence.graph.*;
      import dev.streamfence.memory.*;
      import dev.streamfence.column.*;
      import dev.streamfence.column.arrow.*;
      import dev.streamfence.column.dlpack.*;
      import dev.streamfence.launch.*;
      import dev.streamfence.simulation.DriverCall;
      import dev.streamfence.simulation.*;
      import dev.streamfence.trace.*;
      import java.nio.file.Path;
      class Piece%d {
        void run(Path path) throws Exception {
      %s
        }
      }
      """;

  /** The interface that the pieces use and the pages leave out. */
  private static final String COUNTING =
      Sources.importing(
          Sources.UNSEEN
              + "@KernelModule(\"kernels/counting.ptx\")\npublic interface CountingKernels {"
              + " @Kernel Completion count(@ReadWrites DeviceArray<float[]> x,"
              + " @ThreadCount int n); }");

  private static final Path RESOURCES = Path.of("../examples/src/main/resources");

  /** The kernel of {@link #COUNTING}. */
  private static final String COUNTING_PTX =
      """
      .version 6.3
      .target sm_70
      .address_size 64
      .visible .entry count(.param .u64 x, .param .u32 n)
      {
        .reg .b64 %rd<3>;
        .reg .b32 %r<3>;
        .reg .f32 %f<2>;
        .reg .pred %p<2>;
        ld.param.u64 %rd1, [x];
        ld.param.u32 %r1, [n];
        mov.u32 %r2, %tid.x;
        setp.ge.u32 %p1, %r2, %r1;
        @%p1 ret;
        mul.wide.u32 %rd2, %r2, 4;
        add.s64 %rd2, %rd1, %rd2;
        ld.global.f32 %f1, [%rd2];
        add.f32 %f1, %f1, 0f3F800000;
        st.global.f32 [%rd2], %f1;
        ret;
      }
      """;

  /** What a piece contains that needs a GPU, or code of the reader's, or is tested elsewhere. */
  private static final List<String> NOT_RUN =
      List.of("open(0", "…", "// run the operator", "// your operator", "MemoryResourceContract");

  @Test
  void everyPieceOfJavaCompilesAndThoseForTheSimulatedDeviceRun(@TempDir Path folder)
      throws Exception {
    List<JavaFileObject> files = new ArrayList<>();
    Map<String, String> toRun = new LinkedHashMap<>();
    files.add(Sources.file(COUNTING));
    for (Path page : pages()) {
      Matcher piece = JAVA.matcher(Files.readString(page));
      while (!TESTED_ELSEWHERE.contains(page.getFileName().toString()) && piece.find()) {
        String text = piece.group(1);
        JavaFileObject file = file(files.size(), text);
        if (file.getName().matches(".*Piece\\d+\\.java")
            && NOT_RUN.stream().noneMatch(text::contains)) {
          toRun.put("demo.Piece" + files.size(), page + ":\n" + text);
        }
        files.add(file);
      }
    }
    assertThat(files).hasSizeGreaterThan(6);

    Compilation compilation =
        javac()
            .withOptions("-Astreamfence.resources=" + RESOURCES)
            .withProcessors(new KernelProcessor())
            .compile(files);

    assertThat(compilation).succeededWithoutWarnings();
    assertThat(toRun).hasSizeGreaterThan(15);
    try (URLClassLoader pieces = loader(compilation, folder)) {
      List<Executable> runs = new ArrayList<>();
      toRun.forEach((name, text) -> runs.add(() -> run(pieces, name, text, folder)));
      assertAll(runs);
    }
  }

  private static URLClassLoader loader(Compilation compilation, Path folder) throws IOException {
    for (JavaFileObject file : compilation.generatedFiles()) {
      if (file.getKind() == JavaFileObject.Kind.CLASS) {
        Path target = folder.resolve(file.getName().replaceFirst("^/CLASS_OUTPUT/", ""));
        Files.createDirectories(target.getParent());
        try (InputStream bytes = file.openInputStream()) {
          Files.copy(bytes, target);
        }
      }
    }
    Path kernels = Files.createDirectories(folder.resolve("kernels"));
    Files.writeString(kernels.resolve("counting.ptx"), COUNTING_PTX);
    URL[] urls = {folder.toUri().toURL(), RESOURCES.toUri().toURL()};
    return new URLClassLoader(urls, ReadmeTest.class.getClassLoader());
  }

  private static void run(ClassLoader pieces, String name, String text, Path folder) {
    try {
      Class<?> type = pieces.loadClass(name);
      Constructor<?> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      Method run = type.getDeclaredMethod("run", Path.class);
      run.setAccessible(true);
      Path file = folder.resolve(name + ".ptx");
      Files.copy(RESOURCES.resolve("kernels/vector.ptx"), file);
      run.invoke(constructor.newInstance(), file);
    } catch (InvocationTargetException e) {
      throw new AssertionError(text, e.getCause());
    } catch (ReflectiveOperationException | IOException e) {
      throw new AssertionError(text, e);
    }
  }

  private static JavaFileObject file(int number, String piece) {
    Matcher whole = WHOLE.matcher(piece);
    if (whole.find()) {
      return JavaFileObjects.forSourceString(whole.group(1) + "." + whole.group(2), piece);
    }
    Matcher type = INTERFACE.matcher(piece);
    return type.find()
        ? JavaFileObjects.forSourceString(
            "demo." + type.group(1),
            Sources.importing("import dev.streamfence.column.*;\nimport java.util.List;\n" + piece))
        : JavaFileObjects.forSourceString("demo.Piece" + number, METHOD.formatted(number, piece));
  }

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      for (Path target : targets(page)) {
        if (!Files.exists(target)) {
          broken.add(page + " -> " + target);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyLinkIntoAPageLeadsToAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : pages()) {
      for (MatchResult link : ANCHOR.matcher(Files.readString(page)).results().toList()) {
        Path target = link.group(1).isEmpty() ? page : page.resolveSibling(link.group(1));
        if (!anchors(target).contains(link.group(2))) {
          broken.add(page + " -> " + link.group());
        }
        links++;
      }
    }
    assertThat(broken).isEmpty();
    assertThat(links).isGreaterThan(20);
  }

  /** The names that the sites which show Markdown give to the headings of a page. */
  private static List<String> anchors(Path page) throws IOException {
    return HEADING
        .matcher(FENCED.matcher(Files.readString(page)).replaceAll(""))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\w -]", "").replace(' ', '-'))
        .toList();
  }

  @Test
  void everyPageIsReachedFromTheReadme() throws IOException {
    List<Path> there = new ArrayList<>();
    for (String module :
        List.of("annotations", "runtime", "processor", "examples", "integration-tests")) {
      try (Stream<Path> files = Files.list(README.resolveSibling(module))) {
        files
            .map(Path::normalize)
            .filter(file -> file.toString().endsWith(".md"))
            .forEach(there::add);
      }
    }
    assertThat(there).hasSizeGreaterThan(5);
    assertThat(pages()).containsAll(there);
  }

  @Test
  void everyPageThatTheReadmeLeadsToIsInTheMenuOfTheSite() throws IOException {
    String menu = Files.readString(Path.of("../examples/src/site/site.xml"));
    for (Path page : pages().subList(1, pages().size())) {
      String name = Path.of("..").relativize(page).toString().replaceAll("[.]md$", ".html");
      assertThat(menu).contains("href=\"" + name.replace('\\', '/') + "\"");
    }
  }

  /** The README, and the pages that it leads to. */
  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(List.of(README));
    targets(README).stream()
        .filter(page -> page.toString().endsWith(".md"))
        .filter(Files::exists)
        .forEach(pages::add);
    return pages;
  }

  private static List<Path> targets(Path page) throws IOException {
    return LINK.matcher(Files.readString(page))
        .results()
        .map(link -> page.resolveSibling(link.group(1)).normalize())
        .toList();
  }
}
