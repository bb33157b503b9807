package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.ACCESS_ON_LAUNCH_SHAPE;
import static dev.streamfence.processor.diagnostic.Problem.ACCESS_ON_SCALAR;
import static dev.streamfence.processor.diagnostic.Problem.BUFFER_ELEMENT;
import static dev.streamfence.processor.diagnostic.Problem.CONFLICTING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.CONFLICTING_ROLES;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.SHARED_BYTES_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.THREAD_COUNT_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.VARARGS;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mistakes in one parameter of a kernel method. */
class ParameterMistakesTest {
  @Test
  void bufferNeedsToSayHowItIsAccessed() {
    Mistakes.inKernels("@Kernel void copy(DeviceArray<int[]> «out, @ThreadCount int n);")
        .are(MISSING_ACCESS, "parameter 'out' of copy needs @Reads, @Writes or @ReadWrites");
  }

  @Test
  void secondAccessContradictsTheFirst() {
    Mistakes.inKernels(
            "@Kernel void copy(@Reads «@Writes DeviceArray<int[]> out, @ThreadCount int n);")
        .are(CONFLICTING_ACCESS, "@Writes contradicts @Reads on 'out'; use @ReadWrites for both");
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

  @Test
  void scalarHasNoAccess() {
    Mistakes.inKernels("@Kernel void fill(@ThreadCount int n, «@Writes int value);")
        .are(ACCESS_ON_SCALAR, "'value' is an int and is passed by value; remove @Writes");
  }

  @Test
  void threadCountHasNoAccess() {
    Mistakes.inKernels("@Kernel void fill(@ThreadCount «@Reads long n);")
        .are(ACCESS_ON_SCALAR, "'n' is a long and is passed by value; remove @Reads");
  }

  @Test
  void launchShapeHasNoAccess() {
    Mistakes.inKernels("@Kernel void fill(«@Reads LaunchShape shape);")
        .are(
            ACCESS_ON_LAUNCH_SHAPE,
            "'shape' is a LaunchShape, which the kernel does not receive; remove @Reads");
  }

  @Test
  void longWithAccessIsAnUntrackedAddress() {
    Mistakes.inKernels("@Kernel void fill(«@Writes long address, @ThreadCount int n);")
        .are(
            UNSUPPORTED_TYPE,
            "'address' has type long; an address is not tracked: take the DeviceArray, or remove"
                + " @Writes");
  }

  @Test
  void plainLongIsAValue() {
    Mistakes.inKernels("@Kernel void fill(long seed, @ThreadCount int n);").areNone();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "float[] | a kernel cannot reach host memory: upload it and take a DeviceArray<float[]>",
        "float[][] | a kernel takes primitives, DeviceArrays of a primitive and one LaunchShape",
        "Integer | a kernel takes primitives: use int",
        "String | a kernel takes primitives, DeviceArrays of a primitive and one LaunchShape",
        "java.util.List<java.util.Map.Entry<? extends String, ?>>"
            + " | a kernel takes primitives, DeviceArrays of a primitive and one LaunchShape",
        "java.nio.file.Path"
            + " | a kernel takes primitives, DeviceArrays of a primitive and one LaunchShape",
        "DeviceStream"
            + " | a kernel takes primitives, DeviceArrays of a primitive and one LaunchShape",
        "java.nio.FloatBuffer"
            + " | its memory is not tracked: take a DeviceArray, such as DeviceArray<float[]>",
        "jcuda.Pointer"
            + " | its memory is not tracked: take a DeviceArray, such as DeviceArray<float[]>",
        "jcuda.driver.CUdeviceptr"
            + " | its memory is not tracked: take a DeviceArray, such as DeviceArray<float[]>",
      })
  void untrackedTypeIsRefusedWithWhatToUse(String type, String remedy) {
    String name =
        type.replaceAll("java\\.util\\.|java\\.nio\\.(file\\.)?|jcuda\\.(driver\\.)?", "");
    Mistakes.in(
            Sources.kernels("@Kernel void run(@Reads " + type + " «x, @ThreadCount int n);"),
            "package jcuda;\npublic class Pointer {}",
            "package jcuda.driver;\npublic class CUdeviceptr extends jcuda.Pointer {}")
        .are(UNSUPPORTED_TYPE, "'x' has type " + name + "; " + remedy);
  }

