package dev.streamfence.processor.verify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.processor.verify.CudaText.DefinedKernel;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which kernels the text of a CUDA source defines, whatever the text is. */
final class CudaTextTest {
  /** In quadratic time, such a text takes minutes. */
  private static final int LONG = 600_000;

  private static DefinedKernel kernel(String name, int parameters) {
    return new DefinedKernel(name, parameters);
  }

  @Test
  void kernelsAreFoundWithTheNumberOfTheirParameters() {
    assertThat(
            new CudaText(
                    """
                    /* __global__ void no(int n) {} */ // __global__ void no(int n) {}
                    const char* text = "__global__ void no(int n) {}", quote = '"';
                    extern "C" __global__ void none() {}
                    __global__ void __launch_bounds__(256) two(const float* __restrict__ x, int n) {
                      f("{");
                    }
                    __global__ void declared(int n);
                    """)
                .kernels())
        .containsExactly(kernel("none", 0), kernel("two", 2));
  }

  @Test
  void templatesMacrosAndConditionalPartsDefineNothingForCertain() {
    assertThat(
            new CudaText(
                    """
                    template <int N> __global__ void t(int n) {}
                    #if X
                    __global__ void c(int n) {}
                    #endif
                    """)
                .kernels())
        .isEmpty();
  }

  @Test
  void aTextWithoutAnEndIsNoText() {
    assertThat(new CudaText("char c = '\"; __global__ void k(int n) {}\n").kernels())
        .containsExactly(kernel("k", 1));
    assertThat(new CudaText("char c = '\\''; __global__ void k(int n) {}").kernels())
        .containsExactly(kernel("k", 1));
    assertThat(new CudaText("/* __global__ void k(int n) {}").kernels())
        .containsExactly(kernel("k", 1));
  }

  /** Embedded tables are texts of many thousand characters. */
  @Test
  void longTextsAreSkipped() {
    String table = "\\x01".repeat(100_000);
    assertThat(new CudaText("char t[] = \"" + table + "\"; __global__ void k() {}").kernels())
        .containsExactly(kernel("k", 0));
  }

  static Stream<Arguments> hostile() {
    return Stream.of(
            "__global__",
            "__global__x",
            "__global__ ",
            "__global__ a",
            "__global__ a(",
            "__global__ a()",
            "__global__ a() b",
            "a(",
            "a()",
            "a ",
            "a",
            "(",
            "<",
            "\"",
            "\"\\",
            "'",
            "1'",
            "/*",
            "/* *",
            "//",
            "#if\n",
            "#endif\n",
            "\\\n",
            ";",
            "__global__ void a(int b){}",
            "__global__ void a(A<B<")
        .map(Arguments::of);
  }

  @ParameterizedTest
  @MethodSource("hostile")
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anyTextIsReadInLinearTime(String piece) {
    for (String start : new String[] {"", "__global__ void x"}) {
      CudaText text = new CudaText(start + piece.repeat(LONG / piece.length()));
      assertThat(text.has("another")).isFalse();
      assertThat(text.kernels()).doesNotContain(kernel("another", 0));
      byte[] file = (start + piece.repeat(LONG / piece.length())).getBytes(UTF_8);
      assertThat(
              new CudaSource("k.cu", List.of("another"), () -> Optional.of(file)).place("another"))
          .isEmpty();
    }
  }

  @Test
  void aWordOfTheCodeIsFound() {
    CudaText text = new CudaText("void a_b(int n) { /* c */ d; }");
    assertThat(text.has("a_b")).isTrue();
    assertThat(text.has("d")).isTrue();
    assertThat(text.has("a")).isFalse();
    assertThat(text.has("c")).isFalse();
  }
}
