package dev.streamfence.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code CONTRACT.md} states each promise once, beside a test that a build runs. */
final class ContractTest {
  private static TestSources sources;

  @BeforeAll
  static void readSources() throws IOException {
    sources = TestSources.in(Path.of(".."));
  }

  @Test
  void everyPromiseHasATestThatABuildRuns() throws IOException {
    ContractPage page = new ContractPage(Files.readString(Path.of("CONTRACT.md")));

    assertThat(page.mistakes(sources)).isEmpty();
    assertThat(page.promises()).hasSizeGreaterThan(300);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "A read waits. |                           | a promise without a test: A read waits.",
        "A read waits. | later                     | neither a test nor a build: later",
        "A read waits. | `GoneTest.isGone`         | no test: GoneTest.isGone",
        "A read waits. | `TimeLimitTest.isGone`    | no test: TimeLimitTest.isGone",
        "A read waits. | `TestSources.in`          | no test: TestSources.in",
        "A read waits. | `HangingTest.waitsForALock` | a test that no build runs: HangingTest.waitsForALock",
        "A read waits. | the build `gone`          | no build: gone",
        "A read waits  | the build `bom`           | not one sentence: A read waits",
        "a read waits. | the build `bom`           | not one sentence: a read waits.",
        "A read waits. So does a write. | the build `bom` | not one sentence: A read waits. So does a write.",
        "AS-01 is kept. | the build `bom`          | an id in place of words: AS-01",
        "K-7 waits.    | the build `bom`           | an id in place of words: K-7",
      })
  void aMistakeOfThePageIsFound(String promise, String keptBy, String mistake) {
    ContractPage page =
        new ContractPage("| %s | %s |\n".formatted(promise, keptBy == null ? "" : keptBy));

    assertThat(page.mistakes(sources)).containsExactly("line 1: " + mistake);
  }

  @Test
  void aDuplicatePromiseIsFound() {
    ContractPage page =
        new ContractPage(
            """
            | A read waits. | the build `bom` |
            | --- | --- |
            | A  Read waits. | `RuntimeSuite.saxpyIsComputed` |
            """);

    assertThat(page.mistakes(sources))
        .isEqualTo(List.of("line 3: a promise that stands in line 1 as well: A  Read waits."));
  }

  @Test
  void aTestThatMovedIsNamedWithItsNewClass() {
    ContractPage page = new ContractPage("| A read waits. | `GoneTest.saxpyIsComputed` |\n");

    assertThat(page.mistakes(sources))
        .containsExactly("line 1: no test: GoneTest.saxpyIsComputed, but one of RuntimeSuite");
  }
}
