package dev.streamfence.it.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * What one run has measured: the content of the JSON file.
 *
 * @param about the versions of the opponents that have said one, by their names
 * @param rows those that were measured, in the order of the table
 */
record Report(
    Machine machine,
    int rounds,
    Map<String, String> about,
    List<Measured> rows,
    List<LeftOut> leftOut) {
  /** The opponent that the ratios refer to. */
  static final String FLOOR = "C++";

  /** The opponent that this project is. */
  static final String OURS = "Streamfence";

  /**
   * The figures of a row.
   *
   * @param figures by the names of the opponents
   * @param overCpp those of the other opponents, divided by C++'s of the same round
   */
  record Measured(
      String id,
      String title,
      Unit unit,
      Map<String, Figures> figures,
      Map<String, Figures> overCpp) {}

  /** Rows that an opponent has not measured, and why. */
  record LeftOut(String opponent, List<String> rows, String reason) {
    private static final int ROWS_NAMED = 3;

    /** One line. */
    String describe() {
      String which =
          rows.size() <= ROWS_NAMED ? String.join(", ", rows) : "%d rows".formatted(rows.size());
      return "left out: %s%s%s: %s".formatted(opponent, which.isEmpty() ? "" : ", ", which, reason);
    }
  }

  void write(Path file) throws IOException {
    new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(file.toFile(), this);
  }

  static Report read(Path file) throws IOException {
    return new ObjectMapper().readValue(file.toFile(), Report.class);
  }
}
