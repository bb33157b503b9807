package dev.streamfence.processor;

import static dev.streamfence.processor.UserBuild.Tool.ECLIPSE;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.processor.diagnostic.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code PROBLEMS.md} shows a wrong and a right example of every problem. */
class ProblemPageTest {
  /** Problems that no source of a reasonable size provokes. */
  private static final Set<Problem> WITHOUT_EXAMPLE =
      EnumSet.of(
          Problem.COMPACT_SOURCE,
          Problem.TOO_LARGE,
          Problem.KERNEL_TOO_LARGE,
          Problem.ARGUMENT_BYTES,
          Problem.NO_JAVA_NAME,
          Problem.UNCHECKED_MODULE,
          Problem.NO_CUDA_SOURCE,
          Problem.COMPILER_OPTION,
          Problem.COMPILER_FAILED,
          Problem.CUDA_ERROR,
          Problem.CUDA_WARNING,
          Problem.STALE_PTX,
          Problem.RESOURCE_FOLDER,
          Problem.WRITE_FAILED,
          Problem.INTERNAL_ERROR);

  /** Problems whose examples the compiler itself refuses too. */
  private static final Set<Problem> ERRORS_OF_THE_COMPILER =
      EnumSet.of(Problem.UNRESOLVED_TYPE, Problem.FINAL_METHOD, Problem.ERASURE_CLASH);

  private static final ProblemPage PAGE = read();

  @TempDir private Path folder;

  @Test
  void everyProblemHasASectionInTheOrderOfTheCatalogue() {
    assertThat(PAGE.sections())
        .extracting(ProblemPage.Section::id)
        .containsExactlyElementsOf(Arrays.stream(Problem.values()).map(Problem::id).toList());
  }

  @ParameterizedTest
  @MethodSource("sections")
  void sectionHasExamplesOrSaysWhyNot(Problem problem, ProblemPage.Section section) {
    boolean isExpected = !WITHOUT_EXAMPLE.contains(problem);

    assertThat(section.examples("Wrong").isEmpty()).isNotEqualTo(isExpected);
    assertThat(section.examples("Right").isEmpty()).isNotEqualTo(isExpected);
    assertThat(section.prose().contains("\nNo example: ")).isNotEqualTo(isExpected);
    assertThat(section.prose().strip()).doesNotStartWith("No example");
  }

  @ParameterizedTest
  @MethodSource("sections")
  void warningsSayHowToSuppressThem(Problem problem, ProblemPage.Section section) {
    boolean isWarning = problem.kind() == Diagnostic.Kind.WARNING;

    assertThat(section.prose().contains("A warning: ")).isEqualTo(isWarning);
    assertThat(section.prose().contains("@SuppressWarnings(\"" + problem.suppression() + "\")"))
        .isEqualTo(isWarning);
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void wrongExampleHasThisProblemAlone(Problem problem, ProblemPage.Example example) {
    assertThat(example.compile(folder).ids())
        .containsExactly(problem.kind() + " [" + problem.id() + "]");
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void wrongExampleIsWrongForTheProcessorAlone(Problem problem, ProblemPage.Example example) {
    assertThat(example.compile(folder, "-proc:none").isCompiled())
        .isNotEqualTo(ERRORS_OF_THE_COMPILER.contains(problem));
  }

  @ParameterizedTest
  @MethodSource("right")
  void rightExampleHasNoProblem(Problem problem, ProblemPage.Example example) {
    Mistakes mistakes = example.compile(folder, "-Xlint:all,-processing", "-Werror");

    mistakes.areNone();
    assertThat(mistakes.isCompiled()).as("%s", problem).isTrue();
  }

  @Tag("exhaustive")
  @ParameterizedTest
  @MethodSource("wrong")
  void wrongExampleHasThisProblemAloneInEclipse(Problem problem, ProblemPage.Example example) {
    UserBuild build = example.build(ECLIPSE, folder).run();

    assertThat(build.ids()).containsExactly(problem.kind() + " [" + problem.id() + "]");
    assertThat(build.inGeneratedFiles()).isEmpty();
  }

  @Tag("exhaustive")
  @ParameterizedTest
  @MethodSource("wrong")
  void wrongExampleIsWrongForTheProcessorAloneInEclipse(
      Problem problem, ProblemPage.Example example) {
    assertThat(example.build(ECLIPSE, folder).runWithoutProcessors().isCompiled())
        .isNotEqualTo(ERRORS_OF_THE_COMPILER.contains(problem));
  }

  @Tag("exhaustive")
  @ParameterizedTest
  @MethodSource("right")
  void rightExampleHasNoProblemInEclipse(Problem problem, ProblemPage.Example example) {
    UserBuild build = example.build(ECLIPSE, folder).options(EclipseCompilerTest.WARNINGS).run();

    assertThat(build.ids()).as("%s", problem).isEmpty();
    assertThat(build.inGeneratedFiles()).isEmpty();
    assertThat(build.isCompiled()).as("%s", build.everything()).isTrue();
  }

  @Test
  void moduleOfAnExampleIsVisibleUnderTheNameThatItHasThere() {
    ProblemPage page =
        ProblemPage.parse(
            """
            ## `Some`
            Why.

            Wrong:

            ```java
            @KernelModule("a/k.ptx")
            interface Kernels {}
            ```

            ```ptx
            .version 6.3
            ```
            """);

    ProblemPage.Section section = page.sections().get(0);
    section.examples("Wrong").get(0).compile(folder);

    assertThat(section.prose().strip()).isEqualTo("Why.");
    assertThat(folder.resolve("a/k.ptx")).hasContent(".version 6.3\n");
  }

  @Test
  void codeWithoutAnIntroductionIsNoExample() {
    assertThatThrownBy(() -> ProblemPage.parse("## `Some`\n\n```java\ninterface K {}\n```\n"))
        .hasMessageStartingWith("block in Some is no example");
  }

  static Stream<Arguments> sections() {
    return Arrays.stream(Problem.values())
        .flatMap(
            problem ->
                PAGE.sections().stream()
                    .filter(section -> section.id().equals(problem.id()))
                    .map(section -> Arguments.of(problem, Named.of("its section", section))));
  }

  static Stream<Arguments> wrong() {
    return examples("Wrong");
  }

  static Stream<Arguments> right() {
    return examples("Right");
  }

  private static Stream<Arguments> examples(String label) {
    return Arrays.stream(Problem.values())
        .flatMap(
            problem ->
                PAGE.sections().stream()
                    .filter(section -> section.id().equals(problem.id()))
                    .flatMap(section -> section.examples(label).stream())
                    .map(example -> Arguments.of(problem, Named.of(title(example), example))));
  }

  private static String title(ProblemPage.Example example) {
    return example.types().lines().filter(line -> !line.isBlank()).limit(3).collect(joining(" "));
  }

  private static ProblemPage read() {
    try {
      return ProblemPage.parse(Files.readString(Path.of("PROBLEMS.md")));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
