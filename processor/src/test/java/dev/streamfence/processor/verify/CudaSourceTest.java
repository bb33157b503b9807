package dev.streamfence.processor.verify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.streamfence.internal.ptx.check.KernelCheck;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CudaSourceTest {
  private static CudaSource source(String text, String... entries) {
    return new CudaSource("k.cu", List.of(entries), () -> Optional.of(text.getBytes(UTF_8)));
  }

  @Test
  void aKernelIsLocatedByItsName() {
    CudaSource source =
        source(
            "__device__ void a() {}\n__global__ void __launch_bounds__(256)\na (int n) { b(n); }\n"
                + "template <int N>\n__global__\n  void b(int n);",
            "a",
            "_Z1bi");

    assertThat(source.place("a")).hasValue("k.cu:3");
    assertThat(source.place("_Z1bi")).hasValue("k.cu:6");
    assertThat(source.place("c")).isEmpty();
  }

  @Test
  void aNameOfSeveralKernelsIsNotLocated() {
    CudaSource source =
        source("__global__ void a(int n) {}\n__global__ void a(long n) {}", "_Z1ai", "_Z1al");

    assertThat(source.place("_Z1ai")).isEmpty();
  }

  /** Of a kernel k with three parameters. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "#define MORE , int seed\n__global__ void k(float* x, int n MORE) {}",
        "#define TWO float* x, int\n__global__ void k(TWO n) {}",
        // From an option of the compiler.
        "__global__ void k(float* x, int n MORE) {}",
        "__global__ void NAME(float* x, int n) {}",
        "int big = 1'0; /* don't\n__global__ void dead(int x) {}\n*/\n"
            + "__global__ void k(float* x, int n, int m) {}",
        "float big = .1'0; /* don't\n__global__ void dead(int x) {}\n*/\n"
            + "__global__ void k(float* x, int n, int m) {}",
      })
  void whatAMacroMayStandForIsNoDifference(String text) {
    assertThat(source(text, "k").difference("", Map.of("k", 3), List.of("k"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "__global__ void k(const float* __restrict__ x, unsigned long n) {}",
        "__global__ void k(__half* x, const __nv_bfloat16 n) {}",
        "__global__ void k(const int, unsigned __restrict__ n) {}",
        "__global__ void k(std::size_t n, struct pair const& p) {}",
        "#define MORE , int seed\n__global__ void k(float* x, int n) {}",
        "__global__ void k(int a, int b, int c) {} __global__ void another() {}",
        "__global__ void other(int a, int b, int c) {}",
      })
  void anotherKernelOrAnotherNumberOfParametersIsADifference(String text) {
    assertThat(source(text, "k").difference("", Map.of("k", 3), List.of("k"))).isPresent();
  }

  @Test
  void aNameFarFromItsMarkIsNotFound() {
    assertThat(source("__global__ " + " ".repeat(500) + "a()", "a").place("a")).isEmpty();
    assertThat(source("__global__ " + " ".repeat(480) + "a()", "a").place("a")).isPresent();
    assertThat(source("__global__ void b; a()", "a").place("a")).isEmpty();
  }

  @Test
  void theTextIsReadOnceAndOnlyForAMessage() {
    AtomicInteger reads = new AtomicInteger();
    CudaSource source =
        new CudaSource(
            "k.cu",
            List.of("a"),
            () -> {
              reads.incrementAndGet();
              return Optional.of("__global__ void a()".getBytes(UTF_8));
            });

    assertThat(reads).hasValue(0);
    source.place("a");
    source.place("b");
    source.place("a");
    assertThat(reads).hasValue(1);
  }

  @Test
  void fifteenMegabytesAreSearchedOnceForAllMessages() {
    List<String> entries = new ArrayList<>();
    StringBuilder text = new StringBuilder();
    String body = "  x[i] += a(b(c(x[i])));\n".repeat(310);
    for (int i = 0; i < 2_000; i++) {
      entries.add("k" + i);
      text.append("__global__ void k")
          .append(i)
          .append("(float *x) {\n")
          .append(body)
          .append("}\n");
    }
    assertThat(text.length()).isGreaterThan(14 << 20);
    CudaSource source = source(text.toString(), entries.toArray(String[]::new));

    // At four seconds for each, as it took before, two hours.
    assertTimeout(
        Duration.ofSeconds(60),
        () -> {
          for (int i = 0; i < 2_000; i++) {
            assertThat(source.place("k" + i)).hasValue("k.cu:" + (312 * i + 1));
          }
        });
  }

  /** The sources of this repository, each beside the PTX that was made from it. */
  static List<Path> shippedSources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String folder :
        List.of(
            "../runtime/simulator/src/test/resources",
            "../runtime/exchange/src/test/resources",
            "../runtime/ptx/src/test/resources",
            "../integration-tests/src/test/resources",
            "../examples/src/main/resources")) {
      try (Stream<Path> files = Files.walk(Path.of(folder))) {
        files
            .filter(file -> file.toString().endsWith(".cu"))
            .filter(file -> Files.exists(Path.of(file.toString().replace(".cu", ".ptx"))))
            .forEach(sources::add);
      }
    }
    return sources;
  }

  @ParameterizedTest
  @MethodSource("shippedSources")
  void shippedSourcesFitTheirPtx(Path source) throws IOException {
    Path ptx = Path.of(source.toString().replace(".cu", ".ptx"));
    KernelCheck check = new KernelCheck(PtxModule.parse(Files.readString(ptx)));
    byte[] file = Files.readAllBytes(source);

    assertThat(
            new CudaSource("k.cu", check.entries(), () -> Optional.of(file))
                .difference("", check.parameterCounts(), check.entries()))
        .isEmpty();
  }

  /** The number of parameters of a kernel that the sources of this repository surely define. */
  @Test
  void mostShippedKernelsAreComparedByTheirParameters() throws IOException {
    int known = 0;
    int entries = 0;
    for (Path source : shippedSources()) {
      Path ptx = Path.of(source.toString().replace(".cu", ".ptx"));
      entries += PtxModule.parse(Files.readString(ptx)).entries().size();
      known +=
          (int)
              new CudaText(Files.readString(source))
                  .kernels().stream()
                      .filter(kernel -> kernel.parameters() != CudaText.UNCERTAIN)
                      .count();
    }
    System.out.println("Kernels whose parameters the source shows: " + known + " of " + entries);
    assertThat(known).isGreaterThan(entries / 2);
  }
}
