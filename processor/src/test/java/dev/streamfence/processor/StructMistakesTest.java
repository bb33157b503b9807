package dev.streamfence.processor;

import dev.streamfence.processor.diagnostic.Problem;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records by value, and values with an annotation that does not fit. */
class StructMistakesTest {
  private static Mistakes with(String type, String parameter) {
    return Mistakes.in(
        Sources.kernels("@Kernel void run(" + parameter + ", @ThreadCount int n);") + type);
  }

  @Test
  void recordOfPrimitivesIsNoMistake() {
    with(
            "record All(boolean z, byte b, char c, short s, int i, long l, float f, double d) {}",
            "All all")
        .areNone();
  }

  @Test
  void recordHasPrimitivesOnly() {
    with("record Named(int id, String name) {}", "Named «named")
        .are(
            Problem.STRUCT_FIELD,
            "'named' is the record Named, whose name has type String; a structure holds"
                + " primitives, DeviceArrays, DeviceColumns and tables of them");
  }

  @Test
  void pointerInARecordIsAdoptedFirst() {
    with("record Named(int id, java.nio.ByteBuffer bytes) {}", "Named «named")
        .are(
            Problem.STRUCT_FIELD,
            "'named' is the record Named, whose bytes has type ByteBuffer; its memory is not"
                + " tracked: upload host memory, or adopt device memory with gpu.memory().adopt,"
                + " and take the DeviceArray, such as DeviceArray<float[]>");
  }

  @Test
  void recordOfArraysIsNoMistake() {
    with(
            """
            record Column(
                @Reads DeviceArray<int[]> values,
                @Trusted("see column.cu") @ReadWrites DeviceArray<byte[]> validity,
                @Writes DeviceArray<?>[] parts,
                @Reads java.util.List<? extends DeviceArray<float[]>> more,
                long rows) {}
            """,
            "Column column")
        .areNone();
  }

  @Test
  void arrayOfARecordNeedsAnAccess() {
    with("record Column(DeviceArray<int[]> values) {}", "Column «column")
        .are(
            Problem.MISSING_ACCESS,
            "parameter 'column.values' of run needs @Reads, @Writes or @ReadWrites");
    with("record Column(@Reads @Writes DeviceArray<int[]> values) {}", "Column «column")
        .are(
            Problem.CONFLICTING_ACCESS,
            "@Writes contradicts @Reads on 'column.values'; use @ReadWrites for both");
  }

  @Test
  void arrayOfARecordHasPrimitives() {
    with("record Column(@Reads DeviceArray<?> values) {}", "Column «column")
        .are(
            Problem.BUFFER_ELEMENT,
            "'column.values' has type DeviceArray<?>; use an array of primitives, such as"
                + " DeviceArray<float[]>");
  }

  @Test
  void numberOfARecordHasNoAccess() {
    with("record Column(@Reads long rows) {}", "Column «column")
        .are(
            Problem.ACCESS_ON_SCALAR,
            "'column.rows' is a long and is passed by value; remove @Reads");
  }

  /** What a kernel may not take is not told again as an annotation without effect. */
  @Test
  void mistakeInARecordIsToldOnce() {
    with("record Column(@Reads float[] values) {}", "Column «column").are(Problem.STRUCT_FIELD);
    Mistakes.in(
            Sources.kernels(
                "record Column(DeviceArray<int[]> values) {}\n"
                    + "@Kernel void first(Column «column, @ThreadCount int n);\n"
                    + "@Kernel void second(Column column, @ThreadCount int n);"))
        .are(Problem.MISSING_ACCESS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Column | record Column<T>(long rows) {} | GENERIC",
        "Column | record Column() {} | STRUCT_SIZE",
        "Outer.Column | class Outer { private record Column(long rows) {} } | HIDDEN_STRUCT",
      })
  void aRecordThatNoKernelCanTakeIsToldOnce(String name, String record, Problem problem) {
    Mistakes.in(
            Sources.kernels(
                record
                    + "\n@Kernel void first("
                    + name
                    + " «column, @ThreadCount int n);\n@Kernel void second("
                    + name
                    + " column, @ThreadCount int n);"))
        .are(problem);
  }

  @Test
  void hostMemoryInARecordIsUploadedFirst() {
    with("record Column(float[] values) {}", "Column «column")
        .are(
            Problem.STRUCT_FIELD,
            "'column' is the record Column, whose values has type float[]; a kernel cannot reach"
                + " host memory: upload it and take a DeviceArray<float[]>");
    with("record Column(Integer rows) {}", "Column «column")
        .are(
            Problem.STRUCT_FIELD,
            "'column' is the record Column, whose rows has type Integer; a kernel takes primitives:"
                + " use int");
  }

  @Test
  void numberOfARecordIsNotTrusted() {
    with("record Column(@Trusted(\"sure\") long rows) {}", "Column «column")
        .are(Problem.TRUSTED_SCALAR, "'column.rows' is a long, not an array; remove @Trusted");
  }

  @Test
  void trustInARecordNeedsAReason() {
    with("record Column(@Trusted(\" \") @Reads DeviceArray<int[]> values) {}", "Column «column")
        .are(
            Problem.TRUSTED_WITHOUT_REASON,
            "@Trusted on 'column.values' gives no reason; say why the declared access is right");
  }

