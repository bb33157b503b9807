package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PTX of eight megabytes, which drivers accept, in a compiler with little memory. */
@Tag("exhaustive")
class LargeModulesTest {
  private static final int BYTES = 8 << 20;
  private static final String HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n";

  /** A bound that only endless work, or work that grows with the square, exceeds. */
  private static final int SECONDS = 300;

  private static final String ENTRY =
      """
      .visible .entry run(.param .u64 v, .param .u32 n) {
        .reg .b32 %r<9>;
        .reg .b64 %rd<9>;
        ld.param.u64 %rd1, [v];
        st.global.u32 [%rd1], 1;
      """;

  @TempDir private Path folder;

  @Test
  void aTableOfNumbersGivesNoWarning() throws Exception {
    String table = ".global .u32 t[] = {" + "1,".repeat(BYTES / 2) + "1};\n";

    assertThat(javac(HEAD + table + ENTRY + "ret; }\n")).isEmpty();
  }

  @Test
  void aTableOfShortRowsGivesNoWarning() throws Exception {
    String table =
        ".global .u32 t[" + BYTES / 4 + "][4] = {" + "{1},".repeat(BYTES / 4 - 1) + "{1}};\n";

    assertThat(javac(HEAD + table + ENTRY + "ret; }\n")).isEmpty();
  }

  @Test
  void aRepeatedInstructionGivesAWarning() throws Exception {
    String sum = "add.s32 %r1, %r1, %r2;\n";

    assertThat(javac(HEAD + ENTRY + sum.repeat(BYTES / sum.length()) + "ret; }\n"))
        .contains("warning: [UnclearAccess]", "too large to analyse")
        .doesNotContain("error");
  }

  @Test
  void theMaximalNumberOfInstructionsIsAnalysed() throws Exception {
    String load = "ld.global.u64 %rd2, [%rd2+8];\n";
    String store = "st.global.u64 [%rd1+8], %rd1;\n";

    assertThat(javac(HEAD + ENTRY + (load + store).repeat(131_000) + "ret; }\n"))
        .contains("[UnclearAccess]", "it is stored where other code may find it");
  }

  @Test
  void moreInstructionsThanTheLimitAreNotAnalysed() throws Exception {
    assertThat(javac(HEAD + ENTRY + "x;".repeat(BYTES / 2) + "ret; }\n"))
        .contains("warning: [UncheckedModule] k.ptx is PTX of more than 1048576 instructions")
        .doesNotContain("error");
  }

  @Test
  void theMaximalNumberOfNamesIsAnalysed() throws Exception {
    assertThat(javac(HEAD + ENTRY + many(500_000, i -> "a" + i + ":") + "ret; }\n")).isEmpty();
    assertThat(javac(HEAD + many(200_000, i -> ".func a" + i + ";") + ENTRY + "ret; }\n"))
        .isEmpty();
  }

  private static String many(int count, IntFunction<String> each) {
    return IntStream.range(0, count).mapToObj(each).collect(Collectors.joining());
  }

  /** The messages of a separate compiler on an interface whose array is {@code @Writes}. */
  private String javac(String ptx) throws IOException, InterruptedException {
    Files.writeString(folder.resolve("k.ptx"), ptx);
    Path source =
        Files.writeString(
            folder.resolve("Kernels.java"),
            Sources.importing(
                "@KernelModule(\"k.ptx\") interface Kernels { @Kernel void run(@Writes"
                    + " DeviceArray<int[]> v, @ThreadCount int n); }"));
    Path log = folder.resolve("log");
    String classPath = System.getProperty("java.class.path");
    Process javac =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "javac").toString(),
                    "-J-Xmx256m",
                    "-cp",
                    folder + System.getProperty("path.separator") + classPath,
                    "-processor",
                    KernelProcessor.class.getName(),
                    "-d",
                    folder.toString(),
                    source.toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(javac.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      javac.destroyForcibly();
    }
    return Files.readString(log);
  }
}
