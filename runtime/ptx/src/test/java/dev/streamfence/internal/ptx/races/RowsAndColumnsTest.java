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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels over rows and columns, with and without optimisation. */
final class RowsAndColumnsTest {
  private static final List<ArrayPlace> ARRAYS =
      List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0));

  /** A row per thread, whose loop the compiler unrolls. */
  @ParameterizedTest
  @CsvSource({
    "scaledRow, PROVED",
    "normalizedRow, PROVED",
    // Each row has one column more than there are between the rows.
    "longRow, UNKNOWN"
  })
  void rowsOfTwoThreadsHaveNoColumnInCommon(String kernel, Verdict expected) throws IOException {
    assertThat(verdict("rows.ptx", kernel)).isEqualTo(expected);
    assertThat(verdict("rows-debug.ptx", kernel)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "gatedHalf, PROVED",
    "images, PROVED",
    "naturalImages, PROVED",
    "channels, PROVED",
    "remainders, PROVED",
    "otherRows, UNKNOWN",
    "otherRemainder, UNKNOWN",
    "firstRows, UNKNOWN",
    "fixedExtents, PROVED",
    "sumsOfExtents, UNKNOWN",
    "differences, UNKNOWN",
    "negativeNumbers, UNKNOWN",
    "negativeDivisor, CERTAIN",
    "negativeRemainder, CERTAIN",
    "signs, CERTAIN",
    "wideSigns, CERTAIN"
  })
  void anIndexThatIsTakenApartAndPutTogetherAgainIsTheIndex(String kernel, Verdict expected)
      throws IOException {
    assertThat(verdict("digits.ptx", kernel)).isEqualTo(expected);
    assertThat(verdict("digits-debug.ptx", kernel)).isEqualTo(expected);
  }

  /** Without optimisation, the quotient of 64 bits is computed in a function. */
  @Test
  void anIndexOf64BitsThatIsPutTogetherAgainIsTheIndex() throws IOException {
    assertThat(verdict("digits.ptx", "wideImages")).isEqualTo(Verdict.PROVED);
  }

  private static Verdict verdict(String file, String kernel) throws IOException {
    try (InputStream in =
        RowsAndColumnsTest.class.getResourceAsStream(
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
      assertThat(races.restrictions()).as(file).noneMatch(Restriction::isRead);
      return races.verdict();
    }
  }
}
