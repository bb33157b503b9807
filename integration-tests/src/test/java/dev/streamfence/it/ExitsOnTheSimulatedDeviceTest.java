package dev.streamfence.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.it.ExitingProcess.Way;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Processes that end with work in flight on a simulated device, and nothing closed. */
@Timeout(180)
final class ExitsOnTheSimulatedDeviceTest {
  @ParameterizedTest
  @EnumSource
  void aProcessEndsWithWorkInFlight(Way way) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                ExitingProcess.class.getName(),
                way.name(),
                "simulated")
            .redirectErrorStream(true)
            .start();
    try (BufferedReader output = process.inputReader(UTF_8)) {
      String line = output.readLine();
      while (line != null && !line.equals("in flight")) {
        assertThat(line).isNotEqualTo("idle");
        line = output.readLine();
      }
      assertThat(line).isEqualTo("in flight");
      if (way == Way.KILLED) {
        process.destroy();
      } else {
        // Until it ends: a full pipe would hold it up.
        while (output.readLine() != null) {}
      }
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
      int terminated = 128 + 15;
      assertThat(process.exitValue())
          .isEqualTo(
              switch (way) {
                case RETURN -> 0;
                case EXIT -> 3;
                case KILLED -> terminated;
                case OUT_OF_MEMORY -> 1;
              });
    } finally {
      process.destroyForcibly();
    }
  }
}
