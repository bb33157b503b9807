package dev.streamfence.examples.queries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.examples.tpch.HostThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the seven queries on the device with plain Java, and each operator with DuckDB. */
abstract class QueryCases {
  private static final int THREADS = 4;

  /** Runs the case on the device of the class, and verifies that everything is closed. */
  abstract void onTheDevice(Consumer<DeviceRuntime> operation);

  /** TPC-H's scale factor. */
  abstract double scale();

  Stream<DataOptions> rows() {
    DataOptions tpch = DataOptions.atScale(scale());
    return Stream.of(tpch, tpch.withNulls(0.1).withSkew(0.2));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void answersAreThoseOfPlainJava(DataOptions options) {
    HostTables host = TableGenerator.generate(options, 2);
    onTheDevice(
        device -> {
          try (DeviceStream stream = device.streams().acquire();
              DeviceTables tables = DeviceTables.upload(stream, host)) {
            Queries.ALL.forEach(query -> assertAnswer(query, stream, tables, host));
          }
        });
  }

  @ParameterizedTest
  @MethodSource("rows")
  void threadsAskTheSameTablesOnStreamsOfTheirOwn(DataOptions options) {
    HostTables host = TableGenerator.generate(options, 2);
    onTheDevice(
        device -> {
          try (DeviceStream uploader = device.streams().acquire();
              DeviceTables tables = DeviceTables.upload(uploader, host);
              HostThreads threads = new HostThreads("query", THREADS)) {
            List<CompletableFuture<?>> running = new ArrayList<>();
            for (Query query : Queries.ALL) {
              running.add(
                  CompletableFuture.runAsync(
                      () -> {
                        try (DeviceStream stream = device.streams().acquire()) {
                          assertAnswer(query, stream, tables, host);
                        }
                      },
                      threads.executor()));
            }
            running.forEach(CompletableFuture::join);
          }
        });
  }

  private static void assertAnswer(
      Query query, DeviceStream stream, DeviceTables tables, HostTables host) {
    assertThat(query.run(stream, tables).differenceFrom(PlainJava.answerOf(query, host)))
        .as(query.name())
        .isEmpty();
  }

  /** Rows for the comparison of operators. */
  Stream<DataOptions> rowsForOperators() {
    return Stream.of(DataOptions.atScale(scale()).withNulls(0.15).withSkew(0.3).withSeed(2));
  }

  @ParameterizedTest
  @MethodSource("rowsForOperators")
  void operatorsGiveTheAnswersOfDuckDb(DataOptions options) {
    assumeTrue(hasDuckDb(), "DuckDB is not on the class path; DUCKDB_JAR puts it there");
    try (HostThreads threads = new HostThreads("load", 2);
        DuckDb duckDb = DuckDb.open(2)) {
      HostTables host = TableGenerator.generate(options, threads);
      duckDb.load(host, threads);
      onTheDevice(
          device -> {
            try (DeviceStream stream = device.streams().acquire();
                DeviceTables tables = DeviceTables.upload(stream, host)) {
              compare(stream, tables, duckDb);
            }
          });
    }
  }

  /** Whether DuckDB is there, which the bundle for GPU machines does not contain. */
  private static boolean hasDuckDb() {
    return QueryCases.class.getClassLoader().getResource("org/duckdb/DuckDBDriver.class") != null;
  }

  private static void compare(DeviceStream stream, DeviceTables tables, DuckDb duckDb) {
    SoftAssertions softly = new SoftAssertions();
    for (List<OperatorQuery> queries :
        List.of(RowQueries.ALL, OrderQueries.ALL, GroupQueries.ALL, JoinQueries.ALL)) {
      for (OperatorQuery query : queries) {
        QueryAnswer expected = duckDb.answerOf(query);
        assertThat(expected.rows()).as(query.name()).isNotEmpty();
        softly
            .assertThat(query.run(stream, tables).differenceFrom(expected))
            .as(query.name())
            .isEmpty();
      }
    }
    softly.assertAll();
  }
}
