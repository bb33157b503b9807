package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static dev.streamfence.processor.UserBuild.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import dev.streamfence.processor.diagnostic.Problem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text from annotations and names from sources stay literals and identifiers. */
class HostileTextTest {
  /** Java escapes of legal resource names without backslashes and control characters. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\\\"); static { throw new Error(); } String s = (\\\"",
        "$S $T $L $N $$ $> $1L $W",
        "${java.home} #{x} %s %n",
        "*/ x /* {@link x}",
        "\\u2028\\u2029",
        "\\u202e\\u2066\\u200b",
        "\\ud800",
        "\\ud83d\\ude00",
        "\\u00e9 \\u5b57",
        "a'b`c",
      })
  void resourceNameStaysALiteral(String escaped) throws IOException {
    Compilation compilation = compile("k/" + escaped, "n");

    assertThat(compilation).succeededWithoutWarnings();
    assertThat(literals(compilation))
        .containsExactly(generator(), "k/" + meaning(escaped), "run", "n", "run");
  }

  @Test
  void longestResourceNameStaysALiteral() throws IOException {
    String longest = "a".repeat(1024);

    assertThat(literals(compile(longest, "n"))).contains(longest);
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\u00e9", "$", "$S", "$$", "this$0", "_n", "record", "yield", "var"})
  void parameterNameIsKept(String name) throws IOException {
    Compilation compilation = compile("k.ptx", name);

    assertThat(compilation).succeededWithoutWarnings();
    assertThat(literals(compilation))
        .containsExactly(generator(), "k.ptx", "run", meaning(name), "run");
  }

  private static Compilation compile(String resource, String parameter) {
    return javac()
        .withProcessors(new KernelProcessor())
        .withOptions("-Xlint:all,-processing", "-Werror")
        .compile(
            Sources.file(
                Sources.importing(
                    Sources.UNSEEN
                        + "@KernelModule(\""
                        + resource
                        + "\")\ninterface Kernels { @Kernel void run(@ThreadCount int "
                        + parameter
                        + "); }")));
  }

  private static String generator() {
    return KernelProcessor.class.getName();
  }

  /** The meaning of the escapes in a literal, computed without the processor's code. */
  private static String meaning(String escaped) {
    StringBuilder meant = new StringBuilder();
    for (int i = 0; i < escaped.length(); i++) {
      if (escaped.startsWith("\\u", i)) {
        meant.append((char) Integer.parseInt(escaped.substring(i + 2, i + 6), 16));
        i += 5;
      } else if (escaped.charAt(i) != '\\') {
        meant.append(escaped.charAt(i));
      }
    }
    return meant.toString();
  }

  /** The string literals of the launcher as the compiler's own parser reads them. */
  private static List<String> literals(Compilation compilation) throws IOException {
    JavaFileObject launcher = compilation.generatedSourceFiles().get(0);
    JavacTask task =
        (JavacTask)
            ToolProvider.getSystemJavaCompiler()
                .getTask(null, null, null, List.of(), null, List.of(launcher));
    List<String> literals = new ArrayList<>();
    TreeScanner<Void, Void> scanner =
        new TreeScanner<>() {
          @Override
          public Void visitLiteral(LiteralTree literal, Void unused) {
            if (literal.getValue() instanceof String text) {
              literals.add(text);
            }
            return null;
          }
        };
    for (CompilationUnitTree unit : task.parse()) {
      scanner.scan(unit, null);
    }
    return literals;
  }

  /** A class file cannot hold the last one as a constant. */
  @ParameterizedTest
  @ValueSource(ints = {1_025, 70_000})
  void textThatIsTooLongIsRefused(int length) {
    String text = "k".repeat(length);

    assertThat(
            Mistakes.in(
                    Sources.importing(
                        "@KernelModule(\""
                            + text
                            + "\")\ninterface Kernels { @Kernel void run(@ThreadCount int n); }"))
                .ids())
        .containsExactly("ERROR [" + Problem.RESOURCE_NAME.id() + "]");
    assertThat(Mistakes.inKernels("@Kernel(\"" + text + "\") void run(@ThreadCount int n);").ids())
        .containsExactly("ERROR [" + Problem.ENTRY_NAME.id() + "]");
  }
}
