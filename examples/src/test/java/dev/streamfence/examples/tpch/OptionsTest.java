package dev.streamfence.examples.tpch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          --scale 0              | '0' is not a number from 0.001 to 100
          --scale -1             | '-1' is not a number from 0.001 to 100
          --scale NaN            | 'NaN' is not a number from 0.001 to 100
          --scale 101            | '101' is not a number from 0.001 to 100
          --scale much           | 'much' is not a number from 0.001 to 100
          --streams 0            | '0' is not a whole number from 1 to 64
          --streams 65           | '65' is not a whole number from 1 to 64
          --threads 1.5          | '1.5' is not a whole number from 1 to 64
          --threads 9999999999   | '9999999999' is not a whole number from 1 to 64
          --repeat -1            | '-1' is not a whole number from 0 to 10000
          --repeat 10001         | '10001' is not a whole number from 0 to 10000
          --repeat often         | 'often' is not a whole number from 0 to 10000
          --repeat               | --repeat
          --device tpu           | 'tpu' is not auto, gpu or simulated
          --scale                | --scale
          --scales 1             | --scales
          1                      | '1'
          --data                 | --data
          --data d --scale 1     | --data reads rows, and --scale is about generated ones
          --data d --write-data e | --data reads rows, and --write-data is about generated ones
          """)
  void badValueIsNamedInOneLine(String options, String named) {
    Console console = new Console();
    assertThat(console.run(options.split(" "))).isEqualTo(2);
    assertThat(console.err()).contains(named).contains("--help").hasLineCount(1);
    assertThat(console.out()).isEmpty();
  }

  @Test
  void valueWithLineBreaksIsReportedInOneLine() {
    Console console = new Console();
    assertThat(console.run("--device", "a\nb\r\nc")).isEqualTo(2);
    assertThat(console.err()).contains("'a b c'").hasLineCount(1);
  }

  @Test
  void helpNamesEveryOptionItsValuesAndItsDefault() {
    Console console = new Console();
    assertThat(console.run("--help")).isZero();
    assertThat(console.out())
        .contains(
            "Usage: tpch", "--scale", "0.001 to 100", "0.01", "--device", "auto|gpu|simulated")
        .contains("--data", "--write-data", "orders.arrow", "lineitem.arrow")
        .contains(
            "--trace",
            "--streams",
            "--threads",
            "from 1 to 64",
            "--repeat",
            "from 0 to 10000",
            "--graphs",
            "--help",
            "Exit status:",
            "Example:")
        .doesNotContain("DEFAULT-VALUE");
    assertThat(console.err()).isEmpty();
  }

  @Test
  void traceShowsTheKernelsOfBothQueries(@TempDir Path folder) throws IOException {
    Path page = folder.resolve("trace.html");
    Console console = new Console();
    assertThat(console.run("--device", "simulated", "--scale", "0.001", "--trace", page.toString()))
        .isZero();
    assertThat(console.out()).contains("Open " + page + " in a browser");
    assertThat(page).content().startsWith("<!DOCTYPE html>");
  }

  @Test
  void traceThatCannotBeWrittenIsReportedInOneLine(@TempDir Path folder) {
    Path nowhere = folder.resolve("missing").resolve("trace.html");
    Console console = new Console();
    assertThat(
            console.run("--device", "simulated", "--scale", "0.001", "--trace", nowhere.toString()))
        .isEqualTo(1);
    assertThat(console.err()).contains(nowhere.toString());
  }

  @Test
  void missingGpuIsReportedInOneLine() {
    Assumptions.assumeFalse(DeviceRuntime.isGpuAvailable(), "there is a GPU");
    Console console = new Console();
    assertThat(console.run("--device", "gpu")).isEqualTo(1);
    assertThat(console.err()).startsWith("tpch: ").hasLineCount(1);
  }
}
