package dev.streamfence.it.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.it.compare.RowGroup.Kind;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The runtime's own rows, over a driver that does nothing. */
final class RowGroupTest {
  @ParameterizedTest
  @CsvSource({
    "RECORDER, recorder-4",
    "TWO_STREAMS, launch-ping-pong",
    "THREADS, threads-own",
    "CACHING_POOL, allocate-1-MiB",
    "DRIVER_POOL, driver-pool-1-MiB-synchronized",
    "REUSE, reuse-calls",
    "LIVE_1000, live-1000-allocate",
    "TRANSFERS, pageable-up-1-MiB",
    "PEERS, peer-copy-1-MiB"
  })
  void aRowIsMeasured(Kind kind, String row) throws Exception {
    RowGroup group = kind.on(Device.IDLE);
    group.open();
    assertThat(group.measure(row)).isGreaterThanOrEqualTo(0);
  }

  /**
   * Of the groups that take little time. An idle driver does not keep the order of transfers, and
   * some groups start processes.
   */
  @ParameterizedTest
  @EnumSource(names = {"DRIVER", "LAUNCHES", "TWO_STREAMS", "NUMBERS", "GRAPHS"})
  @Tag("exhaustive")
  void eachRowIsMeasured(Kind kind) throws Exception {
    RowGroup group = kind.on(Device.IDLE);
    group.open();
    for (String row : group.rows()) {
      assertThat(group.measure(row)).as(row).isGreaterThanOrEqualTo(0);
    }
  }

  @Test
  void eachRowOfTheTableIsInOneGroup() {
    List<String> rows =
        Arrays.stream(Kind.values()).flatMap(kind -> kind.on(Device.IDLE).rows().stream()).toList();
    assertThat(rows).containsExactlyInAnyOrderElementsOf(Row.ALL.stream().map(Row::id).toList());
  }
}
