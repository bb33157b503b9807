package dev.streamfence.processor.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CudaSourceTest {
  private static CudaSource source(String text, String... entries) {
    return new CudaSource("k.cu", List.of(entries), () -> Optional.of(text));
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
              return Optional.of("__global__ void a()");
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
}
