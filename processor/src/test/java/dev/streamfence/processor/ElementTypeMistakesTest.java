package dev.streamfence.processor;

import static dev.streamfence.processor.KernelCode.kernel;
import static dev.streamfence.processor.KernelCode.kernels;
import static dev.streamfence.processor.KernelCode.mistakesIn;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.processor.diagnostic.Problem;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays and records of other numbers than those that the kernel computes with. */
class ElementTypeMistakesTest {
  @TempDir private Path folder;

  @Test
  void anArrayOfWiderElementsThanTheKernelsWordsIsAWarning() {
    String negate =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry negate(.param .u64 x, .param .u64 n)
        {
          .reg .b32 %r<3>;
          .reg .b64 %rd<4>;
          ld.param.u64 %rd1, [x];
          mov.u32 %r1, %tid.x;
          mul.wide.u32 %rd2, %r1, 4;
          add.s64 %rd3, %rd1, %rd2;
          ld.global.u32 %r2, [%rd3];
          st.global.u32 [%rd3], %r2;
          ret;
        }
        .file 1 "negate.cu"
        """;
    String kernel = "@Kernel%s void negate(@ReadWrites DeviceArray<%s[]> «x, @ThreadCount long n);";
    mistakesIn(folder, negate.getBytes(UTF_8), kernels(kernel.formatted("", "double")))
        .areWarning(
            Problem.ELEMENT_WIDTH,
            "parameter 'x' of negate is double[], whose elements have 8 bytes, but the kernel only"
                + " touches words of 4 bytes at a stride of 4: ld.global.u32 in line 12 of k/k.ptx;"
                + " take a DeviceArray<int[]> or DeviceArray<float[]>");
    String floats =
        negate
            .replace(".reg .b32", ".reg .f32 %f1; .reg .b32")
            .replace("u32 %r2, [", "f32 %f1, [")
            .replace("u32 [%rd3], %r2", "f32 [%rd3], %f1");
    mistakesIn(folder, floats.getBytes(UTF_8), kernels(kernel.formatted("", "double")))
        .areWarning(
            Problem.ELEMENT_WIDTH,
            "parameter 'x' of negate is double[], whose elements have 8 bytes, but the kernel only"
                + " touches words of 4 bytes at a stride of 4: ld.global.f32 in line 12 of k/k.ptx;"
                + " take a DeviceArray<float[]>");
    for (String fitting : new String[] {"float", "int", "short", "byte"}) {
      mistakesIn(
              folder,
              negate.getBytes(UTF_8),
              kernels(kernel.formatted("", fitting).replace("«", "")))
          .areNoneAtAll();
    }
    mistakesIn(
            folder,
            negate.getBytes(UTF_8),
            kernels(
                kernel
                    .formatted(" @SuppressWarnings(\"streamfence:ElementWidth\")", "double")
                    .replace("«", "")))
        .areNoneAtAll();
  }

  @Test
  void anArrayOfIntegersWhoseNumbersAreFloatsIsAWarning() {
    String own =
        "ld.param.u64 %rd1, [a]; mov.u32 %r3, %tid.x; mul.wide.s32 %rd2, %r3, 4;"
            + " add.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f1, [%rd3];";
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", ".reg .f32 %f<2>; " + own);
    String declared = "@Kernel void run(@Reads DeviceArray<%s[]> %sa, @ThreadCount int n);";

    mistakesIn(folder, code, kernels(declared.formatted("int", "«")))
        .areWarning(
            Problem.ELEMENT_WIDTH,
            "parameter 'a' of run is int[], but the kernel only touches numbers of type float:"
                + " ld.global.f32 in line 7 of k/k.ptx; take a DeviceArray<float[]>");
    mistakesIn(folder, code, kernels(declared.formatted("float", ""))).areNoneAtAll();
    byte[] bits =
        kernel("sm_75", ".param .u64 a, .param .u32 n", own.replace("f32 %f1", "b32 %r4"));
    mistakesIn(folder, bits, kernels(declared.formatted("float", ""))).areNoneAtAll();
  }

  @ParameterizedTest
  @CsvSource({
    "int,    v2.f32, f, float, false",
    "short,  v2.f32, f, float, false",
    "char,   v2.f32, f, float, false",
    "double, v2.f32, f, float, false",
    "float,  v2.f32, f, float, true",
    "byte,   v2.f32, f, float, true",
    "long,   v2.f32, f, float, true",
    "short,  nc.f32, f, float, false",
    "float,  f64,    fd, double, false",
    "int,    v2.f64, fd, double, false",
    "long,   v2.f64, fd, double, false",
    "double, v2.f64, fd, double, true",
  })
  void anArrayOfOtherNumbersThanTheKernelComputesWithIsAWarning(
      String declared, String type, String register, String numbers, boolean isRight) {
    boolean isVector = type.startsWith("v2");
    String loaded = isVector ? "{%" + register + "1, %" + register + "2}" : "%" + register + "1";
    String plain = type.substring(type.length() - 3);
    String own =
        ".reg .f32 %f<4>; .reg .f64 %fd<4>; ld.param.u64 %rd1, [a]; ld.param.u32 %r4, [n];\n"
            + ("ld.global." + type + " " + loaded + ", [%rd1];\n")
            + ("add." + plain + " %" + register + "3, %" + register + "1, %" + register + "1;");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", own);
    String kernel = "@Kernel void run(@Reads DeviceArray<%s[]> %sa, @ThreadCount int n);";

    if (isRight) {
      mistakesIn(folder, code, kernels(kernel.formatted(declared, ""))).areNoneAtAll();
    } else {
      mistakesIn(folder, code, kernels(kernel.formatted(declared, "«")))
          .areWarning(
              Problem.ELEMENT_WIDTH,
              "parameter 'a' of run is "
                  + (declared + "[], but the kernel only touches numbers of type " + numbers)
                  + (": ld.global." + type + " in line 7 of k/k.ptx; take a DeviceArray<")
                  + (numbers + "[]>"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "int x, float y    | ld.global.f32 %f1, [%rd3+4];           | none | none",
        "float x, int y    | ld.global.f32 %f1, [%rd3+4];           | whose component 2 is of type int | float",
        "float x, int y    | ld.global.f32 %f1, [%rd3];             | none | none",
        "float x, float y  | ld.global.v2.f32 {%f1, %f2}, [%rd3];   | none | none",
        "int x, float y    | ld.global.v2.f32 {%f1, %f2}, [%rd3];   | whose component 1 is of type int | float",
        "int x, float y    | ld.global.v2.u32 {%r4, %r5}, [%rd3]; mov.b32 %f1, %r5; | none | none",
        "int x, int y      | ld.global.v2.u32 {%r4, %r5}, [%rd3]; mov.b32 %f1, %r5; | whose component 2 is of type int | float",
        "double x          | ld.global.f32 %f1, [%rd3+4];           | which has no component at byte 4 | float",
        "double x          | ld.global.f64 %fd1, [%rd3+4];          | which has no component at byte 4 | double",
        "double x          | ld.global.f32 %f1, [%rd3];             | whose component 1 is of type double | float",
        "float x, float y  | ld.global.f64 %fd1, [%rd3];            | whose component 1 is of type float | double",
        "int x, int y      | st.global.f32 [%rd3-4], %f3;           | whose component 2 is of type int | float",
        "int x, int y      | mov.b32 %r4, %f3; st.global.u32 [%rd3], %r4; | whose component 1 is of type int | float",
        "int x, int y      | red.global.add.f32 [%rd3], %f3;        | whose component 1 is of type int | float",
        "int x, int y      | red.global.add.v2.f32 [%rd3], {%f3, %f3}; | whose component 1 is of type int | float",
        "int x, int y      | ld.global.f32 %f2, [%rd3]; red.shared.add.f32 [0], %f2; | whose component 1 is of type int | float",
        "int x, int y | ld.global.f32 %f2, [%rd3]; cvt.rzi.s32.f32 %r4, %f2; | whose component 1 is of type int | float",
        "int x, int y | cvt.rn.f32.s32 %f1, %r3; st.global.f32 [%rd3], %f1; | whose component 1 is of type int | float",
        // Bytes are any memory, and a long may hold a pair.
        "byte x, byte y, short z, int w | ld.global.f32 %f1, [%rd3]; | none | none",
        "long x            | ld.global.f32 %f1, [%rd3+4];           | none | none",
        "long x            | ld.global.f64 %fd1, [%rd3];            | whose component 1 is of type long | double",
        // Integers at every place are at none in particular.
        "int x, int y      | ld.global.f32 %f1, [%rd3]; mul.wide.u32 %rd4, %r3, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r4, [%rd5]; add.s32 %r5, %r4, 1; | whose component 1 is of type int | float",
        // What is converted to a floating-point number is none, and neither is an address.
        "int x, int y | ld.global.u32 %r4, [%rd3]; cvt.rn.f32.s32 %f1, %r4; | none | none",
        "int x, int y | cvt.rzi.s32.f32 %r4, %f2; st.global.u32 [%rd3], %r4; | none | none",
        "short x, short y, int z | ld.global.u16 %h1, [%rd3]; cvt.f32.f16 %f1, %h1; | none | none",
        "short x, short y, int z | ld.global.u32 %r4, [%rd3]; mov.b32 {%h1, %h2}, %r4; cvt.f32.f16 %f1, %h1; | none | none",
        "int x, int y | ld.global.u32 %r4, [%rd3]; red.shared.add.f32 [%r4], %f3; | none | none",
        // Nothing is known of other distances, of bits, and of numbers that are only copied.
        "int x, int y, int z | ld.global.f32 %f1, [%rd3+4];         | none | none",
        "int x, int y      | ld.global.b32 %r4, [%rd3];             | none | none",
        "int x, int y      | ld.global.f32 %f2, [%rd3]; st.global.f32 [%rd3], %f2; | none | none",
        "int x, int y      | ld.global.f32 %f3, [%rd3]; bra B; B: mov.f32 %f3, %f2; bra C; C: add.f32 %f2, %f3, %f3; | none | none",
        // A union has both.
        "int x, int y      | ld.global.f32 %f1, [%rd3+4]; ld.global.u32 %r4, [%rd3+4]; add.s32 %r5, %r4, 1; | none | none",
        "int x, int y      | ld.global.u32 %r4, [%rd3]; mov.b32 %f1, %r4; cvt.rn.f32.s32 %f2, %r4; | none | none",
      })
  void recordsWithOtherComponentsThanTheKernelComputesWithAreAWarning(
      String components, String access, String difference, String number) {
    String kernel = "record Pair(" + components + ") {}\n" + recordKernel(access, "Pair");
    byte[] code = recordCode(8, access);

    if (difference.equals("none")) {
      mistakesIn(folder, code, kernels(kernel.formatted(""))).areNoneAtAll();
    } else {
      mistakesIn(folder, code, kernels(kernel.formatted("«")))
          .areWarning(
              Problem.ELEMENT_WIDTH,
              "parameter 'a' of run is Pair[], "
                  + (difference + ", but the kernel computes with a " + number + " there: ")
                  + accessWord(access)
                  + " in line 7 of k/k.ptx; take a record with the components of the kernel's"
                  + " structure, in the same order");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "double x, int y           | 24 | 16",
        "double x, double y, int z | 32 | 24",
        "int x, short y            | 12 | 8",
        // What is smaller may be a part of the element, and a multiple of it several.
        "double x, int y           | 16 | 0",
        "double x, double y, int z | 16 | 0",
        "double x, int y           | 8  | 0",
        "double x, int y           | 48 | 0",
        // Numbers of one type may be taken several at a time.
        "float x, float y, float z | 16 | 0",
        "float x, float y, float z | 4  | 0",
      })
  void recordsOfAnotherSizeThanTheKernelsElementsAreAWarning(
      String components, int distance, int size) {
    String access = "ld.global.u32 %r4, [%rd3];";
    String kernel = "record Item(" + components + ") {}\n" + recordKernel(access, "Item");
    byte[] code = recordCode(distance, access);

    if (size == 0) {
      mistakesIn(folder, code, kernels(kernel.formatted(""))).areNoneAtAll();
    } else {
      mistakesIn(folder, code, kernels(kernel.formatted("«")))
          .areWarning(
              Problem.ELEMENT_WIDTH,
              "parameter 'a' of run is Item[], whose elements have "
                  + (size + " bytes, but the kernel accesses elements at a distance of " + distance)
                  + ": ld.global.u32 in line 7 of k/k.ptx; take a record with the components of the"
                  + " kernel's structure, in the same order");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ELEMENT_WIDTH | add.s32 %r6, %r3, 1;",
        "STORES_THROUGH_READS | st.global.u32 [%rd3], %r3;",
        // Where the store goes is not known.
        "UNCLEAR_ACCESS | cvt.u32.u64 %r5, %rd1; setp.ne.s32 %p1, %r5, 0;"
            + " vote.sync.ballot.b32 %r6, %p1, -1; cvt.u64.u32 %rd6, %r6; st.global.u32 [%rd6], 5;",
      })
  void anArrayOfRecordsWithAnErrorOrUnknownAccessesGetsNoSecondMessage(
      Problem expected, String more) {
    byte[] code = recordCode(8, "ld.global.f32 %f1, [%rd3]; " + more);
    String declared =
        "record Pair(int x, int y) {}\n"
            + "@Kernel void run(@Reads DeviceArray<Pair[]> «a, @ThreadCount int n);";

    mistakesIn(folder, code, kernels(declared)).are(expected);
  }

  @Test
  void anErrorInOneComponentOfARecordByValueHidesNoMistakeInAnother() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .align 8 .b8 p[16], .param .u32 n",
            "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [p+8]; add.s32 %r2, %r1, 1;\n"
                + "st.global.u32 [%rd1], %r2;");

    mistakesIn(
            folder,
            code,
            kernels(
                "record P(@Reads DeviceArray<int[]> a, float y) {}\n"
                    + "@Kernel void run(P ««p, @ThreadCount int n);"))
        .are(Problem.STORES_THROUGH_READS, Problem.ELEMENT_WIDTH);
  }

  @Test
  void recordsOfSeveralArraysAreComparedWithTheirOwnAccesses() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .u64 a, .param .u64 b, .param .u32 n",
            ".reg .f32 %f<4>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r3, %tid.x;\n"
                + "mul.wide.u32 %rd3, %r3, 8; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n"
                + "ld.global.f32 %f1, [%rd4]; add.f32 %f2, %f1, %f1;\n"
                + "st.global.f32 [%rd5+4], %f2;");
    String declared =
        "record First(float x, int y) {}\nrecord Second(int x, float y) {}\n"
            + "@Kernel void run(@Reads DeviceArray<%s[]> a, @Writes DeviceArray<%s[]> b,"
            + " @ThreadCount int n);";

    mistakesIn(folder, code, kernels(declared.formatted("First", "Second"))).areNoneAtAll();
    String wrong = declared.replace("> a", "> «a").replace("> b", "> «b");
    Mistakes mistakes = mistakesIn(folder, code, kernels(wrong.formatted("Second", "First")));
    mistakes.are(Problem.ELEMENT_WIDTH, Problem.ELEMENT_WIDTH);
    mistakes.say(
        "'a' of run is Second[], whose component 1 is of type int",
        "'b' of run is First[], whose component 2 is of type int");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "float x, int y | none",
        "int x, float y | 'p.x' of run is an int, but the kernel has a float there: ld.param.f32 in line 6",
        "float x, float y | 'p.y' of run is a float, but the kernel has an integer there: ld.param.u32 in line 7",
        "double x | 'p.x' of run is a double, but the kernel has a float there: ld.param.f32 in line 6",
        "short v, short w, int y | 'p.v' of run is a short, but the kernel has a float there: ld.param.f32 in line 6",
        "float v, short w, short z | none",
        // Bytes are any memory, and a long may hold a pair.
        "byte a, byte b, byte c, byte d, int y | none",
        "long x | none",
      })
  void recordsByValueWithOtherNumbersThanTheKernelsAreAWarning(String components, String what) {
    byte[] code =
        kernel(
            "sm_75",
            ".param .align 8 .b8 p[8], .param .u64 a",
            ".reg .f32 %f<4>; ld.param.f32 %f1, [p];\nld.param.u32 %r1, [p+4];\n"
                + "ld.param.u64 %rd1, [a]; add.s32 %r2, %r1, 1; st.global.f32 [%rd1], %f1;\n"
                + "st.global.u32 [%rd1+4], %r2;");
    String declared =
        "record P("
            + components
            + ") {}\n@Kernel void run(P %sp, @Writes DeviceArray<byte[]> a, LaunchShape s);";

    if (what.equals("none")) {
      mistakesIn(folder, code, kernels(declared.formatted(""))).areNoneAtAll();
    } else {
      mistakesIn(folder, code, kernels(declared.formatted("«")))
          .areWarning(
              Problem.ELEMENT_WIDTH,
              "parameter "
                  + what
                  + " of k/k.ptx; take a record with the components of the kernel's structure, in"
                  + " the same order");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "float x, float y | ld.param.s32 %r1, [p+4]; add.s32 %r2, %r1, 1; | 'p.y' of run is a float, but the kernel has an integer there: ld.param.s32",
        "int x, int y | ld.param.u32 %r1, [p]; mov.b32 %f1, %r1; add.f32 %f2, %f1, %f1; | 'p.x' of run is an int, but the kernel has a float there: ld.param.u32",
        "float x, int y | ld.param.v2.f32 {%f1, %f2}, [p]; | 'p.y' of run is an int, but the kernel has a float there: ld.param.v2.f32",
      })
  void aNumberOfARecordByValueIsWhatTheKernelMakesOfIt(
      String components, String load, String what) {
    byte[] code =
        kernel(
            "sm_75",
            ".param .align 8 .b8 p[8], .param .u64 a",
            ".reg .f32 %f<4>; ld.param.u64 %rd1, [a];\n"
                + load
                + "\nst.global.u32 [%rd1], %r2; st.global.f32 [%rd1+4], %f2;");

    mistakesIn(
            folder,
            code,
            kernels(
                ("record P(" + components + ") {}\n")
                    + "@Kernel void run(P «p, @Writes DeviceArray<byte[]> a, LaunchShape s);"))
        .areWarning(
            Problem.ELEMENT_WIDTH,
            ("parameter " + what + " in line 7 of k/k.ptx; take a record with the components of")
                + " the kernel's structure, in the same order");
  }

  @Test
  void aNumberInTheMiddleOfAComponentOfARecordByValueIsNamedByItsByte() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .align 8 .b8 p[8], .param .u64 a",
            ".reg .f32 %f<4>; ld.param.u64 %rd1, [a]; ld.param.f32 %f1, [p+4];\n"
                + "st.global.f32 [%rd1], %f1;");

    mistakesIn(
            folder,
            code,
            kernels(
                "record P(double x) {}\n@Kernel void run(P «p, @Writes DeviceArray<byte[]> a,"
                    + " LaunchShape s);"))
        .areWarning(
            Problem.ELEMENT_WIDTH,
            "parameter 'p' of run has no component at byte 4, but the kernel has a float there:"
                + " ld.param.f32 in line 6 of k/k.ptx; take a record with the components of the"
                + " kernel's structure, in the same order");
  }

  @Test
  void aDoubleOfTheKernelInARecordByValueIsNamedAsOne() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .align 8 .b8 p[8], .param .u64 a",
            ".reg .f64 %fd<4>; ld.param.u64 %rd1, [a]; ld.param.f64 %fd1, [p];\n"
                + "st.global.f64 [%rd1], %fd1;");
    String declared =
        "record P(%s) {}\n@Kernel void run(P %sp, @Writes DeviceArray<byte[]> a, LaunchShape s);";

    mistakesIn(folder, code, kernels(declared.formatted("double x", ""))).areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted("float x, float y", "«")))
        .areWarning(
            Problem.ELEMENT_WIDTH,
            "parameter 'p.x' of run is a float, but the kernel has a double there: ld.param.f64 in"
                + " line 6 of k/k.ptx; take a record with the components of the kernel's structure,"
                + " in the same order");
  }

  @Test
  void aLoadOfAnotherParameterSaysNothingOfARecordByValue() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .align 4 .b8 p[8], .param .f32 f, .param .u64 a",
            ".reg .f32 %f<4>; ld.param.u32 %r1, [p+4]; ld.param.f32 %f1, [f];\n"
                + "ld.param.u64 %rd1, [a]; add.s32 %r2, %r1, 1; st.global.f32 [%rd1], %f1;\n"
                + "st.global.u32 [%rd1+4], %r2;");
    String declared =
        "record P(int x, int y) {}\n@Kernel void run(P p, float f,"
            + " @Writes DeviceArray<byte[]> a, LaunchShape s);";

    mistakesIn(folder, code, kernels(declared)).areNoneAtAll();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Both numbers are copied at once, or byte by byte, besides.
        "ld.param.b64 %rd2, [p]; st.global.b64 [%rd1+8], %rd2;",
        "ld.param.b8 %r3, [p]; st.global.b8 [%rd1+8], %r3;",
        // The bits of a number are taken apart, and places outside of it are loaded.
        "ld.param.b32 %r3, [p]; and.b32 %r4, %r3, 1; st.global.b32 [%rd1+8], %r4;",
        "ld.param.f32 %f2, [p+8]; ld.param.f32 %f3, [p-4]; st.global.f32 [%rd1+8], %f2;",
        "ld.param.f32; ld.param.f32 %f2; ld.param.f32 %f2, [%rd1]; ld.param.v2.f32 {%f2, %f3}, [p+4];",
      })
  void otherLoadsOfARecordByValueSayNothing(String more) {
    byte[] code =
        kernel(
            "sm_75",
            ".param .align 8 .b8 p[8], .param .u64 a",
            ".reg .f32 %f<4>; ld.param.f32 %f1, [p]; ld.param.u32 %r1, [p+4];\n"
                + "ld.param.u64 %rd1, [a]; add.s32 %r2, %r1, 1; st.global.f32 [%rd1], %f1;\n"
                + "st.global.u32 [%rd1+4], %r2; "
                + more);
    String declared =
        "record P(float x, int y) {}\n@Kernel void run(P p, @Writes DeviceArray<byte[]> a,"
            + " LaunchShape s);";

    assertThat(mistakesIn(folder, code, kernels(declared)).ids())
        .doesNotContain("WARNING [ElementWidth]", "ERROR [InternalError]");
  }

  @Test
  void aPlaceOfARecordByValueWithBothKindsOfNumbersIsAUnion() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .align 8 .b8 p[8], .param .u64 a",
            ".reg .f32 %f<4>; ld.param.f32 %f1, [p];\nld.param.u32 %r1, [p];\n"
                + "ld.param.u64 %rd1, [a]; add.s32 %r2, %r1, 1; st.global.f32 [%rd1], %f1;\n"
                + "st.global.u32 [%rd1+4], %r2;");
    for (String components : List.of("int x, int y", "float x, int y")) {
      String declared =
          "record P("
              + components
              + ") {}\n@Kernel void run(P p, @Writes DeviceArray<byte[]> a, LaunchShape s);";
      mistakesIn(folder, code, kernels(declared)).areNoneAtAll();
    }
  }

  /** A kernel that accesses the elements of an array, at a distance of so many bytes. */
  private static byte[] recordCode(int distance, String access) {
    String own =
        ".reg .b16 %h<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>; ld.param.u64 %rd1, [a]; mov.u32 %r3, %tid.x;"
            + " mul.wide.u32"
            + (" %rd2, %r3, " + distance + "; add.s64 %rd3, %rd1, %rd2; mov.f32 %f2, 0f00000000;")
            + " add.f32 %f3, %f2, %f2;\n"
            + (access + "\nadd.f32 %f2, %f1, %f1; add.f64 %fd2, %fd1, %fd1;");
    return kernel("sm_75", ".param .u64 a, .param .u32 n", own);
  }

  private static String recordKernel(String access, String element) {
    boolean stores = access.contains("st.") || access.contains("red.global");
    boolean loads = access.contains("ld.") || access.contains("red.global");
    return "@Kernel void run("
        + (loads ? stores ? "@ReadWrites" : "@Reads" : "@Writes")
        + (" DeviceArray<" + element + "[]> %sa, @ThreadCount int n);");
  }

  /** The first instruction that accesses global memory. */
  private static String accessWord(String access) {
    return access.replaceAll(".*?((?:ld|st|red)\\.global\\S*) .*", "$1");
  }
}
