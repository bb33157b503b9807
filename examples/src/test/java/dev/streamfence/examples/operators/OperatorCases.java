package dev.streamfence.examples.operators;

import static dev.streamfence.examples.operators.Expression.column;
import static dev.streamfence.examples.operators.Expression.date;
import static dev.streamfence.examples.operators.Expression.decimal;
import static dev.streamfence.examples.operators.Expression.number;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.DeviceArray;
import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.column.ColumnField;
import dev.streamfence.column.ColumnType;
import dev.streamfence.column.DeviceColumn;
import dev.streamfence.column.DeviceTable;
import dev.streamfence.column.Schema;
import dev.streamfence.graph.KernelGraph;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operator against plain Java, over tables of every type with nulls. */
abstract class OperatorCases {
  /** Runs the case on each device of the class, and verifies that everything is closed. */
  abstract void onEachDevice(BiConsumer<DeviceRuntime, DeviceStream> operation);

  /** The largest number of rows. */
  abstract int most();

  Stream<Integer> lengths() {
    return Stream.of(0, 1, 255, 257, most());
  }

  static Stream<String> columns() {
    return HostRows.names().stream();
  }

  /** Runs the case with a table of random rows. */
  private void withRows(int count, Operation operation) {
    List<List<@Nullable Object>> rows = HostRows.random(count, count);
    onEachDevice(
        (device, stream) -> {
          try (DeviceTable table = HostRows.upload(stream, HostRows.EVERY_TYPE, rows)) {
            operation.run(stream, table, rows);
          }
        });
  }

  private interface Operation {
    void run(DeviceStream stream, DeviceTable table, List<List<@Nullable Object>> rows);
  }

  private static void assertRows(DeviceStream stream, DeviceTable table, List<?> expected) {
    try (table) {
      assertThat(HostRows.download(stream, table)).isEqualTo(expected);
    }
  }

  private static void assertRowsInAnyOrder(
      DeviceStream stream, DeviceTable table, List<? extends List<?>> expected) {
    try (table) {
      assertThat(HostRows.download(stream, table).stream().map(Objects::toString).sorted())
          .isEqualTo(expected.stream().map(Objects::toString).sorted().toList());
    }
  }

  // All.

  @Test
  void operatorsTakeSlicesWhoseNumberOfRowsTheHostDoesNotHave() {
    withRows(
        100,
        (stream, table, rows) -> {
          table.rowCount().fill(stream, 63);
          try (DeviceTable slice = table.slice(stream, 13, 80);
              DeviceTable same =
                  HostRows.upload(stream, HostRows.EVERY_TYPE, rows.subList(13, 63))) {
            assertThat(slice.knownRows()).isEmpty();
            OperatorCalls.ALL.forEach(
                (operator, call) -> {
                  try (DeviceTable result =
                          call.apply(stream, slice.select(OperatorCalls.COLUMNS));
                      DeviceTable expected =
                          call.apply(stream, same.select(OperatorCalls.COLUMNS))) {
                    assertThat(withoutOrder(stream, result))
                        .as(operator)
                        .isEqualTo(withoutOrder(stream, expected));
                  }
                });
          }
        });
  }

  private static List<String> withoutOrder(DeviceStream stream, DeviceTable table) {
    return HostRows.download(stream, table).stream().map(Objects::toString).sorted().toList();
  }

  // Filter.

  @ParameterizedTest
  @MethodSource("lengths")
  void filterKeepsRowsThatMeetTheConditionInOrder(int count) {
    withRows(
        count,
        (stream, table, rows) ->
            assertRows(
                stream,
                Filter.of(stream, table, column("int32").isMore(number(0))),
                rows.stream()
                    .filter(row -> row.get(HostRows.at("int32")) instanceof Long x && x > 0)
                    .toList()));
  }

  @Test
  void filterOfASliceSeesItsRowsOnly() {
    withRows(
        100,
        (stream, table, rows) -> {
          try (DeviceTable slice = table.slice(stream, 13, 50)) {
            assertRows(
                stream,
                Filter.of(stream, slice, column("bool")),
                rows.subList(13, 63).stream()
                    .filter(row -> Boolean.TRUE.equals(row.get(HostRows.at("bool"))))
                    .toList());
          }
        });
  }

