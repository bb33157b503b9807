package dev.streamfence.it.compare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * From the start of a process to the end of its first launch: a process per number. One row starts
 * from an archive of the classes that such a process loads, which is made before.
 */
final class ColdStartRows implements RowGroup {
  private static final String CHECKED = "cold-start-checked";
  private static final String UNCHECKED = "cold-start-unchecked";
  private static final String ARCHIVED = "cold-start-archived";

  private @Nullable Path archive;

  @Override
  public List<String> rows() {
    return List.of(CHECKED, UNCHECKED, ARCHIVED);
  }

  @Override
  public void open() throws IOException, InterruptedException {
    Path made = Files.createTempFile("first-launch", ".jsa");
    made.toFile().deleteOnExit();
    archive = made;
    start(List.of("-XX:ArchiveClassesAtExit=" + made), true);
    if (Files.size(made) == 0) {
      throw new IOException("Java made no archive of classes");
    }
  }

  @Override
  public double measure(String row) throws IOException, InterruptedException {
    return start(
        row.equals(ARCHIVED) ? List.of("-XX:SharedArchiveFile=" + archive) : List.of(),
        !row.equals(UNCHECKED));
  }

  /** The nanoseconds to the first launch of a process with more flags. */
  private static double start(List<String> flags, boolean isChecked)
      throws IOException, InterruptedException {
    List<String> command = CompareCommand.java(FirstLaunch.class, Boolean.toString(isChecked));
    command.addAll(1, flags);
    long begun = System.nanoTime();
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
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
