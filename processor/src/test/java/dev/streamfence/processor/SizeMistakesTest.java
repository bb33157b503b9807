package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.ARGUMENT_BYTES;
import static dev.streamfence.processor.diagnostic.Problem.KERNEL_TOO_LARGE;
import static dev.streamfence.processor.diagnostic.Problem.TOO_LARGE;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;
import static java.util.stream.Collectors.joining;

import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Interfaces and methods at the limits of class files, and beyond. */
class SizeMistakesTest {
  /** A method has 255 slots; {@code this} is one, and each {@code long} is two. */
  private static final int MAX_LONGS = 127;

  @ParameterizedTest
  @ValueSource(ints = {1, 1819})
  @Timeout(120)
  void launcherOfManyKernelsIsCompiled(int count) {
    Mistakes.in(interfaceWith("", count)).areNone();
  }

  @Tag("exhaustive")
  @ParameterizedTest
  @ValueSource(ints = {500, 1818, 6000})
  @Timeout(120)
  void launcherOfAnyNumberOfKernelsIsCompiled(int count) {
    Mistakes.in(interfaceWith("", count)).areNone();
  }

  @Test
  void launcherOfManyParametersIsCompiled() {
    Mistakes.in(large("", repeat(60, i -> "@Kernel void k" + i + "(" + ints(253) + ");\n")))
        .areNone();
  }

  /** More bytes than a constant of a class file has. */
  @Test
  void aParameterMayHaveANameOfAnyLength() {
    String name = "p".repeat(65_536);
    Mistakes.inKernels("@Kernel void run(@ThreadCount int " + name + ");").areNone();
    Mistakes.inKernels("@Kernel void run(@Reads DeviceArray<int[]> " + name + ", LaunchShape s);")
        .areNone();
  }

  @Test
  void partsOfALauncherHaveNamesOfTheirOwn() {
    String kernels =
        "record Part1(int x) {}\ninterface Part2 {}\n"
            + "@Kernel void part1(@ThreadCount int part2, Part1 part1_2);\n"
            + repeat(1600, i -> "@Kernel void k" + i + "(@ThreadCount int n);\n");
    Mistakes.in(large("", kernels)).areNone();
  }

  @Test
  @Timeout(120)
  void interfaceThatIsTooLargeHasToBeSplit() {
    Mistakes.in(interfaceWith("«", 10_001))
        .are(TOO_LARGE, "Large has 10001 kernels, more than one launcher class can hold; split it");
  }

  @Test
  @Timeout(120)
  void launcherOfManyKernelsWithRecordsIsCompiled() {
    String kernels = repeat(200, i -> "@Kernel void k" + i + "(@ThreadCount int n, Many m);\n");
    Mistakes.in(large("", record(64, "byte") + kernels)).areNone();
  }

  @Test
  @Timeout(120)
  void interfaceOfTooManyRecordsHasToBeSplit() {
    String kernels =
        repeat(
            400,
            i ->
                record(64, "byte").replace("Many", "Many" + i).replace(" f", " f" + i + "_")
                    + ("@Kernel void k" + i + "(@ThreadCount int n, Many" + i + " m);\n"));
    Mistakes.in(large("«", kernels))
        .are(TOO_LARGE, "Large has 400 kernels, more than one launcher class can hold; split it");
  }

  @Test
  void kernelOfTooManyFieldsIsRefused() {
    String kernel = record(64, "byte") + "@Kernel void «run(@ThreadCount int n%s);";
    Mistakes.inKernels(String.format(kernel, repeat(70, i -> ", Many m" + i)).replace("«", ""))
        .areNone();
    Mistakes.inKernels(String.format(kernel, repeat(71, i -> ", Many m" + i)))
        .are(
            KERNEL_TOO_LARGE,
            "run passes more record fields than one generated method can; pass fewer");
  }

  @Test
  void argumentsAboveTheLimitOfAKernelAreRefused() {
    String kernel = record(32, "double") + "@Kernel void «run(@ThreadCount int n%s);";
    Mistakes.inKernels(String.format(kernel, repeat(112, i -> ", Many m" + i)).replace("«", ""))
        .areNone();
    Mistakes.inKernels(String.format(kernel, repeat(128, i -> ", Many m" + i)))
        .are(
            ARGUMENT_BYTES,
            "run passes 32776 bytes of arguments; a kernel takes at most 32764, so pass an"
                + " array");
  }

  private static String record(int fields, String type) {
    return "record Many("
        + IntStream.range(0, fields).mapToObj(i -> type + " f" + i).collect(joining(", "))
        + ") {}\n";
  }

  @Test
  void kernelWithEverySlotOfAMethodHasALauncher() {
    Mistakes.inKernels("@Kernel void run(" + longs(MAX_LONGS) + ");").areNone();
    Mistakes.inKernels("@Kernel void run(int first, " + ints(252) + ");").areNone();
  }

  @Test
  void kernelWithMoreSlotsIsLeftToTheCompiler() {
    Mistakes.inKernels("@Kernel void run(" + longs(MAX_LONGS + 1) + ");").are();
  }

  @Test
  void thousandthParameterIsCheckedLikeTheFirst() {
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
    return IntStream.range(0, count).mapToObj(text).collect(joining());
  }
}