  @Test
  void filterKeepsOtherColumnsThanThoseOfTheCondition() {
    withRows(
        30,
        (stream, table, rows) ->
            assertRows(
                stream,
                Filter.of(stream, table, column("bool8"), table.select("text")),
                rows.stream()
                    .filter(row -> Boolean.TRUE.equals(row.get(HostRows.at("bool8"))))
                    .map(row -> HostRows.key(row, "text"))
                    .toList()));
  }

  // Project: each expression against Java, row by row.

  private void assertExpression(
      Expression expression, Function<List<@Nullable Object>, @Nullable Object> inJava) {
    withRows(
        200,
        (stream, table, rows) ->
            assertRows(
                stream,
                Project.of(stream, table, Map.of("result", expression)),
                rows.stream()
                    .map(
                        row -> {
                          List<@Nullable Object> one = new ArrayList<>();
                          one.add(inJava.apply(row));
                          return one;
                        })
                    .toList()));
  }

  private static @Nullable Long integer(List<@Nullable Object> row, String column) {
    return (Long) row.get(HostRows.at(column));
  }

  private static @Nullable Double floating(List<@Nullable Object> row, String column) {
    return (Double) row.get(HostRows.at(column));
  }

  private static @Nullable Boolean flag(List<@Nullable Object> row, String column) {
    return (Boolean) row.get(HostRows.at(column));
  }

  private static @Nullable String text(List<@Nullable Object> row, String column) {
    return (String) row.get(HostRows.at(column));
  }

  @ParameterizedTest
  @MethodSource("columns")
  void projectCopiesAColumnOfEveryType(String name) {
    assertExpression(column(name), row -> row.get(HostRows.at(name)));
  }

  @ParameterizedTest
  @MethodSource("columns")
  void nullsAreFoundInEveryType(String name) {
    assertExpression(column(name).isNull(), row -> row.get(HostRows.at(name)) == null);
  }

  @Test
  void integersOfAllWidthsAreAdded() {
    assertExpression(
        column("int8").plus(column("uint32")).minus(column("uint16")).plus(number(1)),
        row -> {
          Long a = integer(row, "int8");
          Long b = integer(row, "uint32");
          Long c = integer(row, "uint16");
          return a == null || b == null || c == null ? null : (Object) (a + b - c + 1);
        });
  }

  @Test
  void constantsStandOnBothSides() {
    assertExpression(
        number(10).minus(column("int16")),
        row -> {
          Long a = integer(row, "int16");
          return a == null ? null : (Object) (10 - a);
        });
  }

  @Test
  void productsWrapAroundAt64Bits() {
    assertExpression(
        column("int64").times(column("int64")),
        row -> {
          Long a = integer(row, "int64");
          return a == null ? null : (Object) (a * a);
        });
  }

  @Test
  void decimalsKeepTheirDigits() {
    // 1.01 × (1 - 0.05) + 2 with 2 + 2 digits.
    assertExpression(
        column("decimal").times(number(1).minus(decimal("0.05"))).plus(number(2)),
        row -> {
          Long a = integer(row, "decimal");
          return a == null ? null : (Object) (a * 95 + 20000);
        });
  }

  @Test
  void doublesAreComputedByIeee754() {
    assertExpression(
        column("float64").times(column("float32")).plus(column("decimal")).dividedBy(number(3)),
        row -> {
          Double a = floating(row, "float64");
          Double b = floating(row, "float32");
          Long c = integer(row, "decimal");
          return a == null || b == null || c == null ? null : (Object) ((a * b + c / 100.0) / 3.0);
        });
  }

  @Test
  void quotientsOfIntegersAreDoubles() {
    assertExpression(
        column("int32").dividedBy(column("uint8")),
        row -> {
          Long a = integer(row, "int32");
          Long b = integer(row, "uint8");
          return a == null || b == null ? null : (Object) ((double) a / b);
        });
  }

