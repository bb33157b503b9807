package dev.streamfence.it.compare;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.it.compare.Report.LeftOut;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rounds, the table and the files of a comparison, with opponents that measure nothing. */
final class ComparisonTest {
  private static final Row LAUNCH = row("launch-one-stream");
  private static final Row REUSE = row("reuse");
  private static final Machine MACHINE =
      new Machine("GPU", "580", "CPU", "0-7", "17", "2026-11-27", "abc");

  private final List<String> asked = new ArrayList<>();
  private final List<Report> afterRounds = new ArrayList<>();

  private static Row row(String id) {
    return Row.ALL.stream().filter(row -> row.id().equals(id)).findFirst().orElseThrow();
  }

  /** Answers each row with its numbers in turn, and fails where there are none left. */
  private final class Fake implements Opponent {
    private final String name;
    private final String missing;
    private final Map<Row, List<Double>> numbers;
    private final List<Row> answered = new ArrayList<>();

    Fake(String name, String missing, Map<Row, List<Double>> numbers) {
      this.name = name;
      this.missing = missing;
      this.numbers = numbers;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Greeting greeting() {
      List<String> rows = numbers.keySet().stream().map(Row::id).toList();
      return new Greeting(rows, "of version 1", missing);
    }

    @Override
    public Answer measure(String id) {
      asked.add(name + " " + id);
      Row row = row(id);
      List<Double> its = numbers.getOrDefault(row, List.of());
      int position = (int) answered.stream().filter(row::equals).count();
      answered.add(row);
      return position < its.size() ? new Value(its.get(position)) : new Cannot("out of numbers");
    }

    @Override
    public void close() {}
  }

  private Report compare(int rounds, Opponent... opponents) {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, UTF_8);
    return new Comparison(List.of(LAUNCH, REUSE), List.of(opponents), rounds, nowhere)
        .run(MACHINE, afterRounds::add);
  }

  private Opponent cpp() {
    return new Fake("C++", "", Map.of(LAUNCH, List.of(9000.0, 100.0, 300.0, 200.0)));
  }

  private Opponent ours() {
    return new Fake(
        "Streamfence",
        "",
        Map.of(
            LAUNCH,
            List.of(9000.0, 150.0, 330.0, 240.0),
            REUSE,
            List.of(9000.0, 7000.0, 7000.0, 7000.0)));
  }

  @Test
  void inEachRoundEveryOpponentMeasuresEachRow() {
    compare(1, cpp(), ours());
    List<String> round =
        List.of("C++ launch-one-stream", "Streamfence launch-one-stream", "Streamfence reuse");
    assertThat(asked.subList(0, 3)).as("the warm-up").isEqualTo(round);
    assertThat(asked.subList(3, 6)).isEqualTo(round);
    assertThat(asked).hasSize(6);
  }

  @Test
  void figuresAreMediansAndQuartilesOfTheRoundsAfterTheWarmUp() {
    Report report = compare(3, cpp(), ours());
    assertThat(report.rows().get(0).figures().get("C++"))
        .isEqualTo(new Figures(200, 150, 250, List.of(100.0, 300.0, 200.0)));
    assertThat(report.rows().get(0).overCpp().keySet()).containsExactly("Streamfence");
    assertThat(report.rows().get(0).overCpp().get("Streamfence").median())
        .as("of 1.5, 1.1 and 1.2")
        .isEqualTo(1.2);
    assertThat(report.rows().get(1).overCpp()).isEmpty();
  }

  @Test
  void aMissingOpponentAndAFailingRowAreLeftOut() {
    Opponent failing = new Fake("plain JCuda", "", Map.of(LAUNCH, List.of(1.0, 2.0)));
    Opponent absent = new Fake("CuPy", "there is no CuPy", Map.of(LAUNCH, List.of()));
    Report report = compare(3, cpp(), failing, absent);
    assertThat(report.rows()).hasSize(1);
    assertThat(report.rows().get(0).figures().keySet()).containsExactly("C++");
    assertThat(report.leftOut())
        .containsExactly(
            new LeftOut("CuPy", List.of("launch-one-stream"), "there is no CuPy"),
            new LeftOut("plain JCuda", List.of("launch-one-stream"), "out of numbers"));
    assertThat(asked).filteredOn("plain JCuda launch-one-stream"::equals).hasSize(3);
  }

  @Test
  void theTableHasMediansQuartilesAndRatios() {
    Opponent absent = new Fake("CuPy", "there is no CuPy", Map.of(LAUNCH, List.of()));
    assertThat(new Table(compare(3, ours(), cpp(), absent)).lines())
        .containsExactly(
            "GPU, driver 580, CPU, cores 0-7, Java 17, 2026-11-27, commit abc",
            "C++: of version 1",
            "Streamfence: of version 1",
            "Medians of 3 rounds, and their quartiles. A ratio is the median of Streamfence's number"
                + " divided by C++'s of the same round; of launches per second, more is better.",
            "",
            "| | C++ | Streamfence | ratio |",
            "| --- | --- | --- | --- |",
            "| launch, 4 arrays and 2 numbers, one stream | 200 ns (150 – 250) | 240 ns (195 – 285) |"
                + " 1.20 |",
            "| launch on memory freed on another stream | – | 7000 ns (7000 – 7000) | – |",
            "",
            "- left out: CuPy, launch-one-stream: there is no CuPy");
  }

  @Test
  void theFileHasAllNumbers(@TempDir Path folder) throws IOException {
    Report report = compare(3, cpp(), ours());
    Path file = folder.resolve("compare.json");
    report.write(file);
    assertThat(Report.read(file)).isEqualTo(report);
  }

  @Test
  void eachRoundHasAReport() {
    Report last = compare(3, cpp(), ours());
    assertThat(afterRounds).extracting(Report::rounds).containsExactly(1, 2, 3);
    assertThat(afterRounds.get(0).rows().get(0).figures().get("C++"))
        .isEqualTo(new Figures(100, 100, 100, List.of(100.0)));
    assertThat(afterRounds.get(2)).isEqualTo(last);
  }

  @Test
  void namesAreUnique() {
    assertThat(Row.ALL.stream().map(Row::id)).doesNotHaveDuplicates();
    assertThat(Row.ALL.stream().map(Row::title)).doesNotHaveDuplicates();
  }

  @Test
  void progressIsTold() {
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    PrintStream progress = new PrintStream(told, true, UTF_8);
    new Comparison(List.of(LAUNCH), List.of(cpp()), 1, progress).run(MACHINE, afterRounds::add);
    assertThat(told.toString(UTF_8).lines()).containsExactly("warming up", "round 1 of 1");
  }
}
