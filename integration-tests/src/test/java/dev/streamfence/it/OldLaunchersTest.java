package dev.streamfence.it;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Programs and launchers that were compiled with an older version run with this runtime. The jar
 * holds the classes and kernels of four examples; this command makes the one of a new minor
 * version, in {@code examples/target/classes}:
 *
 * <pre>
 * jar --create --no-manifest --file ../../../integration-tests/src/test/resources/launchers/0.1.jar \
 *   dev/streamfence/examples/e0[1245]* kernels/{vector,filter,filter_columns}.ptx
 * </pre>
 */
class OldLaunchersTest {
  private static final Path LAUNCHERS = Path.of("src/test/resources/launchers");
  private static final String EXAMPLES = "dev.streamfence.examples.";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0.1.jar | e01_saxpy.Saxpy | [12.0, 24.0, 36.0]",
        "0.1.jar | e02_two_streams.TwoStreams | waits between streams: 1",
        "0.1.jar | e04_partial_results.PartialResults | [5, 7, 8, 9]",
        "0.1.jar | e05_any_columns.AnyColumns | queued",
      })
  void programOfAnOlderVersionRuns(String jar, String program, String output) throws Exception {
    try (URLClassLoader old = new Old(LAUNCHERS.resolve(jar).toUri().toURL())) {
      Class<?> type = old.loadClass(EXAMPLES + program);
      assertThat(type.getClassLoader()).isSameAs(old);
      assertThat(
              printed(
                  () ->
                      type.getMethod("main", String[].class).invoke(null, (Object) new String[0])))
          .contains(output);
    }
  }

  private interface Program {
    void run() throws Exception;
  }

  private static String printed(Program program) throws Exception {
    PrintStream console = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, UTF_8));
      program.run();
    } finally {
      System.setOut(console);
    }
    return printed.toString(UTF_8);
  }

  /** Takes the examples from the jar although this version's are on the class path as well. */
  private static final class Old extends URLClassLoader {
    Old(URL jar) {
      super(new URL[] {jar}, OldLaunchersTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(EXAMPLES)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }

    @Override
    public URL getResource(String name) {
      URL own = findResource(name);
      return own == null ? super.getResource(name) : own;
    }
  }
}