  @Test
  void comparisonsHoldOrNot() {
    Map<Function<Expression, Expression>, Function<Integer, Boolean>> comparisons =
        Map.of(
            column("int8")::isLess, sign -> sign < 0,
            column("int8")::isAtMost, sign -> sign <= 0,
            column("int8")::isMore, sign -> sign > 0,
            column("int8")::isAtLeast, sign -> sign >= 0,
            column("int8")::isEqual, sign -> sign == 0);
    comparisons.forEach(
        (comparison, holds) -> {
          for (String other : List.of("int64", "float64", "decimal")) {
            assertExpression(
                comparison.apply(column(other)),
                row -> {
                  Long a = integer(row, "int8");
                  Object b = row.get(HostRows.at(other));
                  if (a == null || b == null) {
                    return null;
                  }
                  double divisor = other.equals("decimal") ? 100 : 1;
                  return b instanceof Long && divisor == 1
                      ? holds.apply(Long.compare(a, (Long) b))
                      : holds.apply(
                          Double.compare((double) a, ((Number) b).doubleValue() / divisor + 0.0));
                });
          }
        });
  }

  @Test
  void conditionsJoinAsInSql() {
    assertExpression(
        column("bool").and(column("bool8")),
        row -> {
          Boolean a = flag(row, "bool");
          Boolean b = flag(row, "bool8");
          return Boolean.FALSE.equals(a) || Boolean.FALSE.equals(b)
              ? (Object) false
              : a == null || b == null ? null : true;
        });
    assertExpression(
        column("bool").or(column("bool8").not()),
        row -> {
          Boolean a = flag(row, "bool");
          Boolean b = flag(row, "bool8");
          return Boolean.TRUE.equals(a) || Boolean.FALSE.equals(b)
              ? (Object) true
              : a == null || b == null ? null : false;
        });
  }

  @Test
  void choicesTakeTheOtherValueForNull() {
    assertExpression(
        column("bool").choose(column("int32"), number(-1)),
        row -> Boolean.TRUE.equals(flag(row, "bool")) ? integer(row, "int32") : (Object) (-1L));
  }

  @Test
  void datesHaveYearsAndDistances() {
    assertExpression(
        column("date").year(),
        row -> {
          Long day = integer(row, "date");
          return day == null ? null : (Object) (long) LocalDate.ofEpochDay(day).getYear();
        });
    assertExpression(
        column("date").plus(number(31)).minus(date(LocalDate.of(1970, 2, 1))),
        row -> integer(row, "date"));
  }

  @Test
  void yearsAreThoseOfTheCalendarOnEveryDayOfThreeCycles() {
    int[] days =
        IntStream.rangeClosed(-24, 24)
            .flatMap(
                year ->
                    IntStream.of(0, 58, 59, 60, 364, 365)
                        .map(day -> (int) LocalDate.of(2000 + year * 25, 1, 1).toEpochDay() + day))
            .toArray();
    Schema schema = Schema.of(ColumnField.of("day", ColumnType.DATE32));
    onEachDevice(
        (device, stream) -> {
          try (DeviceTable table = DeviceTable.upload(stream, schema, days);
              DeviceTable years = Project.of(stream, table, Map.of("year", column("day").year()))) {
            assertThat(years.download(stream, "year", long[].class))
                .isEqualTo(
                    Arrays.stream(days)
                        .mapToLong(day -> LocalDate.ofEpochDay(day).getYear())
                        .toArray());
          }
        });
  }

  @Test
  void textsMatchPatterns() {
    Map<String, String> regexByPattern =
        Map.of(
            "", "",
            "%", ".*",
            "a%", "a.*",
            "%h", ".*h",
            "%b%", ".*b.*",
            "a_", "a.",
            "__", "..",
            "%c%g_", ".*c.*g.",
            "z_rich", "z.rich",
            "%%a%%", ".*a.*");
    for (String column : List.of("text", "dictionary")) {
      regexByPattern.forEach(
          (pattern, regex) ->
              assertExpression(
                  column(column).isLike(pattern),
                  row -> {
                    String text = text(row, column);
                    return text == null ? null : (Object) text.matches("(?s)" + regex);
                  }));
    }
  }

  @Test
  void textsAreComparedWhole() {
    for (String column : List.of("text", "dictionary")) {
      assertExpression(
          column(column).isText("a", "zürich", ""),
          row -> {
            String text = text(row, column);
            return text == null ? null : (Object) List.of("a", "zürich", "").contains(text);
          });
    }
  }

