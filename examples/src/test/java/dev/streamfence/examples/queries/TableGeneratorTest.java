package dev.streamfence.examples.queries;

import static dev.streamfence.examples.queries.TpchTable.LINEITEM;
import static dev.streamfence.examples.queries.TpchTable.ORDERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.streamfence.examples.tpch.HostTable;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableGeneratorTest {
  private static final DataOptions SMALL = DataOptions.atScale(0.002);

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 64})
  void rowsDoNotDependOnTheNumberOfThreads(int threads) {
    DataOptions options = SMALL.withNulls(0.1).withSkew(0.1);
    HostTables tables = TableGenerator.generate(options, threads);
    HostTables ofOneThread = TableGenerator.generate(options, 1);
    for (TpchTable table : TpchTable.values()) {
      assertSameRows(tables.table(table), ofOneThread.table(table));
    }
  }

  private static void assertSameRows(HostTable table, HostTable other) {
    assertThat(table.schema()).isEqualTo(other.schema());
    for (int column = 0; column < table.schema().columnCount(); column++) {
      assertThat(table.column(column)).isEqualTo(other.column(column));
      assertThat(table.validity(column)).isEqualTo(other.validity(column));
    }
  }

  @Test
  void smallScaleHasAsManyRowsAsTpchDefines() {
    HostTables tables = TableGenerator.generate(DataOptions.atScale(0.01), 2);
    assertThat(TpchTable.values())
        .extracting(table -> tables.table(table).rows())
        .containsExactly(5, 25, 100, 2000, 8000, 1500, 15_000, 60_175);
  }

  @Test
  void aShareOfEachNullableColumnIsNullAndNoOtherIs() {
    HostTables tables = TableGenerator.generate(SMALL.withNulls(0.2), 2);
    HostTable items = tables.table(LINEITEM);
    for (int column = 0; column < items.schema().columnCount(); column++) {
      assertThat(items.schema().field(column).isNullable()).isTrue();
      assertThat(nulls(items, column)).isCloseTo(items.rows() * 0.2, within(items.rows() * 0.02));
    }
    HostTable orders = tables.table(ORDERS);
    assertThat(orders.schema().field("o_orderkey").isNullable()).isFalse();
    assertThat(nulls(orders, 0)).isZero();
  }

  @Test
  void onlyTheNamedColumnsGetNulls() {
    HostTables tables = TableGenerator.generate(SMALL.withNulls(0.2, Set.of("l_tax")), 2);
    assertThat(tables.table(ORDERS).schema()).isEqualTo(ORDERS.schema());
    assertThat(tables.table(LINEITEM).schema().field("l_tax").isNullable()).isTrue();
    assertThat(tables.table(LINEITEM).schema().field("l_discount").isNullable()).isFalse();
  }

  @Test
  void aShareOfTheRowsRefersToOneKey() {
    HostTables tables = TableGenerator.generate(SMALL.withSkew(0.3), 2);
    HostTable items = tables.table(LINEITEM);
    for (String column : new String[] {"l_orderkey", "l_partkey", "l_suppkey"}) {
      assertThat(mostFrequent(items.longs(column))).isBetween(items.rows() / 4, items.rows() / 2);
    }
    HostTable orders = tables.table(ORDERS);
    assertThat(mostFrequent(orders.longs("o_custkey")))
        .isBetween(orders.rows() / 4, orders.rows() / 2);
  }

  @Test
  void columnsThatCannotHaveNullsAreRefused() {
    assertThatThrownBy(() -> SMALL.withNulls(0.1, Set.of("o_orderkey")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not all of [o_orderkey] can have nulls");
    assertThatThrownBy(() -> SMALL.withSkew(2)).hasMessage("share 2.0 is not from 0 to 1");
  }

  private static double nulls(HostTable table, int column) {
    return IntStream.range(0, table.rows()).filter(row -> table.isNull(column, row)).count();
  }

  private static int mostFrequent(long[] keys) {
    long[] sorted = LongStream.of(keys).sorted().toArray();
    int most = 0;
    int first = 0;
    for (int i = 0; i < sorted.length; i++) {
      if (sorted[i] != sorted[first]) {
        first = i;
      }
      most = Math.max(most, i - first + 1);
    }
    return most;
  }
}
