package dev.streamfence.processor;

import static com.google.testing.compile.Compiler.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.JavaFileObjects;
import dev.streamfence.processor.diagnostic.Problem;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Test;

/**
 * Kernel interfaces put together at random: nothing makes the processor fail, and no text of theirs
 * runs. {@code -Dstreamfence.fuzz.count} says how many, {@code -Dstreamfence.fuzz.seed} which ones.
 */
final class ProcessorFuzzTest {
  private static final Pattern ID = Pattern.compile("^\\[(\\w+)]");

  private final Set<String> problems = new TreeSet<>();
  private int launchers;

  @Test
  void noInterfaceMakesTheProcessorFail() throws Exception {
    int count = Integer.getInteger("streamfence.fuzz.count", 300);
    long first = Long.getLong("streamfence.fuzz.seed", 1);

    for (long seed = first; seed < first + count; seed++) {
      String text = RandomInterface.of(seed);
      try {
        check(text);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("-Dstreamfence.fuzz.seed=" + seed + "\n" + text, e);
      }
    }

    System.out.printf(
        "processor fuzz: seeds %d to %d, %d launchers, %d problems %s%n",
        first, first + count - 1, launchers, problems.size(), problems);
    if (count >= 300) {
      assertThat(launchers).isPositive();
      assertThat(problems).hasSizeGreaterThan(20);
    }
  }

  private void check(String text) throws IOException, ClassNotFoundException {
    Compilation compilation =
        javac()
            .withProcessors(new KernelProcessor())
            .compile(JavaFileObjects.forSourceString("demo.Kernels", text));
    for (Diagnostic<?> diagnostic : compilation.diagnostics()) {
      String message = diagnostic.getMessage(Locale.ROOT);
      assertThat(message).doesNotStartWith("[" + Problem.INTERNAL_ERROR.id() + "]");
      Matcher id = ID.matcher(message);
      if (id.find()) {
        problems.add(id.group(1));
      }
    }
    // A launcher is wrong alone where everything that was written by hand is right.
    if (!compilation.errors().isEmpty()) {
      assertThat(compilation.errors()).anyMatch(error -> !isInALauncher(error));
    }
    if (compilation.status() != Compilation.Status.FAILURE) {
      CompiledClasses classes = new CompiledClasses(compilation);
      for (String name : classes.names()) {
        if (name.endsWith("Launcher")) {
          launchers++;
          assertThat(Canary.after(classes, name)).isEqualTo("alive");
        }
      }
    }
  }

  private static boolean isInALauncher(Diagnostic<? extends JavaFileObject> error) {
    return error.getSource() != null && error.getSource().getName().endsWith("Launcher.java");
  }
}
