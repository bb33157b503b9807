package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.BUFFER_ELEMENT;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Types whose memory no kernel can reach or the runtime does not track, and their replacements. */
class UntrackedTypesTest {
  /** Types that tests of the processor do not have. */
  private static final List<String> LIBRARIES =
      List.of(
          "package jcuda;\npublic class Pointer {}",
          "package jcuda.driver;\npublic class CUdeviceptr extends jcuda.Pointer {}",
          "package jcuda.runtime;\npublic class cudaArray extends jcuda.Pointer {}",
          "package dev.streamfence;\npublic class ForeignMemory {}",
          "package com.sun.jna;\npublic class Pointer {}",
          "package org.bytedeco.javacpp;\npublic class FloatPointer {}",
          "package org.apache.arrow.c;\npublic class ArrowArray {}",
          "package org.apache.arrow.c;\npublic class ArrowSchema {}",
          "package org.apache.arrow.memory;\npublic class ArrowBuf {}",
          "package org.apache.arrow.vector;\npublic class VectorSchemaRoot {}",
          "package org.apache.arrow.vector;\npublic class IntVector {}",
          "package org.apache.arrow.vector.complex;\npublic class StructVector {}");

  private static final String SEGMENT =
      "package java.lang.foreign;\npublic interface MemorySegment {}";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jcuda.Pointer",
        "jcuda.driver.CUdeviceptr",
        "dev.streamfence.foreign.ForeignMemory"
      })
  void pointerToDeviceMemoryIsAdopted(String type) {
    refuse(
        type,
        "its memory is not tracked: adopt it with gpu.memory().adopt and take the DeviceArray, such"
            + " as DeviceArray<float[]>");
  }

  @Test
  void otherMemoryOfJcudaIsReplaced() {
    refuse(
        "jcuda.runtime.cudaArray",
        "its memory is not tracked: take a DeviceArray, such as DeviceArray<float[]>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.nio.Buffer",
        "java.nio.ByteBuffer",
        "java.nio.MappedByteBuffer",
        "java.nio.CharBuffer",
        "java.nio.ShortBuffer",
        "java.nio.IntBuffer",
        "java.nio.LongBuffer",
        "java.nio.FloatBuffer",
        "java.nio.DoubleBuffer",
      })
  void bufferIsUploadedOrAdopted(String type) {
    refuse(
        type,
        "its memory is not tracked: upload host memory, or adopt device memory with"
            + " gpu.memory().adopt, and take the DeviceArray, such as DeviceArray<float[]>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.lang.foreign.MemorySegment",
        "com.sun.jna.Pointer",
        "org.bytedeco.javacpp.FloatPointer"
      })
  void pointerToAnyMemoryIsUploadedOrAdoptedAlsoAsATensor(String type) {
    refuse(
        type,
        "its memory is not tracked: upload host memory, adopt device memory with"
            + " gpu.memory().adopt, or a tensor with DlPack.adopt, and take the DeviceArray, such"
            + " as DeviceArray<float[]>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"org.apache.arrow.c.ArrowArray", "org.apache.arrow.c.ArrowSchema"})
  void structureOfArrowIsAdoptedOrUploaded(String type) {
    refuse(
        type,
        "its memory is not tracked: adopt device memory with ArrowDevice.adopt, or upload host"
            + " memory with ArrowTables.upload, and take the DeviceTable or its columns");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.arrow.vector.VectorSchemaRoot",
        "org.apache.arrow.vector.IntVector",
        "org.apache.arrow.vector.complex.StructVector",
        "org.apache.arrow.memory.ArrowBuf"
      })
  void vectorsOfArrowAreUploadedAsATable(String type) {
    refuse(
        type,
        "a kernel cannot reach host memory: upload the table with ArrowTables.upload and take the"
            + " DeviceTable or its columns");
  }

  @Test
  void arrayOfLongsMayHoldAddresses() {
    refuse(
        "long[]",
        "a kernel cannot reach host memory: upload it and take a DeviceArray<long[]>; if these are"
            + " addresses, adopt their memory with gpu.memory().adopt and take a List of"
            + " DeviceArrays");
  }

  @ParameterizedTest
  @ValueSource(strings = {"boolean", "byte", "char", "short", "int", "float", "double"})
  void hostArrayIsUploadedFirst(String type) {
    refuse(
        type + "[]",
        "a kernel cannot reach host memory: upload it and take a DeviceArray<" + type + "[]>");
  }

  @ParameterizedTest
  @CsvSource({
    "Boolean, boolean",
    "Byte, byte",
    "Character, char",
    "Short, short",
    "Integer, int",
    "Long, long",
    "Float, float",
    "Double, double",
  })
  void boxIsReplacedByItsPrimitive(String box, String primitive) {
    refuse(box, "a kernel takes primitives: use " + primitive);
    refuse(
        box + "[]",
        "a kernel cannot reach host memory: upload it as "
            + primitive
            + "[] and take a DeviceArray<"
            + primitive
            + "[]>");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "float[][] | float[]",
        "java.util.List<long[]> | long[]",
        "java.util.List<? extends int[]> | int[]"
      })
  void arraysOnTheHostAreUploadedOneByOne(String type, String element) {
    refuse(
        type,
        "a kernel cannot reach host memory: upload each array and take a List<DeviceArray<"
            + element
            + ">>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Integer[][]",
        "String",
        "String[]",
        "Object",
        "Number",
        "Void",
        "Class<?>",
        "Thread.State",
        "java.util.Optional<Integer>",
        "java.util.OptionalInt",
        "java.util.List<java.util.Map.Entry<? extends String, ?>>",
        "java.util.Collection<? super Integer>",
        "java.util.Map<String, int[]>",
        "java.util.stream.IntStream",
        "java.math.BigInteger",
        "java.nio.ByteOrder",
        "java.nio.charset.Charset",
        "java.nio.file.Path",
        "Runnable",
        "java.util.List",
        "java.util.List<?>",
        "java.util.List<? super DeviceArray<int[]>>",
        "java.util.List<java.util.List<DeviceArray<int[]>>>",
        "DeviceArray<int[]>[][]",
        "dev.streamfence.column.DeviceTable[]",
        "java.util.List<dev.streamfence.column.DeviceTable>",
        "dev.streamfence.column.ColumnType",
        "dev.streamfence.column.ColumnOrigin",
        "LaunchShape[]",
        "DeviceStream",
        "DeviceRuntime",
        "ElementType",
      })
  void otherTypesAreNoParametersOfAKernel(String type) {
    refuse(
        type,
        "a kernel takes primitives, DeviceArrays and DeviceColumns of a primitive, arrays or Lists"
            + " of these, DeviceTables, records of these, and one LaunchShape");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "java.util.Collection<DeviceArray<int[]>>|DeviceArray<int[]>",
        "java.util.Set<ReadableArray<int[]>>|ReadableArray<int[]>",
        "Iterable<dev.streamfence.column.DeviceColumn<int[]>>|DeviceColumn<int[]>",
        "java.util.Set<? extends DeviceArray<?>>|DeviceArray<?>",
        "java.util.ArrayList<DeviceArray<byte[]>>|DeviceArray<byte[]>",
        "java.util.function.Supplier<DeviceArray<int[]>>|DeviceArray<int[]>"
      })
  void aTableIsAnArrayOrAList(String type, String array) {
    refuse(type, "a table of arrays is an array or a List: take a List<" + array + ">");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DeviceArray[]",
        "DeviceArray<Float>[]",
        "DeviceArray<? extends float[]>[]",
        "java.util.List<DeviceArray>",
        "java.util.List<DeviceArray<? super int[]>>",
        "java.util.List<? extends DeviceArray<String>>"
      })
  void arraysInATableNameAnArrayOfAPrimitiveOrAny(String type) {
    Mistakes.inKernels("@Kernel void run(@Reads " + type + " «x, @ThreadCount int n);")
        .are(
            BUFFER_ELEMENT,
            "'x' has type "
                + type.replaceAll("\\b[a-z]+\\.", "")
                + "; use an array of primitives, such as DeviceArray<float[]>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"@Reads", "@Writes", "@ReadWrites", "@Reads @Writes"})
  void annotationsOnARefusedTypeAreNoSecondMistake(String annotations) {
    Mistakes.inKernels("@Kernel void run(" + annotations + " Integer «x, LaunchShape shape);")
        .are(UNSUPPORTED_TYPE);
  }

  @Test
  void foreignTypeWithOurNameIsWrittenWithItsPackage() {
    Mistakes.in(
            Sources.kernels("@Kernel void run(other.DeviceArray<int[]> «x, @ThreadCount int n);"),
            "package other;\npublic class DeviceArray<A> {}")
        .are(
            UNSUPPORTED_TYPE,
            "'x' has type other.DeviceArray<int[]>; a kernel takes primitives,"
                + " DeviceArrays and DeviceColumns of a primitive, arrays or Lists of these,"
                + " DeviceTables, records of these, and one LaunchShape");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DeviceArray",
        "DeviceArray<?>",
        "DeviceArray<? extends float[]>",
        "DeviceArray<? super int[]>",
        "DeviceArray<Float>",
        "DeviceArray<Void>",
        "DeviceArray<Object>",
        "DeviceArray<String[]>",
        "DeviceArray<Integer[]>",
        "DeviceArray<float[][]>",
        "DeviceArray<Integer[][]>",
        "DeviceArray<DeviceArray<int[]>>",
        "DeviceArray<DeviceArray<int[]>[]>",
      })
  void bufferNamesAnArrayOfAPrimitive(String type) {
    Mistakes.inKernels("@Kernel void run(@Reads " + type + " «x, @ThreadCount int n);")
        .are(
            BUFFER_ELEMENT,
            "'x' has type " + type + "; use an array of primitives, such as DeviceArray<float[]>");
  }

  private static void refuse(String type, String remedy) {
    List<String> sources = new ArrayList<>(LIBRARIES);
    if (!Object.class.getModule().getPackages().contains("java.lang.foreign")) {
      sources.add(SEGMENT);
    }
    sources.add(Sources.kernels("@Kernel void run(" + type + " «x, @ThreadCount int n);"));
    Mistakes.in(sources.toArray(String[]::new))
        .are(
            UNSUPPORTED_TYPE,
            "'x' has type " + type.replaceAll("\\b[a-z]+\\.", "") + "; " + remedy);
  }
}
