package dev.streamfence.it.compare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** From the start of a process to the end of its first launch: a process per number. */
final class ColdStartRows implements RowGroup {
  @Override
  public List<String> rows() {
    return List.of("cold-start-checked", "cold-start-unchecked");
  }

  @Override
  public void open() {}

  @Override
  public double measure(String row) throws IOException, InterruptedException {
    String checked = Boolean.toString(row.equals("cold-start-checked"));
    long begun = System.nanoTime();
    Process process =
        new ProcessBuilder(CompareCommand.java(FirstLaunch.class, checked))
            .redirectErrorStream(true)
            .start();
    List<String> lines = new ArrayList<>();
    long launched = 0;
    try (BufferedReader reader = process.inputReader(UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(line);
        if (line.equals(FirstLaunch.DONE)) {
          launched = System.nanoTime() - begun;
        }
      }
    }
    if (process.waitFor() != 0 || launched == 0) {
      throw new IOException("the process with a first launch said " + lines);
    }
    return launched;
  }
}
