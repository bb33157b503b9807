package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.processor.diagnostic.Problem;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random kernel interfaces: none makes the processor fail, and none of their text runs. {@code
 * -Dstreamfence.fuzz.count} sets their number, {@code -Dstreamfence.fuzz.seed} selects them.
 */
final class ProcessorFuzzTest {
  private static final Pattern ID = Pattern.compile("^\\[(\\w+)]");

  private final Set<String> problems = new TreeSet<>();
  private int launchers;

  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource
  void noInterfaceMakesTheProcessorFail(UserBuild.Tool tool) throws Exception {
    int count =
        Integer.getInteger(
            "streamfence.fuzz.count", Boolean.getBoolean("streamfence.exhaustive") ? 160 : 20);
    long first = Long.getLong("streamfence.fuzz.seed", 1);

    for (long seed = first; seed < first + count; seed++) {
      String text = RandomInterface.of(seed);
      try {
        check(text, UserBuild.by(tool, folder.resolve("seed" + seed)));
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("-Dstreamfence.fuzz.seed=" + seed + "\n" + text, e);
      }
    }

    System.out.printf(
        "processor fuzz, %s of %s: seeds %d to %d, %d launchers, %d problems %s%n",
        tool,
        Runtime.version().feature(),
        first,
        first + count - 1,
        launchers,
        problems.size(),
        problems);
    if (count >= 160) {
      assertThat(launchers).isPositive();
      assertThat(problems).hasSizeGreaterThan(20);
    }
  }

  private void check(String text, UserBuild build) throws IOException, ClassNotFoundException {
    build.with("demo/Kernels.java", text).run();
    for (String message : build.complaints()) {
      assertThat(message).doesNotStartWith("[" + Problem.INTERNAL_ERROR.id() + "]");
      Matcher id = ID.matcher(message);
      if (id.find()) {
        problems.add(id.group(1));
      }
    }
    // What an uncaught exception of a processor looks like in Eclipse's compiler; it has its own.
    assertThat(build.errors()).noneMatch(error -> error.contains("at dev.streamfence."));
    // A launcher is wrong alone where everything that was written by hand is right.
    if (!build.errors().isEmpty()) {
      assertThat(build.errors()).anyMatch(error -> !error.contains("Launcher.java:"));
    }
    if (build.isCompiled()) {
      try (URLClassLoader classes =
              new URLClassLoader(
                  new URL[] {build.classFolder().toUri().toURL()}, getClass().getClassLoader());
          Stream<Path> files = Files.walk(build.classFolder())) {
        for (Path file :
            files.filter(each -> each.toString().endsWith("Launcher.class")).toList()) {
          launchers++;
          String name = "demo." + file.getFileName().toString().replace(".class", "");
          assertThat(Canary.after(classes, name)).isEqualTo("alive");
        }
      }
    }
  }
}
