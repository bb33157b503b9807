package dev.streamfence.it.compare;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.Stream;

/** Where and when a run took place; what is not known is empty. */
record Machine(
    String gpu,
    String driver,
    String processor,
    String cores,
    String java,
    String date,
    String commit) {
  private static final Path PROC = Path.of("/proc");

  /** This machine, now. */
  static Machine here(String commit) {
    String[] gpu = (first(nvidiaSmi(), "") + ", ").split(", *", -1);
    return new Machine(
        gpu[0],
        gpu[1],
        field(PROC.resolve("cpuinfo"), "model name"),
        field(PROC.resolve("self/status"), "Cpus_allowed_list"),
        System.getProperty("java.version"),
        LocalDate.now(ZoneOffset.UTC).toString(),
        commit);
  }

  /** One line, such as for above the table. */
  String describe() {
    return Stream.of(
            gpu.isEmpty() ? "no GPU" : gpu,
            driver.isEmpty() ? "" : "driver " + driver,
            processor,
            cores.isEmpty() ? "" : "cores " + cores,
            "Java " + java,
            date,
            commit.isEmpty() ? "" : "commit " + commit)
        .filter(part -> !part.isEmpty())
        .reduce((before, part) -> before + ", " + part)
        .orElseThrow();
  }

  private static List<String> nvidiaSmi() {
    List<String> command =
        List.of(
            "nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "-i", "0");
    try {
      Process process = new ProcessBuilder(command).start();
      List<String> lines = process.inputReader(UTF_8).lines().toList();
      return process.waitFor() == 0 ? lines : List.of();
    } catch (IOException e) {
      return List.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }

  private static String field(Path file, String name) {
    try (Stream<String> lines = Files.lines(file, UTF_8)) {
      return first(
          lines
              .filter(line -> line.startsWith(name))
              .map(line -> line.substring(line.indexOf(':') + 1).strip())
              .limit(1)
              .toList(),
          "");
    } catch (IOException e) {
      return "";
    }
  }

  private static String first(List<String> lines, String otherwise) {
    return lines.isEmpty() ? otherwise : lines.get(0);
  }
}