  @Test
  void accessOfAnotherConstructorOfARecordIsAStray() {
    Mistakes.in(
            Sources.importing(
                "record Column(@Reads DeviceArray<int[]> values) {\n"
                    + "  Column(«@Writes DeviceArray<int[]> one, int n) { this(one); }\n}\n"))
        .are(Problem.STRAY_ANNOTATION);
  }

  @Test
  void recordHasNoRecords() {
    with("record Inner(int x) {}\nrecord Outer(Inner inner) {}", "Outer «outer")
        .are(Problem.STRUCT_FIELD);
  }

  @Test
  void recordNeedsFields() {
    with("record Empty() {}", "Empty «empty")
        .are(
            Problem.STRUCT_SIZE,
            "'empty' is the record Empty with 0 fields; a structure has 1 to 64");
    String fields =
        IntStream.range(0, 65).mapToObj(i -> "int f" + i).collect(Collectors.joining(", "));
    with("record Wide(" + fields + ") {}", "Wide «wide").are(Problem.STRUCT_SIZE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "record Pair(float x, int hashCode) {}",
        "record Pair(float notify, float wait) {}",
        "record Pair(float x, float y) { private float x() { return x; } }",
      })
  void aRecordThatTheCompilerRefusesIsLeftToIt(String record) {
    with(record, "Pair pair").isLeftToTheCompiler();
  }

  @Test
  void recordHasNoTypeParameter() {
    with("record Of<T>(int x) {}", "Of<String> «of")
        .are(
            Problem.GENERIC,
            "Of has the type parameter T; kernels are compiled for fixed types, so remove it");
  }

  @Test
  void recordMustBeVisibleToTheLauncher() {
    Mistakes.in(
            Sources.importing(
                "class Outer {\n  private record Hidden(int x) {}\n"
                    + "  @KernelModule(\"k.ptx\")\n  interface Kernels {"
                    + " @Kernel void run(Hidden «hidden, @ThreadCount int n); }\n}\n"))
        .are(
            Problem.HIDDEN_STRUCT,
            "'hidden' has type Outer.Hidden, which the launcher cannot access; make it and its"
                + " enclosing types accessible to the launcher");
  }

  @Test
  void recordHasNoAccess() {
    with("record Pair(int x, int y) {}", "«@Reads Pair pair")
        .are(
            Problem.ANNOTATION_ON_STRUCT,
            "'pair' is the record Pair and is passed by value; remove @Reads: the accesses of its"
                + " arrays are declared on its components");
  }

  @Test
  void numberIsNotTrusted() {
    with("", "«@Trusted(\"sure\") int x")
        .are(Problem.TRUSTED_SCALAR, "'x' is an int, not an array; remove @Trusted");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "«@Trusted(\"sure\") LaunchShape s | TRUSTED_SCALAR",
        "@Trusted(\"sure\") «@Reads int x | ACCESS_ON_SCALAR",
        "@Trusted(\"sure\") «@Reads long x | UNSUPPORTED_TYPE",
        "@Trusted(\"sure\") @Reads float[] «x | UNSUPPORTED_TYPE",
        "@Trusted(\"sure\") @Reads java.nio.ByteBuffer «x | UNSUPPORTED_TYPE",
        "@Trusted(\"sure\") Integer «x | UNSUPPORTED_TYPE",
      })
  void trustBesideAWrongTypeIsOneMistake(String parameter, Problem problem) {
    String shape = parameter.contains("LaunchShape") ? "" : ", @ThreadCount int n";
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Kernels { @Kernel void run("
                    + parameter
                    + shape
                    + "); }"))
        .are(problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "\\t\\n",
        "\\u00a0",
        "\\u00ad",
        "\\u200b\\u200d",
        "\\ufeff",
        "\\u2060",
        "\\u202e",
        "\\u3164",
        "\\u115f\\u1160",
        "\\uffa0",
        "\\u2800",
        "\\udb40\\udc20",
        "...",
        "-"
      })
  void trustNeedsAReason(String blank) {
    with("", "@Trusted(«\"" + blank + "\") @Reads DeviceArray<int[]> x")
        .are(
            Problem.TRUSTED_WITHOUT_REASON,
            "@Trusted on 'x' gives no reason; say why the declared access is right");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "1", "\\u5b57", "\\u200bread only", "\\u00e9"})
  void reasonNeedsALetterOrADigit(String reason) {
    with("", "@Trusted(\"" + reason + "\") @Reads DeviceArray<int[]> x").areNone();
  }

  @Test
  void recordOfAnotherPackageMustBePublic() {
    Mistakes.in(
            "package lib;\nimport dev.streamfence.annotation.*;\n"
                + "@SuppressWarnings(\"streamfence:KernelWithoutLauncher\")\n"
                + "public interface Base { @Kernel void run(@ThreadCount int n, Box box); }\n"
                + "record Box(int x) {}\n",
            Sources.importing("@KernelModule(\"k.ptx\")\n«interface Kernels extends lib.Base {}\n"))
        .are(Problem.HIDDEN_STRUCT);
  }
}
