package dev.streamfence.it.compare;

import static java.util.Locale.ROOT;

import dev.streamfence.it.compare.Report.Measured;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The figures of a report in Markdown, as the page on performance shows them. */
final class Table {
  private static final String RATIO = "ratio";

  private final Report report;

  Table(Report report) {
    this.report = report;
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(report.machine().describe());
    report.about().forEach((name, about) -> lines.add(name + ": " + about));
    lines.add(
        "Medians of "
            + report.rounds()
            + " rounds, and their quartiles. A ratio is the median of Streamfence's number divided by"
            + " C++'s of the same round; of launches per second, more is better.");
    lines.add("");
    List<String> columns = columns();
    lines.add("| | " + String.join(" | ", columns) + " |");
    lines.add("| --- ".repeat(columns.size() + 1) + "|");
    for (Measured row : report.rows()) {
      lines.add(
          "| "
              + row.title()
              + " | "
              + String.join(" | ", columns.stream().map(c -> cell(row, c)).toList())
              + " |");
    }
    lines.add("");
    report.leftOut().forEach(left -> lines.add("- " + left.describe()));
    return lines;
  }

  /** C++ and this project side by side, with their ratio, and then the others. */
  private List<String> columns() {
    Set<String> measured = new LinkedHashSet<>();
    report.rows().forEach(row -> measured.addAll(row.figures().keySet()));
    Set<String> columns = new LinkedHashSet<>(List.of(Report.FLOOR, Report.OURS, RATIO));
    if (report.rows().stream().noneMatch(row -> ours(row).isPresent())) {
      columns.remove(RATIO);
    }
    columns.removeIf(column -> !column.equals(RATIO) && !measured.contains(column));
    columns.addAll(measured);
    return List.copyOf(columns);
  }

  private static Optional<Figures> ours(Measured row) {
    return Optional.ofNullable(row.overCpp().get(Report.OURS));
  }

  private static String cell(Measured row, String column) {
    if (column.equals(RATIO)) {
      return ours(row).map(ratio -> String.format(ROOT, "%.2f", ratio.median())).orElse("–");
    }
    Figures figures = row.figures().get(column);
    if (figures == null) {
      return "–";
    }
    Unit unit = row.unit();
    return "%s (%s – %s)"
        .formatted(
            unit.format(figures.median(), figures.median()),
            number(unit.format(figures.lowerQuartile(), figures.median())),
            number(unit.format(figures.upperQuartile(), figures.median())));
  }

  /** Without its unit, which the median has. */
  private static String number(String formatted) {
    return formatted.substring(0, formatted.indexOf(' '));
  }
}
