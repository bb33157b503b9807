package dev.streamfence.processor;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.streamfence.launch.KernelImage;
import dev.streamfence.processor.diagnostic.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sources that are not compiled, or no longer fit the PTX beside them. */
final class CompilerMistakesTest {
  private static final String KERNELS =
      "@KernelModule(«\"k.%s\")\ninterface Kernels { @Kernel void run(@ThreadCount int n); }";

  private static final String PTX =
      ".version 7.0\n.target sm_75\n.address_size 64\n"
          + ".visible .entry run(.param .u32 n) { ret; }\n";

  private static final String CUDA = "extern \"C\" __global__ void run(int n) {}\n";

  @TempDir private Path folder;

  private Mistakes compiled(String... options) {
    Resources visible = Resources.in(folder).with("k.cu", CUDA);
    return Mistakes.in(visible, List.of(options), Sources.importing(KERNELS.formatted("cu")));
  }

  private String script(String text) throws IOException {
    Path script = Files.writeString(folder.resolve("compiler"), "#!/bin/sh\n" + text + "\n");
    script.toFile().setExecutable(true);
    return "-Astreamfence.nvcc=" + script;
  }

  @Test
  void aSourceWithoutACompilerNeedsPtx() {
    compiled()
        .are(
            Problem.NO_CUDA_COMPILER,
            "k.cu is not compiled: k.ptx is not visible, and no compiler is named; give"
                + " -Astreamfence.nvcc=nvcc or -Astreamfence.clang=clang, or compile it before");
  }

  @Test
  void aSourceThatIsNotThereIsNamed() {
    Mistakes.in(
            Resources.in(folder),
            List.of("-Astreamfence.nvcc=nvcc"),
            Sources.importing(KERNELS.formatted("cu")))
        .are(
            Problem.NO_CUDA_SOURCE,
            "k.cu is not visible to the compiler as a file; copy resources before compilation, or"
                + " name their folder with -Astreamfence.resources");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-Astreamfence.nvcc -Astreamfence.clang=clang | -Astreamfence.nvcc and -Astreamfence.clang"
            + " are both given; give one of them",
        "-Astreamfence.nvcc= | -Astreamfence.nvcc names no program; give its name or its path",
        "-Astreamfence.clang | -Astreamfence.clang names no program; give its name or its path",
        "-Astreamfence.nvcc.options=-G | -Astreamfence.nvcc.options has no effect without"
            + " -Astreamfence.nvcc",
        "-Astreamfence.nvcc=nvcc -Astreamfence.compile.seconds=0 | -Astreamfence.compile.seconds is"
            + " not a number from 1 to 86400; give the seconds that one source may take",
        "-Astreamfence.nvcc=nvcc -Astreamfence.compile.seconds=soon | -Astreamfence.compile.seconds"
            + " is not a number from 1 to 86400; give the seconds that one source may take"
      })
  void aWrongOptionIsNamed(String options, String message) {
    compiled(options.split(" ")).are(Problem.COMPILER_OPTION, message);
  }

  @Test
  void aCompilerThatIsNotThereIsNamed() {
    compiled("-Astreamfence.nvcc=/nowhere/nvcc")
        .are(
            Problem.COMPILER_FAILED,
            "/nowhere/nvcc cannot compile k.cu: it cannot be started; name a program on the path, or"
                + " its file");
  }

  @Test
  void anErrorOfTheCompilerIsOnTheAnnotation() throws IOException {
    compiled(script("echo 'k.cu(7): error: identifier \"y\" is undefined'; exit 2"))
        .are(Problem.CUDA_ERROR, "k.cu does not compile: k.cu:7: identifier \"y\" is undefined");
  }

  @Test
  void successWithoutPtxIsAnError() throws IOException {
    compiled(script("echo nothing to do"))
        .are(Problem.CUDA_ERROR, "k.cu does not compile: it made no PTX; it said: nothing to do");
  }

  @Test
  void aWarningOfTheCompilerIsOnTheAnnotation() throws IOException {
    Files.writeString(folder.resolve("made"), PTX);
    String copy =
        "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && cp \"$(dirname \"$0\")/made\" \"$2\"; shift;"
            + " done; echo 'k.cu:7:3: warning: x is unused [-Wunused]'";
    compiled(script(copy))
        .areWarning(
            Problem.CUDA_WARNING, "k.cu compiles with a warning: k.cu:7: x is unused [-Wunused]");
  }

  private Mistakes beside(String first, String cuda) {
    return Mistakes.in(
        Resources.in(folder).with("k.ptx", first + PTX).with("k.cu", cuda),
        Sources.importing(KERNELS.formatted("ptx")));
  }

  private static String hash(String cuda) {
    return "// streamfence: source sha256 " + KernelImage.sha256(cuda.getBytes(UTF_8)) + "\n";
  }

  @Test
  void aSourceThatHasChangedSinceItWasCompiledIsAWarning() {
    beside(hash("int x;"), CUDA)
        .areWarning(
            Problem.STALE_PTX,
            "k.ptx does not fit k.cu beside it: it was made from another version of that file;"
                + " compile it again");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "__global__ void run(int n, float* x) {} | run takes 2 parameters there, and 1 in the PTX",
        "__global__ void run() {} | run takes 0 parameters there, and 1 in the PTX",
        "__global__ void run(int n) {} __global__ void go(int n) {} | the PTX has no kernel go",
        "__global__ void go(int n) {} | the PTX has no kernel go",
        "__device__ int twice(int n) { return 2 * n; } | that file has no kernel run"
      })
  void aSourceWithOtherKernelsIsAWarning(String cuda, String difference) {
    beside("", cuda)
        .areWarning(
            Problem.STALE_PTX,
            "k.ptx does not fit k.cu beside it: " + difference + "; compile it again");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        CUDA,
        "__global__ void __launch_bounds__(64) run(const int n) {}",
        "__global__ void run(int n);\n__global__ void run(int n) {}",
        "// __global__ void run(int n, int m) {}\n__global__ void run(int n) {}",
        "/* __global__ void old(int m) {} */ __global__ void run(int n /* , m */) {}",
        "#if 0\n__global__ void run(int n, int m) {}\n#else\n__global__ void run(int n) {}\n#endif",
        "#define KERNEL(name) extern \"C\" __global__ void name\nKERNEL(run)(int n) {}",
        "#define ARGS int n, int m\n__global__ void run(ARGS) {}",
        "#include \"kernels.h\"\n",
        "#include \"names.h\"\n__global__ void NAME(run)(int n) {}\n__global__ void go(int n) {}",
        "template <class T> __global__ void run(T n, T m) {}\ntemplate __global__ void run(int, int);",
        "namespace { __global__ void unused(int n) {} }\n__global__ void run(int n) {}",
        "static __global__ void unused(int n) {}\n__global__ void run(int n) {}",
        "const char* text = R\"(__global__ void go(int n) {})\"; __global__ void run(int n) {}",
        "const char* text = \"__global__ void go() {}\"; __global__ void run(int n) {}",
        "__global__ void run(Pair<int, int> n) {}",
        "__global__ void run(Both n, ...) {}",
        "__global__ void run(int",
        "#if 1\n"
      })
  void aSourceThatMayFitIsNone(String cuda) {
    beside("", cuda).areNoneAtAll();
    beside(hash(cuda), cuda).areNoneAtAll();
  }
}
