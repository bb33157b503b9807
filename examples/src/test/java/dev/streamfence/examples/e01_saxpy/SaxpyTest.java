package dev.streamfence.examples.e01_saxpy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.DeviceRuntime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SaxpyTest {
  @Test
  void addsTheScaledVector() {
    try (DeviceRuntime device = DeviceRuntime.simulated()) {
      float[] x = new float[1000];
      float[] y = new float[1000];
      float[] expected = new float[1000];
      for (int i = 0; i < x.length; i++) {
        x[i] = i;
        y[i] = -i;
        expected[i] = 2 * i;
      }
      assertThat(Saxpy.saxpy(device, 3f, x, y)).containsExactly(expected);
    }
  }

  @Test
  void printsTheResult() {
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      Saxpy.main(new String[0]);
    } finally {
      System.setOut(console);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .isEqualToIgnoringNewLines("[12.0, 24.0, 36.0]");
  }
}
