package dev.streamfence.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The names of the loggers, which programs configure. */
final class LogTopicTest {
  private static final Pattern DOCUMENTED = Pattern.compile("\\| `(dev\\.streamfence\\.\\w+)` \\|");

  @Test
  void eachTopicHasALoggerAndThePageNamesAll() throws IOException {
    assertThat(
            DOCUMENTED
                .matcher(Files.readString(Path.of("../LIFECYCLE.md")))
                .results()
                .map(found -> found.group(1)))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(LogTopic.values()).map(LogTopic::loggerName).toList());
  }
}
