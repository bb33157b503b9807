package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.ACCESS_ON_SCALAR;
import static dev.streamfence.processor.diagnostic.Problem.CONFLICTING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Accesses that are missing, contradict each other, or are declared for a parameter without memory.
 */
class AccessMistakesTest {
  private static final List<String> ACCESSES = List.of("Reads", "Writes", "ReadWrites");

  @ParameterizedTest
  @ValueSource(strings = {"boolean", "byte", "char", "short", "int", "long", "float", "double"})
  void bufferNeedsAnAccess(String element) {
    Mistakes.inKernels("@Kernel void copy(DeviceArray<" + element + "[]> «out, LaunchShape s);")
        .are(MISSING_ACCESS, "parameter 'out' of copy needs @Reads, @Writes or @ReadWrites");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Deprecated", "SuppressWarnings(\"all\")", "demo.Reads"})
  void otherAnnotationIsNoAccess(String annotation) {
    Mistakes.in(
            Sources.kernels(
                "@Kernel void copy(@" + annotation + " DeviceArray<int[]> «out, LaunchShape s);"),
            "package demo;\n@interface Reads {}")
        .are(MISSING_ACCESS, "parameter 'out' of copy needs @Reads, @Writes or @ReadWrites");
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void secondAccessContradictsTheFirst(String first, String second) {
    Mistakes.inKernels(
            "@Kernel void copy(@%s «@%s DeviceArray<int[]> out, @ThreadCount int n);"
                .formatted(first, second))
        .are(
            CONFLICTING_ACCESS,
            "@%s contradicts @%s on 'out'; use @ReadWrites for both".formatted(second, first));
  }

  @Test
  void threeAccessesAreOneMistake() {
    Mistakes.inKernels(
            "@Kernel void copy("
                + "@Writes «@ReadWrites @Reads DeviceArray<int[]> out, @ThreadCount int n);")
        .are(
            CONFLICTING_ACCESS,
            "@ReadWrites contradicts @Writes on 'out'; use @ReadWrites for both");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Reads", "Writes", "ReadWrites", "ThreadCount", "DynamicSharedBytes"})
  void duplicateAnnotationIsLeftToTheCompiler(String annotation) {
    Mistakes.inKernels(
            "@Kernel void copy(@%s @%s int x, LaunchShape shape);"
                .formatted(annotation, annotation))
        .are();
  }

  @ParameterizedTest
  @MethodSource("scalars")
  void scalarHasNoAccess(String access, String type) {
    Mistakes.inKernels("@Kernel void fill(@ThreadCount int n, «@" + access + " " + type + " x);")
        .are(
            ACCESS_ON_SCALAR,
            "'x' is %s %s and is passed by value; remove @%s"
                .formatted(type.equals("int") ? "an" : "a", type, access));
  }

  @ParameterizedTest
  @CsvSource({"int, an int", "long, a long"})
  void threadCountHasNoAccess(String type, String described) {
    Mistakes.inKernels("@Kernel void fill(@ThreadCount «@Reads " + type + " n);")
        .are(ACCESS_ON_SCALAR, "'n' is " + described + " and is passed by value; remove @Reads");
  }

  @Test
  void sharedBytesHaveNoAccess() {
    Mistakes.inKernels("@Kernel void fill(@ThreadCount int n, «@Writes @DynamicSharedBytes int s);")
        .are(ACCESS_ON_SCALAR, "'s' is an int and is passed by value; remove @Writes");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Reads", "Writes", "ReadWrites"})
  void longWithAccessIsAnUntrackedAddress(String access) {
    Mistakes.inKernels("@Kernel void fill(«@" + access + " long address, @ThreadCount int n);")
        .are(
            UNSUPPORTED_TYPE,
            "'address' has type long; an address is not tracked: adopt its memory with"
                + " gpu.memory().adopt and take the DeviceArray, or remove @"
                + access);
  }

  static Stream<Arguments> pairs() {
    return ACCESSES.stream()
        .flatMap(
            first ->
                ACCESSES.stream()
                    .filter(second -> !second.equals(first))
                    .map(second -> Arguments.of(first, second)));
  }

  static Stream<Arguments> scalars() {
    return ACCESSES.stream()
        .flatMap(
            access ->
                Stream.of("boolean", "byte", "char", "short", "int", "float", "double")
                    .map(type -> Arguments.of(access, type)));
  }
}
