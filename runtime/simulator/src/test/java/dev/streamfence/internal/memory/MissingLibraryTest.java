package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.driver.jcuda.Shell;
import dev.streamfence.memory.AllocationLog;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program without the libraries that only some programs need. */
final class MissingLibraryTest {
  /** What the process runs. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      try {
        AllocationLog.csv(Path.of("log.csv"));
      } catch (IllegalStateException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void aLogAsCsvNamesTheLibraryThatIsMissing(@TempDir Path folder) {
    String without =
        Arrays.stream(
                System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)))
            .filter(entry -> !entry.contains("fastcsv"))
            .collect(Collectors.joining(File.pathSeparator));
    assertThat(Shell.java(without, folder.toString(), Program.class).in(folder).run())
        .contains("add de.siegmar:fastcsv");
  }
}
