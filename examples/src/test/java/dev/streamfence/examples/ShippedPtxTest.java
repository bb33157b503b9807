package dev.streamfence.examples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.examples.e01_saxpy.Saxpy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jcuda.nvptxcompiler.JNvPTXCompiler;
import jcuda.nvptxcompiler.nvPTXCompileResult;
import jcuda.nvptxcompiler.nvPTXCompilerHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every PTX that this module ships. Needs no GPU. */
class ShippedPtxTest {
  @ParameterizedTest
  @ValueSource(strings = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90"})
  void shippedPtxAssemblesForEveryArchitecture(String architecture, @TempDir Path unpacked)
      throws IOException {
    assumeTheAssemblerIsHere();
    List<Path> shipped = shippedPtx();
    assertThat(shipped).hasSizeGreaterThanOrEqualTo(3);
    for (Path ptx : shipped) {
      assertThat(assemblerLog(Files.readString(ptx), architecture, unpacked))
          .as(ptx.getFileName() + " for " + architecture)
          .isEmpty();
    }
  }

  @Test
  void assemblerRefusesPtxThatIsBroken(@TempDir Path unpacked) throws IOException {
    assumeTheAssemblerIsHere();
    String broken = Files.readString(shippedPtx().get(0)).replaceFirst("ld\\.param", "ld.parum");
    assertThat(assemblerLog(broken, "sm_75", unpacked)).contains("parum");
  }

  private static void assumeTheAssemblerIsHere() {
    String platform = System.getProperty("os.name") + " " + System.getProperty("os.arch");
    assumeTrue(
        platform.equals("Linux amd64") || platform.matches("Windows.* amd64"),
        "JCuda has no assembler for " + platform);
  }

  static List<Path> shippedPtx() {
    try (Stream<Path> files =
        Files.walk(
            Path.of(Saxpy.class.getProtectionDomain().getCodeSource().getLocation().toURI()))) {
      return files.filter(file -> file.toString().endsWith(".ptx")).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The assembler's errors; empty when the PTX assembles. */
  private static String assemblerLog(String ptx, String architecture, Path unpacked) {
    // JCuda unpacks its library into the temporary folder at first use, and loads whatever lies
    // there under that name already: it gets a folder of its own.
    String temporary = System.setProperty("java.io.tmpdir", unpacked.toString());
    try {
      JNvPTXCompiler.setExceptionsEnabled(false);
    } finally {
      System.setProperty("java.io.tmpdir", temporary);
    }
    byte[] text = (ptx + "\0").getBytes(UTF_8);
    nvPTXCompilerHandle compiler = new nvPTXCompilerHandle();
    check(JNvPTXCompiler.nvPTXCompilerCreate(compiler, text.length, text));
    try {
      String[] options = {"--gpu-name=" + architecture};
      int result = JNvPTXCompiler.nvPTXCompilerCompile(compiler, options.length, options);
      return result == nvPTXCompileResult.NVPTXCOMPILE_SUCCESS
          ? ""
          : nvPTXCompileResult.stringFor(result) + "\n" + errorLog(compiler);
    } finally {
      check(JNvPTXCompiler.nvPTXCompilerDestroy(compiler));
    }
  }

  private static String errorLog(nvPTXCompilerHandle compiler) {
    long[] size = new long[1];
    check(JNvPTXCompiler.nvPTXCompilerGetErrorLogSize(compiler, size));
    byte[] log = new byte[Math.toIntExact(size[0]) + 1];
    check(JNvPTXCompiler.nvPTXCompilerGetErrorLog(compiler, log));
    return new String(log, UTF_8).replace("\0", "").strip();
  }

  private static void check(int result) {
    assertThat(nvPTXCompileResult.stringFor(result)).isEqualTo("NVPTXCOMPILE_SUCCESS");
  }
}
