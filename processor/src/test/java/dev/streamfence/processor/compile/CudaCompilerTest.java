package dev.streamfence.processor.compile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.processor.compile.CudaCompiler.CompilerKind;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is taken from a run of a CUDA compiler, and when it is run again. */
final class CudaCompilerTest {
  /** Finds its output, its rule and its source among the arguments. */
  private static final String STAND_IN =
      """
      #!/bin/sh
      while [ $# -gt 0 ]; do
        case "$1" in
          -o) out="$2"; shift;;
          -MF) rule="$2"; shift;;
        esac
        last="$1"; shift
      done
      printf 'ptx : %s %s/ours.h\\n' "$last" "$(dirname "$out")" > "$rule"
      """;

  private static final String MAKES_CODE = "echo code > \"$out\"\n";
  private static final byte[] PTX = "code\n".getBytes(UTF_8);

  @TempDir private Path folder;

  @BeforeEach
  void needsAShell() {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "the stand-in is a script");
  }

  private CudaCompiler compiler(String script) throws IOException {
    Path program = folder.resolve("stand-in");
    Files.writeString(program, STAND_IN + script);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return new CudaCompiler(CompilerKind.NVCC, program.toString(), List.of(), 60);
  }

  @Test
  void aSourceWhoseNameBeginsWithADashIsNoOption() throws IOException {
    CompilerResult result = compiler(MAKES_CODE).compile(folder, "-k.cu");

    assertThat(result.ptx()).hasValueSatisfying(code -> assertThat(code).isEqualTo(PTX));
    assertThat(result.messages()).isEmpty();
    // Of what it has read, our own header is no input.
    assertThat(result.inputs()).containsExactly(folder.resolve("./-k.cu"));
  }

  @Test
  void whatACompilerLeavesInItsFolderDoesNotMatter() throws IOException {
    CompilerResult result =
        compiler(
                MAKES_CODE
                    + "mkdir -p \"$(dirname \"$out\")/kept/more\"\n"
                    + "echo x > \"$(dirname \"$out\")/kept/more/file\"\n"
                    + "dirname \"$out\" > \"$(dirname \"$0\")/where\"\n")
            .compile(folder, "k.cu");

    assertThat(result.ptx()).isPresent();
    assertThat(result.messages()).isEmpty();
    assertThat(Path.of(Files.readString(folder.resolve("where")).strip())).doesNotExist();
  }

  @Test
  void emptyCodeIsNone() throws IOException {
    CompilerResult result = compiler(": > \"$out\"\n").compile(folder, "k.cu");

    assertThat(result.ptx()).isEmpty();
    assertThat(result.messages())
        .containsExactly(new CompilerMessage(true, "it made no PTX, and said nothing"));
  }

  @Test
  void theCodeOfACompilerThatFailedIsNotTaken() throws IOException {
    CompilerResult result = compiler(MAKES_CODE + "exit 3\n").compile(folder, "k.cu");

    assertThat(result.ptx()).isEmpty();
    assertThat(result.messages())
        .containsExactly(new CompilerMessage(true, "it ended with exit code 3, and said nothing"));
  }

  @Test
  void anErrorInTheWordsOfACompilerThatMadeCodeIsAWarning() throws IOException {
    CompilerResult result =
        compiler(MAKES_CODE + "echo 'k.cu(1): error: odd'\n").compile(folder, "k.cu");

    assertThat(result.ptx()).isPresent();
    assertThat(result.messages()).containsExactly(new CompilerMessage(false, "k.cu:1: odd"));
  }

  @Test
  void charactersOfSeveralBytesAreReadWhole() throws IOException {
    String text = "x" + "é".repeat(50_000);
    Path file = Files.writeString(folder.resolve("said"), text);

    assertThat(ProcessRun.of(List.of("cat", file.toString()), folder, 60).output()).isEqualTo(text);
  }

  @Test
  void aFloodOfOutputIsReadToItsEndAndNotKept() throws IOException {
    Path file = Files.writeString(folder.resolve("said"), "x".repeat(1 << 20));

    assertThat(ProcessRun.of(List.of("cat", file.toString()), folder, 60).output())
        .hasSizeBetween(1 << 18, (1 << 18) + (1 << 13));
  }

  @Test
  void aCompilerIsFoundInAnyFolderOfThePath() throws IOException {
    Path shell =
        Stream.of(System.getenv("PATH").split(File.pathSeparator))
            .map(each -> Path.of(each, "sh"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElseThrow();

    assertThat(identity("sh")).isEqualTo(identity(shell.toString())).isNotEqualTo("unknown");
  }

  /** What a record says of the program, behind its options. */
  private String identity(String program) throws IOException {
    Path input = Files.writeString(folder.resolve("a.cu"), "a");
    CudaCompiler compiler = new CudaCompiler(CompilerKind.NVCC, program, List.of(), 60);
    InputRecord record = InputRecord.of(compiler, PTX, List.of(input), List.of()).orElseThrow();
    return record.facts().get(0).split(" ", 3)[2];
  }

  @Test
  void aRecordFitsUntilTheCompilerOrAnInputIsReplaced() throws IOException {
    CudaCompiler compiler = compiler(MAKES_CODE);
    Path first = Files.writeString(folder.resolve("a.cu"), "a");
    Path second = Files.writeString(folder.resolve("b.h"), "b");
    InputRecord record =
        InputRecord.of(compiler, PTX, List.of(first, second), List.of("two\nlines")).orElseThrow();

    assertThat(InputRecord.parse(record.text().getBytes(UTF_8))).isEqualTo(record);
    assertThat(record.warnings()).containsExactly("two lines");
    assertThat(record.fits(compiler, PTX)).isTrue();
    assertThat(record.fits(compiler, "other".getBytes(UTF_8))).isFalse();
    Files.writeString(second, "c");
    assertThat(record.fits(compiler, PTX)).isFalse();
    Files.writeString(second, "b");
    assertThat(record.fits(compiler, PTX)).isTrue();
    Files.setLastModifiedTime(Path.of(compiler.program()), FileTime.fromMillis(1_000));
    assertThat(record.fits(compiler, PTX)).isFalse();
  }

  @Test
  void aDamagedRecordFitsNothing() throws IOException {
    CudaCompiler compiler = compiler(MAKES_CODE);
    Path input = Files.writeString(folder.resolve("a.cu"), "a");
    String text = InputRecord.of(compiler, PTX, List.of(input), List.of()).orElseThrow().text();
    for (String damaged :
        List.of(
            "", text.substring(0, text.indexOf('\n')), text + "hash no\0path\n", "x\n" + text)) {
      assertThat(InputRecord.parse(damaged.getBytes(UTF_8)).fits(compiler, PTX)).isFalse();
    }
  }

  @Test
  void withoutInputsThereIsNoRecord() throws IOException {
    assertThat(InputRecord.of(compiler(MAKES_CODE), PTX, List.of(), List.of())).isEmpty();
  }
}
