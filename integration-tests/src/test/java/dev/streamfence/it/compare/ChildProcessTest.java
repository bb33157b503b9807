package dev.streamfence.it.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.it.compare.Opponent.Cannot;
import dev.streamfence.it.compare.Opponent.Greeting;
import dev.streamfence.it.compare.Opponent.Value;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conversations with shell scripts that pretend to measure, and with the program in Python. */
final class ChildProcessTest {
  private static final String SCRIPT =
      """
      echo row reuse; echo 'a library is loud'; echo about version 2; echo ready
      while read -r measure row; do
        case "$row" in
          crash) echo 'terminate called' >&2; exit 3 ;;
          hang) sleep 100 ;;
          fail) echo 'cannot: no memory' ;;
          nonsense) echo value a lot ;;
          *) echo "value 12.5" ;;
        esac
      done
      """;

  private static ChildProcess start(String script, Duration limit) {
    return new ChildProcess("fake", List.of("bash", "-c", script), limit);
  }

  @Test
  void aChildGreetsAndMeasures() {
    try (ChildProcess child = start(SCRIPT, Duration.ofSeconds(60))) {
      assertThat(child.greeting()).isEqualTo(new Greeting(List.of("reuse"), "version 2", ""));
      assertThat(child.measure("reuse")).isEqualTo(new Value(12.5));
      assertThat(child.measure("fail")).isEqualTo(new Cannot("no memory"));
      assertThat(child.measure("nonsense")).isInstanceOf(Cannot.class);
    }
  }

  @Test
  void aChildThatEndsFailsOneRowWithItsLastWordsAndStartsAgain() {
    try (ChildProcess child = start(SCRIPT, Duration.ofSeconds(60))) {
      child.greeting();
      assertThat(child.measure("crash"))
          .isEqualTo(new Cannot("it ended with status 3: a library is loud | terminate called"));
      assertThat(child.measure("reuse")).isEqualTo(new Value(12.5));
    }
  }

  @Test
  void aChildThatHangsFailsOneRowAndStartsAgain() {
    try (ChildProcess child = start(SCRIPT, Duration.ofMillis(300))) {
      child.greeting();
      assertThat(child.measure("hang")).isInstanceOf(Cannot.class);
      assertThat(child.measure("reuse")).isEqualTo(new Value(12.5));
    }
  }

  @Test
  void aChildThatDoesNotGetReadyIsMissing() {
    try (ChildProcess child = start("nvcc-of-nowhere && true", Duration.ofSeconds(60))) {
      assertThat(child.greeting().missing())
          .startsWith("it ended with status 127: ")
          .contains("nvcc-of-nowhere");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"CuPy", "PyTorch"})
  void thePythonOpponentsOfferRowsOfTheTable(String library) {
    List<String> command = List.of("python3", "-B", "src/bundle/compare/compare.py", library, "-");
    try (ChildProcess child = new ChildProcess(library, command, Duration.ofSeconds(60))) {
      Greeting greeting = child.greeting();
      assertThat(greeting.rows()).contains("launch-one-stream", "pinned-down-1024-MiB");
      assertThat(Row.ALL).extracting(Row::id).containsAll(greeting.rows());
    } catch (UncheckedIOException e) {
      assumeTrue(false, "python3 is not installed");
    }
  }
}
