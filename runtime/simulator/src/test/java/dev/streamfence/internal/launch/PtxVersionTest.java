package dev.streamfence.internal.launch;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.driver.DeviceAttribute;
import dev.streamfence.internal.driver.DeviceProperties;
import dev.streamfence.internal.ptx.syntax.PtxVersion;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** PTX that is newer than the driver. */
final class PtxVersionTest {
  private static DeviceProperties device(int driverVersion) {
    return DeviceProperties.of(
        new DeviceProperties.Identity("a device", 0, new UUID(0, 0), ""),
        driverVersion,
        1,
        Map.of(DeviceAttribute.COMPUTE_MAJOR, 9));
  }

  private static byte[] ptx(String version) {
    return (".version " + version + "\n.target sm_75\n.address_size 64\n").getBytes(UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "11020, 7.2",
    "11080, 7.8",
    "12000, 8.0",
    "12050, 8.5",
    "12060, 8.5",
    "12070, 8.6",
    "12080, 8.7",
    "12090, 8.8",
    "13000, 9.0",
    "13010, 9.1"
  })
  void aDriverTakesTheVersionsUpToItsOwn(int driverVersion, String newest) {
    assertThat(PtxVersion.takenBy(driverVersion)).hasToString("Optional[" + newest + "]");
    assertThat(ImageCode.explainRefusal(ptx(newest), device(driverVersion))).isEmpty();
  }

  @Test
  void aNewerVersionIsNamedWithThatOfTheDriver() {
    assertThat(ImageCode.explainRefusal(ptx("8.7"), device(12060)))
        .startsWith(
            "it is PTX of version 8.7, the driver is of CUDA 12.6 and takes versions up to 8.5; ");
    assertThat(ImageCode.explainRefusal(ptx("9.0"), device(12090)))
        .contains("version 9.0")
        .contains("CUDA 12.9")
        .contains("up to 8.8");
  }

  @ParameterizedTest
  @ValueSource(ints = {10020, 11090, 12100, 13020, 14000})
  void aDriverOutsideTheTableIsNotCompared(int driverVersion) {
    assertThat(PtxVersion.takenBy(driverVersion)).isEmpty();
    assertThat(ImageCode.explainRefusal(ptx("99.9"), device(driverVersion))).isEmpty();
  }
}
