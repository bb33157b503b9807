package dev.streamfence.examples.cookbook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the page of the cookbook shows is a piece of a program that is tested here. */
class CookbookPageTest {
  private static final Pattern PIECE = Pattern.compile("(?ms)^```(?:java|cuda)\\n(.*?)^```$");
  private static final List<Path> PROGRAMS =
      List.of(
          Path.of("src/main/java/dev/streamfence/examples/cookbook"),
          Path.of("src/test/java/dev/streamfence/examples/cookbook"),
          Path.of("src/main/resources/kernels"));

  @Test
  void everyPieceOfThePageIsInAProgram() throws IOException {
    List<String> pieces =
        PIECE
            .matcher(Files.readString(Path.of("COOKBOOK.md")))
            .results()
            .map((MatchResult piece) -> withoutIndentation(piece.group(1)))
            .toList();
    assertThat(pieces).hasSize(6);
    String programs = programs();
    assertThat(pieces).allSatisfy(piece -> assertThat(programs).contains(piece));
  }

  private static String programs() throws IOException {
    StringBuilder all = new StringBuilder();
    for (Path folder : PROGRAMS) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.filter(CookbookPageTest::isSource).toList()) {
          all.append(withoutIndentation(Files.readString(file)));
        }
      }
    }
    return all.toString();
  }

  private static boolean isSource(Path file) {
    return Files.isRegularFile(file) && !file.toString().endsWith(".ptx");
  }

  private static String withoutIndentation(String code) {
    return code.replaceAll("(?m)^ +", "");
  }
}
