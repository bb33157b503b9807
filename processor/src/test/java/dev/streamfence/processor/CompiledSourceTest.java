package dev.streamfence.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.launch.KernelImage;
import dev.streamfence.processor.UserBuild.Tool;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Interfaces that name a CUDA source, compiled by a script that stands in for nvcc or clang. */
final class CompiledSourceTest {
  private static final String INTERFACE =
      """
      package app;
      import dev.streamfence.*;
      import dev.streamfence.annotation.*;
      @KernelModule("%s")
      interface Kernels {
        @Kernel void fill(@Writes DeviceArray<int[]> x, @ThreadCount int n);
      }
      """;

  private static final String PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .visible .entry fill(.param .u64 x, .param .u32 n)
      {
        .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [x];
        cvta.to.global.u64 %rd2, %rd1;
        st.global.u32 [%rd2], 7;
        ret;
      }
      """;

  /** Finds its output and its rule among the arguments, notes them, and copies PTX. */
  private static final String STAND_IN =
      """
      #!/bin/sh
      here=$(dirname "$0")
      echo "$@" >> "$here/calls"
      while [ $# -gt 0 ]; do
        case "$1" in
          -o) out="$2"; shift;;
          -MF) rule="$2"; shift;;
        esac
        last="$1"; shift
      done
      printf 'ptx : %s \\\\\\n  %s\\n' "$(echo "$last" | sed 's/ /\\\\\\\\ /g')" "more.h" > "$rule"
      """;

  @TempDir private Path folder;
  private Path resources;
  private Path compiler;

  @BeforeEach
  void createFolders() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "the stand-in is a script");
    resources = Files.createDirectories(folder.resolve("resources é and more"));
    compiler = Files.createDirectories(folder.resolve("tools and more")).resolve("stand-in");
    source("k/fill.cu", "extern \"C\" __global__ void fill(int* x, int n) { *x = 7; }\n");
    source("more.h", "// nothing\n");
    Files.writeString(compiler.resolveSibling("made.ptx"), PTX);
    script("cp \"$here/made.ptx\" \"$out\"");
  }

  private void source(String name, String text) throws IOException {
    Path file = resources.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private void script(String end) throws IOException {
    Files.writeString(compiler, STAND_IN + end + "\n");
    assertThat(compiler.toFile().setExecutable(true)).isTrue();
  }

  private UserBuild build(Tool tool, String name, String... options) {
    List<String> all = new ArrayList<>(List.of(options));
    all.add("-Astreamfence.resources=" + resources);
    return UserBuild.by(tool, folder.resolve("build"))
        .with("app/Kernels.java", INTERFACE.formatted(name))
        .options(all.toArray(String[]::new))
        .run();
  }

  private UserBuild build(String... options) {
    return build(Tool.JAVAC, "k/fill.cu", options);
  }

  private String nvcc() {
    return "-Astreamfence.nvcc=" + compiler;
  }

  private List<String> calls() {
    try {
      Path calls = compiler.resolveSibling("calls");
      return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path made() {
    return folder.resolve("build/classes/k/fill.ptx");
  }

  @ParameterizedTest
  @EnumSource
  void aSourceBecomesPtxInTheClassOutput(Tool tool) throws IOException {
    UserBuild build = build(tool, "k/fill.cu", nvcc());

    assertThat(build.everything()).isEmpty();
    byte[] cuda = Files.readAllBytes(resources.resolve("k/fill.cu"));
    assertThat(Files.readString(made()))
        .isEqualTo("// streamfence: source sha256 " + KernelImage.sha256(cuda) + "\n" + PTX);
    assertThat(build.generated("app/KernelsLauncher.java"))
        .contains("\"k/fill.ptx\"", KernelImage.sha256(Files.readAllBytes(made())));
    assertThat(calls()).singleElement().asString().startsWith("-ptx -lineinfo -MD -MF ");
  }

  @Test
  void optionsOfTheUserComeBehindOurs() {
    assertThat(build(nvcc(), "-Astreamfence.nvcc.options=-arch=sm_80 \"-DA=1 2\"").everything())
        .isEmpty();

    assertThat(calls())
        .singleElement()
        .asString()
        .startsWith("-ptx -lineinfo -arch=sm_80 -DA=1 2 -MD");
  }

  @Test
  void clangReadsOurHeaderAndNoToolkit() {
    assertThat(build("-Astreamfence.clang=" + compiler).everything()).isEmpty();

    assertThat(calls())
        .singleElement()
        .asString()
        .contains("--cuda-device-only", "-nocudainc", "-nocudalib", "streamfence_cuda.h");
  }

  @ParameterizedTest
  @EnumSource
  void itIsCompiledAgainOnlyAfterAChange(Tool tool) throws IOException {
    build(tool, "k/fill.cu", nvcc());
    assertThat(build(tool, "k/fill.cu", nvcc()).everything()).isEmpty();
    assertThat(calls()).hasSize(1);
    assertThat(made()).exists();

    source("more.h", "// something\n");
    build(tool, "k/fill.cu", nvcc());
    assertThat(calls()).as("an include has changed").hasSize(2);

    source("k/fill.cu", "extern \"C\" __global__ void fill(int* x, int n) { *x = 8; }\n");
    build(tool, "k/fill.cu", nvcc());
    assertThat(calls()).as("the source has changed").hasSize(3);

    build(tool, "k/fill.cu", nvcc(), "-Astreamfence.nvcc.options=-G");
    assertThat(calls()).as("an option has changed").hasSize(4);

    Files.writeString(made(), "damaged");
    build(tool, "k/fill.cu", nvcc(), "-Astreamfence.nvcc.options=-G");
    assertThat(calls()).as("the PTX has changed").hasSize(5);

    script("cp \"$here/made.ptx\" \"$out\" && true");
    build(tool, "k/fill.cu", nvcc(), "-Astreamfence.nvcc.options=-G");
    assertThat(calls()).as("the compiler has changed").hasSize(6);

    Files.delete(resources.resolve("more.h"));
    build(tool, "k/fill.cu", nvcc(), "-Astreamfence.nvcc.options=-G");
    assertThat(calls()).as("an include has gone").hasSize(7);
  }

  @Test
  void warningsAreRepeatedWhereNothingIsCompiledAgain() throws IOException {
    script("echo \"k/fill.cu(3): warning #177-D: x is unused\"; cp \"$here/made.ptx\" \"$out\"");
    String warning =
        "[CudaWarning] k/fill.cu compiles with a warning: k/fill.cu:3: x is unused; suppress this"
            + " with @SuppressWarnings(\"streamfence:CudaWarning\")";

    assertThat(build(nvcc()).complaints()).containsExactly(warning);
    assertThat(build(nvcc()).complaints()).containsExactly(warning);
    assertThat(calls()).hasSize(1);
  }

  @Test
  void anInterfaceThatWaitsForAnotherRoundIsCompiledInIt() {
    UserBuild build =
        UserBuild.by(Tool.JAVAC, folder.resolve("build"))
            .with("app/Kernels.java", INTERFACE.formatted("k/fill.cu"))
            .with(
                "app/Later.java",
                INTERFACE
                    .formatted("k/fill.cu")
                    .replace("interface Kernels", "interface Later extends Base"))
            .options(nvcc(), "-Astreamfence.resources=" + resources)
            .after(new GeneratingProcessor(Map.of("app.Base", "package app; interface Base {}")))
            .run();

    assertThat(build.everything()).isEmpty();
    assertThat(build.hasGenerated("app/LaterLauncher.java")).isTrue();
    assertThat(calls()).hasSize(1);
  }

  @Test
  void twoInterfacesOfOneSourceCompileItOnce() {
    UserBuild build =
        UserBuild.by(Tool.JAVAC, folder.resolve("build"))
            .with("app/Kernels.java", INTERFACE.formatted("k/fill.cu"))
            .with(
                "app/Others.java",
                INTERFACE.formatted("k/fill.cu").replace("interface Kernels", "interface Others"))
            .options(nvcc(), "-Astreamfence.resources=" + resources)
            .run();

    assertThat(build.everything()).isEmpty();
    assertThat(calls()).hasSize(1);
  }

  @Test
  void namesWithLettersOfAllLanguagesAreCompiled() throws IOException {
    source("ké/fill_ж.cu", "extern \"C\" __global__ void fill(int* x, int n) {}\n");

    assertThat(build(Tool.JAVAC, "ké/fill_ж.cu", nvcc()).everything()).isEmpty();
    assertThat(build(Tool.JAVAC, "ké/fill_ж.cu", nvcc()).everything()).isEmpty();
    assertThat(calls()).hasSize(1);
    assertThat(folder.resolve("build/classes/ké/fill_ж.ptx")).exists();
  }

  @Test
  void aNameThatTheJavaCompilerDoesNotTakeIsTold() throws IOException {
    source("k/fill all.cu", "extern \"C\" __global__ void fill(int* x, int n) {}\n");

    assertThat(build(Tool.JAVAC, "k/fill all.cu", nvcc()).complaints())
        .containsExactly(
            "[WriteFailed] k/fill all.ptx cannot be written: the Java compiler accepts no resource"
                + " of this name; rename the source");
  }

  @Test
  void aFolderInThePlaceOfThePtxIsNoMatterOfItsName() throws IOException {
    source("k/fill.cu", "extern \"C\" __global__ void fill(int* x, int n) {}\n");
    Files.createDirectories(folder.resolve("build/classes/k/fill.ptx"));

    assertThat(build(Tool.JAVAC, "k/fill.cu", nvcc()).complaints())
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("[WriteFailed] k/fill.ptx cannot be written: ")
        .doesNotContain("rename");
  }

  @Test
  void withoutTheOptionNothingIsRunAndPtxBesideTheSourceIsTaken() throws IOException {
    source("k/fill.ptx", PTX);
    assertThat(build().everything()).isEmpty();
    assertThat(calls()).isEmpty();
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aCompilerThatHangsIsStoppedWithWhatItHasStarted() throws Exception {
    Path running = compiler.resolveSibling("running");
    pipe(running);
    script("sleep 600 > \"$here/running\" & sleep 600");

    // With both ends open, neither waits for the other one.
    RandomAccessFile both = new RandomAccessFile(running.toFile(), "rw");
    try (InputStream end = new FileInputStream(running.toFile())) {
      try (both) {
        assertThat(build(nvcc(), "-Astreamfence.compile.seconds=1").complaints())
            .containsExactly(
                "[CompilerFailed] "
                    + compiler
                    + " cannot compile k/fill.cu: it has not ended after 1"
                    + " seconds");
      }
      assertThat(ProcessHandle.current().descendants().filter(ProcessHandle::isAlive)).isEmpty();
      assertThat(end.read()).as("the end, which waits for all that write").isEqualTo(-1);
    }
  }

  @Test
  void endlessOutputIsReadAndCut() throws IOException {
    script("head -c 100000000 /dev/zero | tr '\\0' x; exit 3");

    assertThat(build(nvcc()).complaints())
        .singleElement()
        .asString()
        .startsWith("[CudaError] k/fill.cu does not compile: it ended with exit code 3; it said:")
        .hasSizeLessThan(3000);
  }

  @Test
  void aFailedCompilationLosesNothing() throws IOException {
    build(nvcc());
    byte[] before = Files.readAllBytes(made());
    source("more.h", "// something\n");
    script("exit 1");

    assertThat(build(nvcc()).errors())
        .singleElement()
        .asString()
        .startsWith("Kernels.java:4 ERROR [CudaError]")
        .endsWith("it ended with exit code 1, and said nothing");
    assertThat(made()).hasBinaryContent(before);
  }

  @ParameterizedTest
  @EnumSource
  void aClassOutputThatCannotBeWrittenIsTold(Tool tool) throws IOException {
    Path inTheWay = folder.resolve("build/classes/k");
    Files.createDirectories(inTheWay.getParent());
    Files.writeString(inTheWay, "a file where a folder should be");

    assertThat(build(tool, "k/fill.cu", nvcc()).complaints())
        .singleElement()
        .asString()
        .startsWith("[WriteFailed] k/fill.ptx cannot be written: ");
    assertThat(inTheWay).hasContent("a file where a folder should be");
  }

  @Test
  void theRecordOfInputsIsNotInTheClassOutput() {
    build(nvcc());

    assertThat(folder.resolve("build/generated/k/fill.ptx.inputs")).exists();
    assertThat(folder.resolve("build/classes/k/fill.ptx.inputs")).doesNotExist();
  }

  @Test
  void withoutAFolderForGeneratedSourcesThereIsNoRecordOfInputs() throws IOException {
    UserBuild build =
        UserBuild.by(Tool.JAVAC, folder.resolve("build"))
            .with("app/Kernels.java", INTERFACE.formatted("k/fill.cu"))
            .options(nvcc(), "-Astreamfence.resources=" + resources)
            .generatingAmongClasses()
            .run();

    assertThat(build.everything()).isEmpty();
    assertThat(made()).exists();
    try (Stream<Path> files = Files.walk(folder.resolve("build"))) {
      assertThat(files).noneMatch(file -> file.toString().endsWith(".inputs"));
    }
  }

  @Test
  void anOptionWithAnOpenQuoteIsRefused() {
    assertThat(build(nvcc(), "-Astreamfence.nvcc.options=-I \"a b").complaints())
        .singleElement()
        .asString()
        .contains("in -Astreamfence.nvcc.options, a quote \" is not closed");
  }

  @Test
  void theNvccThatIsInstalledCompiles() throws IOException, InterruptedException {
    assumeTrue(isInstalled("nvcc"), "nvcc is not installed");
    source(
        "ké/fill_all.cu",
        """
        #include "some more.h"
        extern "C" __global__ void fill(int* x, int n) {
          int unused;
          if (blockIdx.x * blockDim.x + threadIdx.x < n) x[threadIdx.x] = MORE;
        }
        """);
    source("ké/some more.h", "#define MORE 3\n");
    Files.createDirectories(folder.resolve("build"));

    UserBuild first = build(Tool.JAVAC, "ké/fill_all.cu", "-Astreamfence.nvcc=nvcc");
    assertThat(first.errors()).isEmpty();
    assertThat(first.complaints())
        .singleElement()
        .asString()
        .contains("ké/fill_all.cu:3: variable \"unused\" was declared but never referenced");
    Path ptx = folder.resolve("build/classes/ké/fill_all.ptx");
    String made = Files.readString(ptx);
    assertThat(made).doesNotContain(resources.toString());
    assertThat(made).containsPattern("\\.file\\s+1 \"k");
    long written = Files.getLastModifiedTime(ptx).toMillis();

    assertThat(build(Tool.JAVAC, "ké/fill_all.cu", "-Astreamfence.nvcc=nvcc").complaints())
        .hasSize(1);
    assertThat(Files.getLastModifiedTime(ptx).toMillis()).isEqualTo(written);

    source("ké/some more.h", "#define MORE y\n");
    assertThat(build(Tool.JAVAC, "ké/fill_all.cu", "-Astreamfence.nvcc=nvcc").complaints())
        .anyMatch(
            message ->
                message.startsWith("[CudaError]")
                    && message.contains("ké/fill_all.cu:4: identifier \"y\" is undefined"));
  }

  private static boolean isInstalled(String program) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(program, "--version").redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return process.waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static void pipe(Path path) throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/mkfifo")));
    Files.deleteIfExists(path);
    Files.createDirectories(path.getParent());
    assertThat(new ProcessBuilder("/usr/bin/mkfifo", path.toString()).start().waitFor()).isZero();
  }

  @Test
  void aPipeInThePlaceOfThePtxIsRefused() throws Exception {
    pipe(made());
    assertThat(build(nvcc()).everything())
        .singleElement()
        .asString()
        .contains("fill.ptx is no regular file; remove it");
  }

  @Test
  void aPipeInThePlaceOfTheRecordIsNotRead() throws Exception {
    assertThat(build(nvcc()).everything()).isEmpty();
    List<Path> records;
    try (Stream<Path> files = Files.walk(folder.resolve("build"))) {
      records = files.filter(file -> file.toString().endsWith(".inputs")).toList();
    }
    assertThat(records).hasSize(1);
    pipe(records.get(0));
    assertThat(build(nvcc()).everything()).isEmpty();
    assertThat(calls()).hasSize(2);
  }

  @Test
  void aPipeThatTheCompilerHasReadIsNotReadAgain() throws Exception {
    pipe(resources.resolve("more.h"));
    assertThat(build(nvcc()).everything()).isEmpty();
    assertThat(build(nvcc()).everything()).isEmpty();
    assertThat(calls()).hasSize(2);
  }

  @Test
  void ptxBeyondTheLimitOfReadingIsRefusedUnread() throws IOException {
    script("head -c 16777217 /dev/zero > \"$out\"");
    assertThat(build(nvcc()).everything())
        .singleElement()
        .asString()
        .contains("cannot compile k/fill.cu: out.ptx has more than 16777216 bytes");
  }
}
