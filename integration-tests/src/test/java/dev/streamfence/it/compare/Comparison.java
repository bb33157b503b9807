package dev.streamfence.it.compare;

import dev.streamfence.it.compare.Opponent.Answer;
import dev.streamfence.it.compare.Opponent.Cannot;
import dev.streamfence.it.compare.Opponent.Greeting;
import dev.streamfence.it.compare.Opponent.Value;
import dev.streamfence.it.compare.Report.LeftOut;
import dev.streamfence.it.compare.Report.Measured;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Measures rows in rounds. In each round every opponent measures each row, one after the other, so
 * that a machine that becomes slower becomes slower for all of them. One more round comes first and
 * does not count: in it the opponents set up what they need, and their compilers and caches warm
 * up.
 *
 * <p>A row that fails for an opponent is left out for this opponent alone, with the reason.
 */
final class Comparison {
  private final List<Row> rows;
  private final List<Opponent> opponents;
  private final int rounds;
  private final PrintStream progress;
  private final Map<Row, Map<Opponent, List<Double>>> numbers = new LinkedHashMap<>();
  private final Map<String, String> about = new TreeMap<>();
  private final List<LeftOut> leftOut = new ArrayList<>();

  /**
   * A comparison that has not begun.
   *
   * @param progress is told each round, and each failure
   */
  Comparison(List<Row> rows, List<Opponent> opponents, int rounds, PrintStream progress) {
    this.rows = List.copyOf(rows);
    this.opponents = List.copyOf(opponents);
    this.rounds = rounds;
    this.progress = progress;
  }

  /**
   * Runs all rounds.
   *
   * @param afterRound is given what there is after each round, so that a run that is cut off is not
   *     lost
   */
  Report run(Machine machine, Consumer<Report> afterRound) {
    rows.forEach(row -> numbers.put(row, new LinkedHashMap<>()));
    opponents.forEach(this::greet);
    progress.println("warming up");
    rows.forEach(row -> measure(row, false));
    Report report = new Report(machine, 0, about, List.of(), leftOut);
    for (int round = 1; round <= rounds; round++) {
      progress.println("round " + round + " of " + rounds);
      rows.forEach(row -> measure(row, true));
      report = new Report(machine, round, about, measured(), List.copyOf(leftOut));
      afterRound.accept(report);
    }
    return report;
  }

  private void greet(Opponent opponent) {
    Greeting greeting = opponent.greeting();
    Set<String> offered = new HashSet<>(greeting.rows());
    List<Row> its = rows.stream().filter(row -> offered.contains(row.id())).toList();
    if (!greeting.missing().isEmpty()) {
      // A program that has not started names no rows.
      if (its.isEmpty() && !offered.isEmpty()) {
        return;
      }
      leaveOut(opponent, its.stream().map(Row::id).toList(), greeting.missing());
      return;
    }
    if (!greeting.about().isEmpty()) {
      about.put(opponent.name(), greeting.about());
    }
    its.forEach(row -> numbersOf(row).put(opponent, new ArrayList<>()));
    Row.ALL.forEach(row -> offered.remove(row.id()));
    if (!offered.isEmpty()) {
      leaveOut(opponent, List.copyOf(offered), "the table has no such row");
    }
  }

  private void measure(Row row, boolean counts) {
    for (Opponent opponent : List.copyOf(numbersOf(row).keySet())) {
      Answer answer = opponent.measure(row.id());
      if (answer instanceof Cannot cannot) {
        numbersOf(row).remove(opponent);
        leaveOut(opponent, List.of(row.id()), cannot.reason());
      } else if (answer instanceof Value value && counts) {
        Objects.requireNonNull(numbersOf(row).get(opponent)).add(value.number());
      }
    }
  }

  /** What fails for the same reason is one line of the table. */
  private void leaveOut(Opponent opponent, List<String> what, String reason) {
    LeftOut added = new LeftOut(opponent.name(), what, reason);
    progress.println(added.describe());
    for (LeftOut known : List.copyOf(leftOut)) {
      if (known.opponent().equals(added.opponent()) && known.reason().equals(reason)) {
        List<String> both = Stream.concat(known.rows().stream(), what.stream()).toList();
        leftOut.set(leftOut.indexOf(known), new LeftOut(known.opponent(), both, reason));
        return;
      }
    }
    leftOut.add(added);
  }

  private Map<Opponent, List<Double>> numbersOf(Row row) {
    return Objects.requireNonNull(numbers.get(row));
  }

  private List<Measured> measured() {
    List<Measured> measured = new ArrayList<>();
    numbers.forEach(
        (row, byOpponent) -> {
          Map<String, Figures> figures = new LinkedHashMap<>();
          byOpponent.forEach((opponent, all) -> figures.put(opponent.name(), Figures.of(all)));
          if (!figures.isEmpty()) {
            measured.add(new Measured(row.id(), row.title(), row.unit(), figures, over(figures)));
          }
        });
    return measured;
  }

  private static Map<String, Figures> over(Map<String, Figures> figures) {
    Map<String, Figures> ratios = new LinkedHashMap<>();
    Figures floor = figures.get(Report.FLOOR);
    if (floor != null) {
      figures.forEach((name, its) -> ratios.put(name, its.over(floor)));
      ratios.remove(Report.FLOOR);
    }
    return ratios;
  }
}
