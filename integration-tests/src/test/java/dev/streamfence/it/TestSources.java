package dev.streamfence.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The test classes of all modules, and the builds of users. It reads sources, since the class files
 * of most modules' tests are not on this class path.
 */
final class TestSources {
  private static final Set<String> TESTS =
      Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate");

  /**
   * A class, by its simple name. {@code isFound} is whether Surefire, or JUnit as a nested class,
   * creates it.
   */
  private record TestClass(String name, String parent, Set<String> tests, boolean isFound) {}

  private final Path repository;
  private final List<TestClass> classes = new ArrayList<>();

  private TestSources(Path repository) {
    this.repository = repository;
  }

  static TestSources in(Path repository) throws IOException {
    TestSources sources = new TestSources(repository);
    List<Path> files = new ArrayList<>();
    // Some modules lie in the folder of another one.
    try (Stream<Path> modules = Files.walk(repository, 2)) {
      for (Path tests : modules.map(module -> module.resolve("src/test/java")).toList()) {
        if (Files.isDirectory(tests)) {
          try (Stream<Path> all = Files.walk(tests)) {
            all.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
          }
        }
      }
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, UTF_8)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  problem -> {},
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjectsFromPaths(files));
      for (CompilationUnitTree file : task.parse()) {
        for (Tree type : file.getTypeDecls()) {
          if (type instanceof ClassTree top) {
            sources.add(top, top.getSimpleName().toString().endsWith("Test"));
          }
        }
      }
    }
    return sources;
  }

  private void add(ClassTree type, boolean isFound) {
    Set<String> annotations = annotations(type.getModifiers());
    boolean isAbstract = type.getModifiers().getFlags().contains(Modifier.ABSTRACT);
    boolean isRun = isFound && !annotations.contains("Disabled");
    classes.add(
        new TestClass(
            type.getSimpleName().toString(),
            type.getExtendsClause() == null ? "" : simpleName(type.getExtendsClause()),
            type.getMembers().stream()
                .filter(member -> member instanceof MethodTree method && isTest(method))
                .map(member -> ((MethodTree) member).getName().toString())
                .collect(Collectors.toSet()),
            isRun && !isAbstract));
    for (Tree member : type.getMembers()) {
      if (member instanceof ClassTree inner) {
        add(inner, isRun && annotations(inner.getModifiers()).contains("Nested"));
      }
    }
  }

  private static boolean isTest(MethodTree method) {
    Set<String> annotations = annotations(method.getModifiers());
    return annotations.stream().anyMatch(TESTS::contains) && !annotations.contains("Disabled");
  }

  private static Set<String> annotations(ModifiersTree modifiers) {
    return modifiers.getAnnotations().stream()
        .map(AnnotationTree::getAnnotationType)
        .map(TestSources::simpleName)
        .collect(Collectors.toSet());
  }

  /** Without type arguments and qualifiers. */
  private static String simpleName(Tree type) {
    String name = type.toString().replaceAll("<.*", "");
    return name.substring(name.lastIndexOf('.') + 1);
  }

  boolean hasBuild(String name) {
    return Files.exists(repository.resolve("integration-tests/src/it").resolve(name + "/pom.xml"));
  }

  /** Empty if the class has the test, itself or from a parent, and a build runs it. */
  Optional<String> mistakeOf(String type, String method) {
    List<TestClass> having =
        classes.stream().filter(each -> each.name().equals(type) && has(each, method)).toList();
    String test = type + "." + method;
    if (having.isEmpty()) {
      String elsewhere =
          classes.stream()
              .filter(each -> each.tests().contains(method))
              .map(TestClass::name)
              .sorted()
              .collect(Collectors.joining(", "));
      return Optional.of(
          "no test: " + test + (elsewhere.isEmpty() ? "" : ", but one of " + elsewhere));
    }
    return having.stream().anyMatch(this::isRun)
        ? Optional.empty()
        : Optional.of("a test that no build runs: " + test);
  }

  private boolean has(TestClass type, String method) {
    return type.tests().contains(method)
        || classes.stream().anyMatch(each -> isChild(type, each) && has(each, method));
  }

  /** Whether it, or a class that extends it, is found by a build. */
  private boolean isRun(TestClass type) {
    return type.isFound() || classes.stream().anyMatch(each -> isChild(each, type) && isRun(each));
  }

  private static boolean isChild(TestClass type, TestClass parent) {
    return type.parent().equals(parent.name()) && !type.name().equals(parent.name());
  }
}
