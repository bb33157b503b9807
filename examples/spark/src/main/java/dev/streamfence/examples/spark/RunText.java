package dev.streamfence.examples.spark;

import com.github.freva.asciitable.AsciiTable;
import com.github.freva.asciitable.Column;
import com.github.freva.asciitable.HorizontalAlign;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;

/** Runs of the job as text for the console. */
final class RunText {
  private RunText() {}

  /** The rows of an answer. */
  static String answer(List<Row> rows) {
    String[] names = rows.isEmpty() ? new String[0] : rows.get(0).schema().fieldNames();
    return table(
        rows.stream()
            .map(row -> IntStream.range(0, row.length()).mapToObj(row::get).toArray())
            .toArray(Object[][]::new),
        names);
  }

  /** The devices that the executors used. */
  static String devices(List<DeviceUse> uses) {
    Map<String, Map<DeviceUse, Long>> byExecutor =
        uses.stream()
            .collect(
                Collectors.groupingBy(
                    DeviceUse::executor,
                    TreeMap::new,
                    Collectors.groupingBy(Function.identity(), Collectors.counting())));
    return table(
        byExecutor.values().stream()
            .flatMap(executor -> executor.entrySet().stream())
            .map(
                use ->
                    new Object[] {
                      use.getKey().executor(),
                      use.getKey().process(),
                      use.getKey().address(),
                      use.getKey().device(),
                      use.getValue()
                    })
            .toArray(Object[][]::new),
        "executor",
        "process",
        "assigned",
        "device",
        "batches");
  }

  /** Seconds with one digit after the point. */
  static String seconds(Duration time) {
    return String.format(Locale.ROOT, "%.1f s", time.toNanos() / 1e9);
  }

  private static String table(Object[][] rows, String... headers) {
    Column[] columns =
        Arrays.stream(headers)
            .map(header -> new Column().header(header).dataAlign(HorizontalAlign.RIGHT))
            .toArray(Column[]::new);
    return AsciiTable.builder()
        .border(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS)
        .lineSeparator(System.lineSeparator())
        .data(columns, rows)
        .asString();
  }
}
