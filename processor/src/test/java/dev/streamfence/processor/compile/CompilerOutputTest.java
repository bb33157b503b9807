package dev.streamfence.processor.compile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What compilers write: messages, rules of dependencies, and the names of files in PTX. */
final class CompilerOutputTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "k é/a b.cu(2): warning #177-D: variable \"u\" was declared | false | k é/a b.cu:2:"
            + " variable \"u\" was declared",
        "bad.cu(1): error: identifier \"y\" is undefined | true | bad.cu:1: identifier \"y\" is"
            + " undefined",
        "bad.cu(3): catastrophic error: cannot open | true | bad.cu:3: cannot open",
        "bad.cu:1:10: fatal error: nothere.h: No such file | true | bad.cu:1: nothere.h: No such"
            + " file",
        "C:\\\\k\\\\bad.cu(1): error: x | true | C:\\\\k\\\\bad.cu:1: x",
        "nvcc fatal   : Unsupported gpu architecture 'sm_10' | true | Unsupported gpu architecture"
            + " 'sm_10'",
        "nvcc warning : Support is removed | false | Support is removed",
        "clang: error: cannot find libdevice | true | cannot find libdevice"
      })
  void messagesAreFound(String line, boolean isError, String text) {
    assertThat(CompilerMessage.in("before\n" + line + "\n    ^\n"))
        .containsExactly(new CompilerMessage(isError, text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2 errors detected in the compilation of \"bad.cu\".",
        "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"",
        "compilation terminated.",
        "    1 | #include \"nothere.h\"",
        "ptxas info    : 0 bytes gmem"
      })
  void otherLinesAreNone(String line) {
    assertThat(CompilerMessage.in(line)).isEmpty();
  }

  @Test
  void aFloodOfMessagesIsCutAndHidesNoError() {
    StringBuilder flood = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      flood.append("k.cu(").append(i).append("): warning: y\n");
    }
    flood.append("k.cu(7): error: x\n".repeat(60)).append("k.cu(8): error: z\n");

    assertThat(CompilerMessage.in(flood.toString()))
        .hasSize(52)
        .endsWith(new CompilerMessage(true, "k.cu:7: x"), new CompilerMessage(true, "k.cu:8: z"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "-O3  -G | -O3,-G",
        "-I \"a b\" | -I,a b",
        "-Xcompiler '-a -b' | -Xcompiler,-a -b",
        "-DX=\\\"y\\\" | -DX=\"y\"",
        "\"it's\" | it's",
        "-I C:\\k\\inc | -I,C:\\k\\inc",
        "\"\" -x | ,-x"
      })
  void optionsAreSplitAtSpacesOutsideOfQuotes(String options, String words) {
    assertThat(CudaCompiler.split(options)).isEqualTo(List.of(words.split(",")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-I \"a b", "-D 'x", "\"a\" \""})
  void aQuoteThatIsNotClosedIsRefused(String options) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CudaCompiler.split(options))
        .withMessageContaining("is not closed");
  }

  @Test
  void filesOfARuleAreFound() {
    Path root = Path.of("/root");

    assertThat(
            DependencyFile.parse(
                "ptx : k\\ é/a\\ b.cu \\\n  /usr/x.h \\\r\n more$$\\#.h\n\n/usr/x.h:\n", root))
        .containsExactly(root.resolve("k é/a b.cu"), Path.of("/usr/x.h"), root.resolve("more$#.h"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nothing", "other : a.cu", "ptx", "ptx : \u0000"})
  void anythingElseNamesNoFile(String text) {
    assertThat(DependencyFile.parse(text, Path.of("/root"))).isEmpty();
  }

  @Test
  void filesInTheFolderOfTheSourceAreNamedFromThere() {
    String named = ".file 1 \"/a b/k\\303\\251/v.cu\"\n";
    String others = "\t.file\t2 \"/usr/include/x.h\"\n// \"/a b/k\\303\\251/v.cu\"\n";
    byte[] ptx = (named + others).getBytes(UTF_8);

    assertThat(new String(PtxPaths.relative(ptx, Path.of("/a b/ké")), UTF_8))
        .isEqualTo(".file 1 \"v.cu\"\n" + others);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-arch=sm_80 -G | -arch=sm_80,-G",
        "'  -G  ' | -G",
        "-I \"a b\" | -I,a b",
        "-D\"x y\"=1 | -Dx y=1",
        "'' | ''"
      })
  void optionsAreSplitAtSpaces(String options, String words) {
    assertThat(String.join(",", CudaCompiler.split(options))).isEqualTo(words);
  }
}
