package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.AnswerColumn.average;
import static dev.streamfence.examples.queries.AnswerColumn.date;
import static dev.streamfence.examples.queries.AnswerColumn.decimal;
import static dev.streamfence.examples.queries.AnswerColumn.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.examples.operators.SortKey;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueryAnswerTest {
  private static final LocalDate DAY = LocalDate.of(1995, 3, 15);
  private static final AnswerShape SHAPE =
      AnswerShape.of(text("name"), date("day"), decimal("sum", 2), average("mean"))
          .sortedBy(SortKey.descending("sum"), SortKey.ascending("day"));

  @Test
  void rowsWithEqualSortKeysMayComeInAnyOrder() {
    QueryAnswer one = answer(row("a", DAY, 5L, 1.0), row("b", DAY, 5L, 2.0));
    QueryAnswer other = answer(row("b", DAY, 5L, 2.0), row("a", DAY, 5L, 1.0));
    assertThat(one.differenceFrom(other)).isEmpty();
    assertThat(one.differenceFrom(answer(row("b", DAY, 5L, 2.0), row("c", DAY, 5L, 1.0))))
        .hasValue("row 0, column name: a instead of c");
  }

  @Test
  void nullsComeLastUnlessAKeyPutsThemFirst() {
    List<List<@Nullable Object>> rows = List.of(row("a", DAY, null, 1.0), row("b", DAY, 5L, 1.0));
    assertThat(QueryAnswer.sorted(SHAPE, rows).rows()).isEqualTo(List.of(rows.get(1), rows.get(0)));
    assertThat(
            QueryAnswer.sorted(SHAPE.sortedBy(SortKey.descending("sum").nullsFirst()), rows).rows())
        .isEqualTo(rows);
  }

  @Test
  void averagesMayDifferByABillionth() {
    QueryAnswer expected = answer(row("a", DAY, 5L, 1000.0));
    assertThat(answer(row("a", DAY, 5L, 1000.0000005)).differenceFrom(expected)).isEmpty();
    assertThat(answer(row("a", DAY, 5L, 1000.000002)).differenceFrom(expected))
        .hasValue("row 0, column mean: 1000.000002 instead of 1000.0");
    assertThat(answer(row("a", DAY, 5L, Double.NaN)).differenceFrom(expected)).isPresent();
  }

  @Test
  void anAverageIsRefusedAsASortKeySinceItsLastDigitsDiffer() {
    assertThatThrownBy(() -> SHAPE.sortedBy(SortKey.ascending("mean")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the average mean cannot be a sort key");
  }

  @Test
  void aDifferenceNamesRowColumnAndBothValues() {
    QueryAnswer expected = answer(row("a", DAY, 9L, null), row("b", DAY, 5L, null));
    assertThat(answer(row("a", DAY, 9L, null), row("b", DAY, 4L, null)).differenceFrom(expected))
        .hasValue("row 1, column sum: 4 instead of 5");
    assertThat(answer(row("a", DAY, 9L, null), row(null, DAY, 5L, null)).differenceFrom(expected))
        .hasValue("row 1, column name: null instead of b");
    assertThat(answer(row("a", DAY, 9L, null)).differenceFrom(expected))
        .hasValue("1 rows instead of 2");
  }

  @Test
  void whereALimitCutsRowsOffOnlyTheLastSortKeysAreCompared() {
    AnswerShape limited = SHAPE.limitedTo(2);
    List<List<@Nullable Object>> rows =
        List.of(row("a", DAY, 9L, 1.0), row("b", DAY, 5L, 1.0), row("c", DAY, 5L, 1.0));
    QueryAnswer one = QueryAnswer.sorted(limited, rows);
    assertThat(one.rows()).hasSize(2);
    assertThat(one.differenceFrom(new QueryAnswer(limited, List.of(rows.get(0), rows.get(2)))))
        .isEmpty();
    assertThat(
            one.differenceFrom(
                new QueryAnswer(limited, List.of(rows.get(0), row("b", DAY, 4L, 1.0)))))
        .hasValue("row 1, column sum: 5 instead of 4");
  }

  @Test
  void sortedRowsHaveNullsLast() {
    QueryAnswer sorted =
        QueryAnswer.sorted(
            SHAPE,
            List.of(
                row("null", DAY, null, null),
                row("later", DAY.plusDays(1), 7L, null),
                row("day", DAY, 7L, null),
                row("more", DAY, 8L, null)));
    assertThat(sorted.rows())
        .extracting(row -> row.get(0))
        .containsExactly("more", "day", "later", "null");
  }

  @Test
  void rowsInAnotherOrderOrOfOtherTypesAreRefused() {
    assertThatThrownBy(() -> answer(row("a", DAY, 5L, null), row("b", DAY, 9L, null)))
        .hasMessageContaining("comes before row 1");
    assertThatThrownBy(() -> answer(row("a", DAY, 5, null)))
        .hasMessageContaining("takes no Integer: 5");
    assertThatThrownBy(() -> answer(row("a"))).hasMessageContaining("[a] for the columns");
  }

  private static QueryAnswer answer(List<@Nullable Object> row) {
    return new QueryAnswer(SHAPE, List.of(row));
  }

  private static QueryAnswer answer(List<@Nullable Object> first, List<@Nullable Object> second) {
    return new QueryAnswer(SHAPE, List.of(first, second));
  }

  private static List<@Nullable Object> row(@Nullable Object... values) {
    return Arrays.asList(values);
  }
}
