package dev.streamfence.examples.queries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import dev.streamfence.DeviceStream;
import dev.streamfence.examples.tpch.HostThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the seven queries on the device with plain Java. */
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
}
