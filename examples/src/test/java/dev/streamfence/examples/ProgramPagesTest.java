package dev.streamfence.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages show pieces of programs that are tested in this module. */
class ProgramPagesTest {
  private static final Pattern PIECE = Pattern.compile("(?ms)^```(?:java|cuda)\\n(.*?)^```$");

  private static final Path CLASSES = Path.of("src/main/java/dev/streamfence/examples");
  private static final Path TESTS = Path.of("src/test/java/dev/streamfence/examples");
  private static final Path KERNELS = Path.of("src/main/resources/kernels");

  @ParameterizedTest
  @CsvSource({"COOKBOOK.md, 6", "OPERATORS.md, 4"})
  void everyPieceOfAPageIsInAProgram(Path page, int count) throws IOException {
    List<String> pieces =
        PIECE
            .matcher(Files.readString(page))
            .results()
            .map((MatchResult piece) -> withoutIndentation(piece.group(1)))
            .toList();
    assertThat(pieces).hasSize(count);
    String programs = programs();
    assertThat(pieces).allSatisfy(piece -> assertThat(programs).contains(piece));
  }

  private static String programs() throws IOException {
    StringBuilder all = new StringBuilder();
    for (Path folder : List.of(CLASSES, TESTS, KERNELS)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.filter(ProgramPagesTest::isSource).toList()) {
          all.append(withoutIndentation(Files.readString(file)));
        }
      }
    }
    return all.toString();
  }

  private static boolean isSource(Path file) {
    return file.toString().endsWith(".java") || file.toString().endsWith(".cu");
  }

  private static String withoutIndentation(String code) {
    return code.replaceAll("(?m)^ +", "");
  }
}
