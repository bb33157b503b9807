package dev.streamfence.examples.queries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.examples.tpch.HostThreads;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares each operator with DuckDB, over TPC-H's rows. */
abstract class OperatorAnswerCases {
  /** Runs the case on the device of the class, and verifies that everything is closed. */
  abstract void onTheDevice(Consumer<DeviceRuntime> operation);

  /** Skips the case where something that it needs is missing. */
  void assumeItCanRun() {}

  /** TPC-H's scale factor. */
  abstract double scale();

  Stream<DataOptions> rows() {
    return Stream.of(DataOptions.atScale(scale()).withNulls(0.15).withSkew(0.3).withSeed(2));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void answersAreThoseOfDuckDb(DataOptions options) {
    assumeItCanRun();
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
