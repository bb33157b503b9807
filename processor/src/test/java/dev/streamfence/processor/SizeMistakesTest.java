package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.TOO_LARGE;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;

import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Interfaces and methods at the limits of class files, and beyond. */
class SizeMistakesTest {
  /** A method has 255 slots; {@code this} is one, and each {@code long} is two. */
  private static final int MAX_LONGS = 127;

  @Test
  void launcherFitsIntoOneClass() {
    Mistakes.in(interfaceWith("", 1500)).areNone();
  }

  @ParameterizedTest
  @ValueSource(ints = {1501, 6000})
  @Timeout(120)
  void interfaceThatIsTooLargeHasToBeSplit(int count) {
    Mistakes.in(interfaceWith("«", count))
        .are(
            TOO_LARGE,
            "Large has " + count + " kernels, more than one launcher class can hold; split it");
  }

  @Test
  void kernelsWithManyParametersFillAClassSooner() {
    Mistakes.in(large("«", repeat(20, i -> "@Kernel void k" + i + "(" + ints(253) + ");\n")))
        .are(TOO_LARGE, "Large has 20 kernels, more than one launcher class can hold; split it");
  }

  @Test
  void kernelWithEverySlotOfAMethodHasALauncher() {
    Mistakes.inKernels("@Kernel void run(" + longs(MAX_LONGS) + ");").areNone();
    Mistakes.inKernels("@Kernel void run(int first, " + ints(252) + ");").areNone();
  }

  @Test
  void kernelWithMoreIsLeftToTheCompiler() {
    Mistakes.inKernels("@Kernel void run(" + longs(MAX_LONGS + 1) + ");").are();
  }

  @Test
  void thousandthParameterIsCheckedAsTheFirst() {
    Mistakes.inKernels("@Kernel void run(" + ints(998) + ", int[] «x);")
        .are(
            UNSUPPORTED_TYPE,
            "'x' has type int[]; a kernel cannot reach host memory: upload it and take a"
                + " DeviceArray<int[]>");
  }

  private static String interfaceWith(String marker, int kernels) {
    return large(marker, repeat(kernels, i -> "@Kernel void k" + i + "(@ThreadCount int n);\n"));
  }

  private static String large(String marker, String kernels) {
    return Sources.importing(
        "@KernelModule(\"k.ptx\")\n" + marker + "interface Large {\n" + kernels + "}\n");
  }

  /** A thread count and this many values. */
  private static String ints(int values) {
    return "@ThreadCount int n" + repeat(values, i -> ", int a" + i);
  }

  private static String longs(int count) {
    return "@ThreadCount long n" + repeat(count - 1, i -> ", long a" + i);
  }

  private static String repeat(int count, IntFunction<String> text) {
    return IntStream.range(0, count).mapToObj(text).collect(Collectors.joining());
  }
}