  @Test
  void foreignTypeWithOurNameIsWrittenWithItsPackage() {
    Mistakes.in(
            Sources.kernels("@Kernel void run(other.DeviceArray<int[]> «x, @ThreadCount int n);"),
            "package other;\npublic class DeviceArray<A> {}")
        .are(
            UNSUPPORTED_TYPE,
            "'x' has type other.DeviceArray<int[]>; a kernel takes primitives, DeviceArrays of a"
                + " primitive and one LaunchShape");
  }

  @ParameterizedTest
  @CsvSource({
    "DeviceArray",
    "DeviceArray<?>",
    "DeviceArray<? extends float[]>",
    "DeviceArray<Float>",
    "DeviceArray<String[]>",
    "DeviceArray<float[][]>",
  })
  void bufferNamesAnArrayOfAPrimitive(String type) {
    Mistakes.inKernels("@Kernel void run(@Reads " + type + " «x, @ThreadCount int n);")
        .are(
            BUFFER_ELEMENT,
            "'x' has type "
                + type
                + "; name an array of a primitive, such as DeviceArray<float[]>");
  }

  @ParameterizedTest
  @CsvSource({"short", "float", "boolean"})
  void threadCountIsAnIntOrALong(String type) {
    Mistakes.inKernels("@Kernel void run(«@ThreadCount " + type + " n);")
        .are(
            THREAD_COUNT_TYPE,
            "@ThreadCount 'n' has type " + type + "; it counts threads as an int or a long");
  }

  @Test
  void launchShapeIsNoThreadCount() {
    Mistakes.inKernels("@Kernel void run(«@ThreadCount LaunchShape shape);")
        .are(
            THREAD_COUNT_TYPE,
            "@ThreadCount 'shape' has type LaunchShape; it counts threads as an int or a long");
  }

  @Test
  void bufferIsNoThreadCount() {
    Mistakes.inKernels("@Kernel void run(«@ThreadCount @Reads DeviceArray<int[]> n);")
        .are(
            THREAD_COUNT_TYPE,
            "@ThreadCount 'n' has type DeviceArray<int[]>; it counts threads as an int or a long");
  }

  @Test
  void sharedBytesAreAnInt() {
    Mistakes.inKernels("@Kernel void run(@ThreadCount int n, «@DynamicSharedBytes long bytes);")
        .are(
            SHARED_BYTES_TYPE,
            "@DynamicSharedBytes 'bytes' has type long; it counts bytes as an int");
  }

  @Test
  void oneParameterHasOneRole() {
    Mistakes.inKernels("@Kernel void run(@ThreadCount «@DynamicSharedBytes int n);")
        .are(
            CONFLICTING_ROLES,
            "'n' cannot be both @DynamicSharedBytes and @ThreadCount; use two parameters");
  }

  @Test
  void kernelHasFixedParameters() {
    Mistakes.inKernels("@Kernel void run(@ThreadCount int n, float... «values);")
        .are(
            VARARGS,
            "'values' of run is variable in number; a kernel has fixed parameters, spell them"
                + " out");
  }

  @Test
  void everyMistakeIsReportedAtOnce() {
    Mistakes.inKernels(
            "@Kernel void first(DeviceArray<int[]> «a, «@Reads int b, int[] «c, @ThreadCount int n);"
                + "@Kernel void second(@Reads DeviceArray<?> «d, @ThreadCount int n);")
        .are(MISSING_ACCESS, ACCESS_ON_SCALAR, UNSUPPORTED_TYPE, BUFFER_ELEMENT);
  }
}
