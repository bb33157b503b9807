package dev.streamfence.internal.ptx.races;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Restriction;
import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels whose threads have a row of a matrix each, as the compiler unrolls their loops. */
final class RowsOfThreadsTest {
  private static final List<ArrayPlace> ARRAYS =
      List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0));

  @ParameterizedTest
  @CsvSource({
    "scaledRow, PROVED",
    "normalizedRow, PROVED",
    // Each row has one column more than there are between the rows.
    "longRow, UNKNOWN"
  })
  void rowsOfTwoThreadsHaveNoColumnInCommon(String kernel, Verdict expected) throws IOException {
    for (String file : List.of("rows.ptx", "rows-debug.ptx")) {
      try (InputStream in =
          RowsOfThreadsTest.class.getResourceAsStream(
              "/dev/streamfence/internal/ptx/access/" + file)) {
        PtxModule module = PtxModule.parse(new String(in.readAllBytes(), UTF_8));
        KernelRaces races =
            KernelRaces.of(
                module,
                module.entry(kernel).orElseThrow(),
                ARRAYS,
                List.of(),
                Map.of(),
                LaunchSpace.ANY);
        assertThat(races.verdict()).as(file).isEqualTo(expected);
        assertThat(races.restrictions()).as(file).noneMatch(Restriction::isRead);
      }
    }
  }
}