  @Test
  void dictionariesMayBeSlicesWithNulls() {
    Schema texts = Schema.of(ColumnField.nullable("text", ColumnType.UTF8));
    ColumnField field = ColumnField.of("code", ColumnType.dictionary(ColumnType.INT8));
    onEachDevice(
        (device, stream) -> {
          DeviceArray<byte[]> codes = device.memory().upload(stream, new byte[] {1, 0, 2, 1});
          DeviceArray<byte[]> noNulls = device.memory().upload(stream, new byte[0]);
          String[] words = {"x", null, "z", "b", null, "a"};
          try (DeviceTable entries = DeviceTable.upload(stream, texts, (Object) words)) {
            DeviceColumn<byte[]> slice = entries.column("text", byte[].class).slice(3, 3);
            DeviceColumn<byte[]> column = DeviceColumn.ofDictionary(field, codes, noNulls, slice);
            try (DeviceTable table =
                    DeviceTable.of(stream, Schema.of(field), List.of(column), codes.length());
                DeviceTable sorted = Sort.of(stream, table, SortKey.ascending("code"))) {
              assertThat(sorted.download(stream, "code", String[].class))
                  .containsExactly("a", "b", null, null);
            }
          }
        });
  }

  @Test
  void expressionsThatDoNotFitAreRefusedInWords() {
    Map<Expression, String> refused =
        Map.of(
            column("text").plus(number(1)),
                "column 'text' is utf8; an expression compares text with isText or isLike",
            column("int32").and(column("bool")),
                "the left operand of AND is int64, not a condition",
            column("date").isLess(number(3)), "LESS does not take date32 and int64",
            column("int32").year(), "year() takes a date, not int64",
            column("int32").isText("a"), "column 'int32' is int32; isText and isLike take text",
            decimal("0.0000000001").times(decimal("0.0000000001")),
                "a decimal with 20 digits after the point; up to 18 fit",
            column("bool").choose(column("int32"), column("date")),
                "a choice needs two values of one type, not int64 and date32");
    withRows(
        3,
        (stream, table, rows) ->
            refused.forEach(
                (expression, message) ->
                    assertThatThrownBy(
                            () -> Project.of(stream, table, Map.of("result", expression)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage(message)));
    withRows(
        3,
        (stream, table, rows) ->
            assertThatThrownBy(() -> Filter.of(stream, table, column("int32")))
                .hasMessage("the expression is int64, not a condition"));
  }

  @Test
  void projectionsAndSumsOfAWholeTableAreRecordedAsAGraph() {
    Schema schema = Schema.of(ColumnField.of("value", ColumnType.INT64));
    onEachDevice(
        (device, stream) -> {
          List<DeviceTable> results = new ArrayList<>();
          try (DeviceTable table = DeviceTable.upload(stream, schema, new long[] {1, 2, 3});
              KernelGraph graph =
                  device.graph(
                      "doubles",
                      body -> {
                        Expression twice = column("value").times(number(2));
                        results.add(Project.of(stream, table, Map.of("twice", twice)));
                        results.add(
                            GroupBy.of(stream, table, List.of(), Aggregate.sum("sum", twice)));
                      })) {
            for (long value : new long[] {5, 7}) {
              table.column("value", long[].class).values().fill(stream, value);
              graph.launch(stream);
              assertThat(results.get(0).download(stream, "twice", long[].class))
                  .containsExactly(2 * value, 2 * value, 2 * value);
              assertThat(results.get(1).download(stream, "sum", long[].class))
                  .containsExactly(6 * value);
            }
            results.forEach(DeviceTable::close);
          }
        });
  }

  // Sort and top-k.

  private static Comparator<List<@Nullable Object>> order(SortKey... keys) {
    return Arrays.stream(keys)
        .map(OperatorCases::order)
        .reduce(Comparator::thenComparing)
        .orElseThrow();
  }

  @SuppressWarnings("unchecked") // Values of one column are comparable with each other.
  private static Comparator<List<@Nullable Object>> order(SortKey key) {
    Comparator<Object> values =
        (a, b) ->
            a instanceof String text
                ? Arrays.compareUnsigned(
                    text.getBytes(StandardCharsets.UTF_8),
                    ((String) b).getBytes(StandardCharsets.UTF_8))
                : ((Comparable<Object>) a).compareTo(b);
    Comparator<Object> directed = key.isDescending() ? values.reversed() : values;
    Comparator<@Nullable Object> withNulls =
        key.areNullsFirst() ? Comparator.nullsFirst(directed) : Comparator.nullsLast(directed);
    return (a, b) ->
        withNulls.compare(a.get(HostRows.at(key.column())), b.get(HostRows.at(key.column())));
  }

  private static List<List<@Nullable Object>> sorted(
      List<List<@Nullable Object>> rows, SortKey... keys) {
    return rows.stream().sorted(order(keys)).toList();
  }

  @ParameterizedTest
  @MethodSource("columns")
  void sortKeepsTheOrderOfEqualRows(String name) {
    withRows(
        300,
        (stream, table, rows) -> {
          for (SortKey key :
              List.of(
                  SortKey.ascending(name),
                  SortKey.descending(name),
                  SortKey.ascending(name).nullsFirst(),
                  SortKey.descending(name).nullsFirst())) {
            assertRows(stream, Sort.of(stream, table, key), sorted(rows, key));
          }
        });
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void sortByManyColumns(int count) {
    SortKey[] keys = {
      SortKey.descending("dictionary"), SortKey.ascending("int64").nullsFirst(),
      SortKey.ascending("text"), SortKey.descending("float64")
    };
    withRows(
        count,
        (stream, table, rows) ->
            assertRows(stream, Sort.of(stream, table, keys), sorted(rows, keys)));
  }

  @Test
  void textsBeyondTheRowsDoNotMatter() {
    ColumnField field = ColumnField.of("text", ColumnType.UTF8);
    onEachDevice(
        (device, stream) -> {
          DeviceColumn<byte[]> column =
              DeviceColumn.ofText(
                  field,
                  device.memory().upload(stream, new int[] {0, 1, 2, Integer.MAX_VALUE, 7}),
                  device.memory().upload(stream, new byte[] {'b', 'a'}),
                  device.memory().allocate(stream, byte[].class, 0));
          try (DeviceTable table = DeviceTable.of(stream, Schema.of(field), List.of(column), 2);
              DeviceTable sorted = Sort.of(stream, table, SortKey.ascending("text"))) {
            assertThat(sorted.download(stream, "text", String[].class)).containsExactly("a", "b");
          }
        });
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void topKHasTheFirstRowsOfTheSort(int count) {
    withRows(
        count,
        (stream, table, rows) -> {
          for (String first : List.of("int64", "text")) {
            SortKey[] keys = {SortKey.descending(first), SortKey.ascending("date")};
            for (int k : new int[] {0, 20, Integer.MAX_VALUE}) {
              assertRows(
                  stream,
                  TopK.of(stream, table, k, keys),
                  sorted(rows, keys).subList(0, Math.min(k, count)));
            }
          }
        });
  }

  @Test
  void topKSortsCandidatesOnly() {
    long[] values = IntStream.range(0, 600).mapToLong(i -> (i * 7919L) % 101 - 50).toArray();
    Schema schema = Schema.of(ColumnField.of("value", ColumnType.INT64));
    onEachDevice(
        (device, stream) -> {
          try (DeviceTable table = DeviceTable.upload(stream, schema, values)) {
            for (SortKey key : List.of(SortKey.ascending("value"), SortKey.descending("value"))) {
              try (DeviceTable top = TopK.of(stream, table, 40, 100, List.of(key));
                  DeviceTable sorted = Sort.of(stream, table, key)) {
                assertThat(top.download(stream, "value", long[].class))
                    .isEqualTo(Arrays.copyOf(sorted.download(stream, "value", long[].class), 40));
              }
            }
          }
        });
  }

  @Test
  void manyRowsAreSortedByteByByte() {
    Random random = new Random(5);
    long[] keys =
        IntStream.range(0, 700)
            .mapToLong(i -> i % 3 == 0 ? random.nextLong() : random.nextLong(-3, 3))
            .toArray();
    int[] expected =
        IntStream.range(0, keys.length)
            .boxed()
            .sorted((a, b) -> Long.compareUnsigned(keys[a], keys[b]))
            .mapToInt(row -> row)
            .toArray();
    onEachDevice(
        (device, stream) -> {
          for (int fewRows : new int[] {0, 1000}) {
            try (Temporaries temporaries = new Temporaries(stream)) {
              Rows all = Rows.all(stream, keys.length, temporaries);
              RadixSort sort = new RadixSort(stream, all, temporaries, fewRows);
              sort.keys().upload(stream, keys);
              sort.byKeys();
              assertThat(sort.rows().numbers().download(stream)).isEqualTo(expected);
            }
          }
        });
  }

  @Test
  void topKOfNothingIsRefused() {
    withRows(
        3,
        (stream, table, rows) -> {
          assertThatThrownBy(() -> TopK.of(stream, table, -1, SortKey.ascending("int8")))
              .hasMessage("k = -1 is negative");
          assertThatThrownBy(() -> TopK.of(stream, table, 1)).hasMessage("top-k needs a sort key");
        });
  }

  // Groups.

  private static Map<List<@Nullable Object>, List<List<@Nullable Object>>> groups(
      List<List<@Nullable Object>> rows, String... keys) {
    Map<List<@Nullable Object>, List<List<@Nullable Object>>> groups = new LinkedHashMap<>();
    for (List<@Nullable Object> row : rows) {
      groups.computeIfAbsent(HostRows.key(row, keys), key -> new ArrayList<>()).add(row);
    }
    return groups;
  }

  @ParameterizedTest
  @MethodSource("columns")
  void distinctHasEachValueOnce(String name) {
    withRows(
        300,
        (stream, table, rows) ->
            assertRowsInAnyOrder(
                stream,
                Distinct.of(stream, table.select(name)),
                List.copyOf(groups(rows, name).keySet())));
  }

  @Test
  void distinctKeepsOneRowOfEachKey() {
    withRows(
        100,
        (stream, table, rows) -> {
          try (DeviceTable distinct = Distinct.of(stream, table, "int8", "text")) {
            List<List<@Nullable Object>> kept = HostRows.download(stream, distinct);
            assertThat(rows).containsAll(kept);
            assertThat(groups(kept, "int8", "text").keySet())
                .isEqualTo(groups(rows, "int8", "text").keySet())
                .hasSize(kept.size());
          }
        });
  }

  @Test
  void notANumberIsOneKeyAndComesLast() {
    double negative = Double.longBitsToDouble(0xfff8_0000_0000_0001L);
    double[] values = {Double.NaN, 1, negative, Double.POSITIVE_INFINITY, -0.0, 0};
    Schema schema = Schema.of(ColumnField.of("value", ColumnType.FLOAT64));
    onEachDevice(
        (device, stream) -> {
          try (DeviceTable table = DeviceTable.upload(stream, schema, values);
              DeviceTable sorted = Sort.of(stream, table, SortKey.ascending("value"));
              DeviceTable top = TopK.of(stream, table, 2, 1, List.of(SortKey.descending("value")));
              DeviceTable groups =
                  GroupBy.of(stream, table, List.of("value"), Aggregate.count("n"));
              DeviceTable distinct = Distinct.of(stream, table);
              HashJoin join = HashJoin.build(stream, distinct, "value");
              DeviceTable found = join.semi(stream, table, "value");
              DeviceTable most =
                  GroupBy.of(stream, table, List.of(), Aggregate.most("most", column("value")))) {
            assertThat(sorted.download(stream, "value", double[].class))
                .containsExactly(-0.0, 0, 1, Double.POSITIVE_INFINITY, Double.NaN, Double.NaN);
            assertThat(top.download(stream, "value", double[].class))
                .containsExactly(Double.NaN, Double.NaN);
            assertThat(groups.download(stream, "n", long[].class))
                .containsExactlyInAnyOrder(2, 1, 1, 2);
            assertThat(distinct.rows(stream)).isEqualTo(4);
            assertThat(found.rows(stream)).isEqualTo(6);
            assertThat(most.download(stream, "most", double[].class)).containsExactly(Double.NaN);
          }
        });
  }

  private static Stream<Long> longs(List<List<@Nullable Object>> rows, String column) {
    return rows.stream()
        .map(row -> (Long) row.get(HostRows.at(column)))
        .filter(Objects::nonNull)
        .map(value -> Objects.requireNonNull(value));
  }

  private static Stream<Double> doubles(List<List<@Nullable Object>> rows, String column) {
    return rows.stream()
        .map(row -> (Double) row.get(HostRows.at(column)))
        .filter(Objects::nonNull)
        .map(value -> Objects.requireNonNull(value));
  }

  private static final Aggregate[] AGGREGATES = {
    Aggregate.count("rows"),
    Aggregate.count("values", column("text")),
    Aggregate.sum("sum", column("decimal")),
    Aggregate.average("average", column("decimal")),
    Aggregate.least("least", column("date")),
    Aggregate.most("most", column("int64")),
    Aggregate.sum("sumOfDoubles", column("float64")),
    Aggregate.least("leastDouble", column("float64")),
    Aggregate.most("mostFloat", column("float32"))
  };

  private static List<@Nullable Object> aggregates(List<List<@Nullable Object>> rows) {
    List<@Nullable Object> results = new ArrayList<>();
    results.add((long) rows.size());
    results.add(rows.stream().filter(row -> row.get(HostRows.at("text")) != null).count());
    results.add(longs(rows, "decimal").reduce(Long::sum).orElse(null));
    long count = longs(rows, "decimal").count();
    results.add(
        count == 0
            ? null
            : (Object) (longs(rows, "decimal").mapToLong(x -> x).sum() / 100.0 / count));
    results.add(longs(rows, "date").min(Long::compare).orElse(null));
    results.add(longs(rows, "int64").max(Long::compare).orElse(null));
    // Halves add up exactly in any order.
    results.add(doubles(rows, "float64").reduce(Double::sum).orElse(null));
    results.add(doubles(rows, "float64").min(Double::compare).orElse(null));
    results.add(doubles(rows, "float32").max(Double::compare).orElse(null));
    return results;
  }

  private void assertGroups(int count, String... keys) {
    withRows(
        count,
        (stream, table, rows) ->
            assertRowsInAnyOrder(
                stream,
                GroupBy.of(stream, table, List.of(keys), AGGREGATES),
                groups(rows, keys).entrySet().stream()
                    .map(
                        group -> {
                          List<@Nullable Object> row = new ArrayList<>(group.getKey());
                          row.addAll(aggregates(group.getValue()));
                          return row;
                        })
                    .toList()));
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void groupsHaveTheAggregatesOfTheirRows(int count) {
    assertGroups(count, "int8");
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void keysOfManyColumnsMakeManyGroups(int count) {
    assertGroups(count, "dictionary", "float64", "text", "int16");
  }

  @Test
  void moreGroupsThanABlockHoldsAreAddedUpToo() {
    long[] keys = IntStream.range(0, 1400).mapToLong(i -> i % 700).toArray();
    Schema schema = Schema.of(ColumnField.of("key", ColumnType.INT64));
    onEachDevice(
        (device, stream) -> {
          try (DeviceTable table = DeviceTable.upload(stream, schema, keys)) {
            assertRowsInAnyOrder(
                stream,
                GroupBy.of(
                    stream,
                    table,
                    List.of("key"),
                    Aggregate.count("count"),
                    Aggregate.sum("sum", column("key")),
                    Aggregate.least("least", column("key")),
                    Aggregate.most("most", number(0).minus(column("key")))),
                IntStream.range(0, 700)
                    .mapToObj(key -> List.of((long) key, 2L, 2L * key, (long) key, (long) -key))
                    .toList());
          }
        });
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void aWholeTableHasOneRowOfAggregates(int count) {
    withRows(
        count,
        (stream, table, rows) ->
            assertRows(
                stream,
                GroupBy.of(stream, table, List.of(), AGGREGATES),
                List.of(aggregates(rows))));
  }

  // Joins.

  private void withTwoTables(int count, TwoTables operation) {
    List<List<@Nullable Object>> build = HostRows.random(count, 1);
    List<List<@Nullable Object>> probe = HostRows.random(2 * count / 3 + 1, 2);
    onEachDevice(
        (device, stream) -> {
          try (DeviceTable buildTable = HostRows.upload(stream, HostRows.EVERY_TYPE, build);
              DeviceTable probeTable = HostRows.upload(stream, HostRows.EVERY_TYPE, probe);
              DeviceStream other = device.streams().acquire()) {
            operation.run(stream, other, buildTable, probeTable, build, probe);
          }
        });
  }

  private interface TwoTables {
    void run(
        DeviceStream builder,
        DeviceStream prober,
        DeviceTable buildTable,
        DeviceTable probeTable,
        List<List<@Nullable Object>> build,
        List<List<@Nullable Object>> probe);
  }

  private static List<@Nullable Object> concat(List<?> a, List<?> b) {
    List<@Nullable Object> row = new ArrayList<>(a);
    row.addAll(b);
    return row;
  }

  private static List<@Nullable Object> nulls() {
    List<@Nullable Object> row = new ArrayList<>();
    HostRows.names().forEach(name -> row.add(null));
    return row;
  }

  private static DeviceTable renamed(DeviceTable table) {
    DeviceTable renamed = table;
    for (String name : HostRows.names()) {
      renamed = renamed.rename(name, "build_" + name);
    }
    return renamed;
  }

  private void assertJoins(int count, String... keys) {
    String[] buildKeys = Arrays.stream(keys).map(key -> "build_" + key).toArray(String[]::new);
    withTwoTables(
        count,
        (builder, prober, buildTable, probeTable, build, probe) -> {
          List<List<@Nullable Object>> inner = new ArrayList<>();
          List<List<@Nullable Object>> outer = new ArrayList<>();
          List<List<@Nullable Object>> semi = new ArrayList<>();
          List<List<@Nullable Object>> anti = new ArrayList<>();
          Map<List<@Nullable Object>, List<List<@Nullable Object>>> byKey = groups(build, keys);
          for (List<@Nullable Object> row : probe) {
            List<@Nullable Object> key = HostRows.key(row, keys);
            List<List<@Nullable Object>> partners =
                key.contains(null) ? List.of() : byKey.getOrDefault(key, List.of());
            partners.forEach(partner -> inner.add(concat(row, partner)));
            partners.forEach(partner -> outer.add(concat(row, partner)));
            if (partners.isEmpty()) {
              outer.add(concat(row, nulls()));
              anti.add(row);
            } else {
              semi.add(row);
            }
          }
          try (HashJoin join = HashJoin.build(builder, renamed(buildTable), buildKeys)) {
            assertRows(prober, join.semi(prober, probeTable, keys), semi);
            assertRows(prober, join.anti(prober, probeTable, keys), anti);
            assertRowsInAnyOrder(prober, join.inner(prober, probeTable, keys), inner);
            assertRowsInAnyOrder(prober, join.leftOuter(prober, probeTable, keys), outer);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("columns")
  void joinsFindPartnersByAKeyOfEveryType(String name) {
    assertJoins(30, name);
  }

  @ParameterizedTest
  @MethodSource("lengths")
  void joinsFindPartnersByKeysOfManyColumns(int count) {
    assertJoins(count, "int8", "text", "dictionary");
  }

  @Test
  void aKeyOfAllRowsIsJoined() {
    Schema schema = Schema.of(ColumnField.of("key", ColumnType.INT32));
    onEachDevice(
        (device, stream) -> {
          try (DeviceTable table = DeviceTable.upload(stream, schema, new int[300]);
              HashJoin join = HashJoin.build(stream, table, "key");
              DeviceTable probe = DeviceTable.upload(stream, schema, new int[] {1, 0, 0});
              DeviceTable pairs = join.inner(stream, probe, "key")) {
            assertThat(pairs.rows(stream)).isEqualTo(600);
          }
        });
  }

  @Test
  void textsAndDictionariesAreJoinedWithEachOther() {
    withTwoTables(
        80,
        (builder, prober, buildTable, probeTable, build, probe) -> {
          try (HashJoin join = HashJoin.build(builder, buildTable, "text")) {
            assertRows(
                prober,
                join.semi(prober, probeTable, "dictionary"),
                probe.stream()
                    .filter(row -> row.get(HostRows.at("dictionary")) != null)
                    .filter(
                        row ->
                            build.stream()
                                .anyMatch(
                                    other ->
                                        Objects.equals(
                                            other.get(HostRows.at("text")),
                                            row.get(HostRows.at("dictionary")))))
                    .toList());
          }
        });
  }

  @Test
  void joinsOfColumnsThatDoNotGoTogetherAreRefused() {
    withRows(
        3,
        (stream, table, rows) -> {
          try (HashJoin join = HashJoin.build(stream, table, "int64")) {
            assertThatThrownBy(() -> join.inner(stream, table, "text"))
                .hasMessage(
                    "column 'text' is utf8 and column 'int64' is int64; a join compares columns of"
                        + " one kind");
            assertThatThrownBy(() -> join.inner(stream, table, "int64", "text"))
                .hasMessage(
                    "the key [int64, text] does not have as many columns as the key of the build side, [int64]");
          }
        });
  }
}
