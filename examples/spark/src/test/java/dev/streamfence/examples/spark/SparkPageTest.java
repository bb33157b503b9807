package dev.streamfence.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the page shows is a piece of the program that is tested here. */
class SparkPageTest {
  private static final Pattern PIECE = Pattern.compile("(?ms)^```java\\n(.*?)^```$");
  private static final Path PROGRAM = Path.of("src/main/java/dev/streamfence/examples/spark");

  @Test
  void everyPieceOfThePageIsInTheProgram() throws IOException {
    List<String> pieces =
        PIECE
            .matcher(Files.readString(Path.of("SPARK.md")))
            .results()
            .map(piece -> withoutIndentation(piece.group(1)))
            .toList();

    assertThat(pieces).isNotEmpty();
    assertThat(program()).contains(pieces);
  }

  private static String program() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.list(PROGRAM)) {
      for (Path file : files.toList()) {
        all.append(withoutIndentation(Files.readString(file)));
      }
    }
    return all.toString();
  }

  private static String withoutIndentation(String code) {
    return code.replaceAll("(?m)^ +", "");
  }
}
