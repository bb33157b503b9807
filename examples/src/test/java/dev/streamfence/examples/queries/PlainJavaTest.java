package dev.streamfence.examples.queries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.examples.tpch.HostThreads;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares plain Java with DuckDB, which computes the answers from the text in SQL. */
class PlainJavaTest {
  static Stream<DataOptions> rows() {
    DataOptions tpch = DataOptions.atScale(0.01);
    return Stream.of(
        tpch,
        tpch.withNulls(0.05),
        tpch.withSkew(0.3),
        tpch.withNulls(0.05).withSkew(0.3),
        tpch.withNulls(0.25).withSkew(0.1).withSeed(3));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void answersAreThoseOfDuckDb(DataOptions options) {
    try (HostThreads threads = new HostThreads("load", 2);
        DuckDb duckDb = DuckDb.open(2)) {
      HostTables tables = TableGenerator.generate(options, threads);
      duckDb.load(tables, threads);
      for (Query query : Queries.ALL) {
        QueryAnswer expected = duckDb.answerOf(query);
        assertThat(expected.rows()).as(query.name()).isNotEmpty();
        assertThat(PlainJava.answerOf(query, tables).differenceFrom(expected))
            .as(query.name())
            .isEmpty();
      }
    }
  }
}
