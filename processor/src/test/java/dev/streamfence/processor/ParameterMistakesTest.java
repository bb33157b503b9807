package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.ACCESS_ON_LAUNCH_SHAPE;
import static dev.streamfence.processor.diagnostic.Problem.ACCESS_ON_SCALAR;
import static dev.streamfence.processor.diagnostic.Problem.BUFFER_ELEMENT;
import static dev.streamfence.processor.diagnostic.Problem.CONFLICTING_ROLES;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.SHARED_BYTES_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.THREAD_COUNT_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.VARARGS;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes in one parameter of a kernel method. */
class ParameterMistakesTest {
  @Test
  void launchShapeHasNoAccess() {
    Mistakes.inKernels("@Kernel void fill(«@Reads LaunchShape shape);")
        .are(
            ACCESS_ON_LAUNCH_SHAPE,
            "'shape' is a LaunchShape, which the kernel does not receive; remove @Reads");
  }

  @Test
  void plainLongIsAValue() {
    Mistakes.inKernels("@Kernel void fill(long seed, @ThreadCount int n);").areNone();
  }

  @ParameterizedTest
  @ValueSource(strings = {"boolean", "byte", "char", "short", "float", "double"})
  void threadCountIsAnIntOrALong(String type) {
    Mistakes.inKernels("@Kernel void run(«@ThreadCount " + type + " n);")
        .are(THREAD_COUNT_TYPE, "@ThreadCount 'n' has type " + type + "; use an int or a long");
  }

  @Test
  void launchShapeIsNoThreadCount() {
    Mistakes.inKernels("@Kernel void run(«@ThreadCount LaunchShape shape);")
        .are(THREAD_COUNT_TYPE, "@ThreadCount 'shape' has type LaunchShape; use an int or a long");
  }

  @Test
  void bufferIsNoThreadCount() {
    Mistakes.inKernels("@Kernel void run(«@ThreadCount @Reads DeviceArray<int[]> n);")
        .are(
            THREAD_COUNT_TYPE,
            "@ThreadCount 'n' has type DeviceArray<int[]>; use an int or a long");
  }

  @ParameterizedTest
  @ValueSource(strings = {"boolean", "byte", "char", "short", "long", "float", "double"})
  void sharedBytesAreAnInt(String type) {
    Mistakes.inKernels(
            "@Kernel void run(@ThreadCount int n, «@DynamicSharedBytes " + type + " bytes);")
        .are(SHARED_BYTES_TYPE, "@DynamicSharedBytes 'bytes' has type " + type + "; use an int");
  }

  @Test
  void launchShapeAndBufferAreNoSharedBytes() {
    Mistakes.inKernels("@Kernel void run(«@DynamicSharedBytes LaunchShape shape);")
        .are(SHARED_BYTES_TYPE);
    Mistakes.inKernels(
            "@Kernel void run(«@DynamicSharedBytes @Reads DeviceArray<int[]> x, @ThreadCount int"
                + " n);")
        .are(SHARED_BYTES_TYPE, "@DynamicSharedBytes 'x' has type DeviceArray<int[]>; use an int");
  }

  @Test
  void oneParameterHasOneRole() {
    Mistakes.inKernels("@Kernel void run(@ThreadCount «@DynamicSharedBytes int n);")
        .are(
            CONFLICTING_ROLES,
            "'n' cannot be both @DynamicSharedBytes and @ThreadCount; use two parameters");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "float...",
        "float[]...",
        "DeviceArray<int[]>...",
        "@Reads DeviceArray<int[]>...",
        "@DynamicSharedBytes int...",
        "String...",
        "java.util.List<int[]>...",
      })
  void kernelHasFixedArity(String type) {
    Mistakes.inKernels("@Kernel void run(@ThreadCount int n, " + type + " «values);")
        .are(VARARGS, varargs("values"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"@ThreadCount int...", "LaunchShape..."})
  void shapeWithVariableArityIsOneMistake(String type) {
    Mistakes.inKernels("@Kernel void run(" + type + " «n);").are(VARARGS, varargs("n"));
  }

  @Test
  void everyMistakeIsReportedAtOnce() {
    Mistakes.inKernels(
            "@Kernel void first(DeviceArray<int[]> «a, «@Reads int b, int[] «c, @ThreadCount int n);"
                + "@Kernel void second(@Reads DeviceArray<?> «d, @ThreadCount int n);")
        .are(MISSING_ACCESS, ACCESS_ON_SCALAR, UNSUPPORTED_TYPE, BUFFER_ELEMENT);
  }

  private static String varargs(String name) {
    return "'"
        + name
        + "' of run takes any number of arguments; a kernel has fixed parameters, so spell"
        + " them out, or take an array or a List of DeviceArrays";
  }
}
