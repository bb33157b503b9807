package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.BUFFER_ELEMENT;
import static dev.streamfence.processor.diagnostic.Problem.CONFLICTING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.READ_ONLY_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays that a kernel must not write, by their type. */
class ReadOnlyTypesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ReadableArray<float[]>",
        "ReadableArray<float[]>[]",
        "ReadableArray<?>[]",
        "java.util.List<ReadableArray<float[]>>",
        "java.util.List<? extends ReadableArray<float[]>>",
        "java.util.List<? extends ReadableArray<?>>"
      })
  void kernelsReadThem(String type) {
    Mistakes.inKernels("@Kernel void run(@Reads " + type + " x, @ThreadCount int n);").areNone();
    Mistakes.in(
            Sources.kernels("@Kernel void run(Group group, @ThreadCount int n);")
                + "record Group(@Reads "
                + type
                + " x) {}")
        .areNone();
  }

  @ParameterizedTest
  @CsvSource({
    "Writes, ReadableArray<float[]>, DeviceArray<float[]>",
    "ReadWrites, ReadableArray<float[]>, DeviceArray<float[]>",
    "Writes, ReadableArray<int[]>[], DeviceArray<int[]>[]",
    "Writes, ReadableArray<?>[], DeviceArray<?>[]",
    "Writes, List<ReadableArray<byte[]>>, List<DeviceArray<byte[]>>",
    "ReadWrites, List<? extends ReadableArray<?>>, List<? extends DeviceArray<?>>"
  })
  void kernelsDoNotWriteThem(String access, String type, String writable) {
    String qualified = type.replace("List", "java.util.List");
    String problem =
        " has type "
            + type
            + ", which a kernel must not write; take "
            + writable
            + ", or declare @Reads";
    Mistakes.inKernels(
            "@Kernel void run(«@" + access + " " + qualified + " out, @ThreadCount int n);")
        .are(READ_ONLY_TYPE, "'out'" + problem);
    Mistakes.in(
            Sources.kernels("@Kernel void run(Group «group, @ThreadCount int n);")
                + "record Group(@"
                + access
                + " "
                + qualified
                + " out) {}")
        .are(READ_ONLY_TYPE, "'group.out'" + problem);
  }

  @Test
  void eachArrayThatIsWrittenIsReported() {
    Mistakes.inKernels(
            "@Kernel void run(@Reads ReadableArray<int[]> a, «@Writes ReadableArray<int[]> b,"
                + " «@ReadWrites ReadableArray<int[]> c, @ThreadCount int n);")
        .are(READ_ONLY_TYPE, READ_ONLY_TYPE);
  }

  @Test
  void anotherMistakeOfTheArrayIsTheOnlyOne() {
    Mistakes.inKernels("@Kernel void run(@Writes ReadableArray<Float> «x, @ThreadCount int n);")
        .are(
            BUFFER_ELEMENT,
            "'x' has type ReadableArray<Float>; use an array of primitives, such as"
                + " ReadableArray<float[]>");
    Mistakes.inKernels(
            "@Kernel void run(@Reads «@Writes ReadableArray<int[]> x, @ThreadCount int n);")
        .are(CONFLICTING_ACCESS, "@Writes contradicts @Reads on 'x'; use @ReadWrites for both");
    Mistakes.inKernels("@Kernel void run(ReadableArray<int[]> «x, @ThreadCount int n);")
        .are(MISSING_ACCESS, "parameter 'x' of run needs @Reads, @Writes or @ReadWrites");
  }

  @Test
  void anInheritedParameterIsReportedWhereItsElementIsKnown() {
    Mistakes.in(
            Sources.importing(
                "@SuppressWarnings(\"streamfence:KernelWithoutLauncher\")\ninterface Base<A> {"
                    + " @Kernel void run(@Writes ReadableArray<A> x, @ThreadCount int n); }"),
            Sources.importing(
                "@KernelModule(\"k.ptx\")\n«interface Kernels extends Base<float[]> {}"))
        .are(
            READ_ONLY_TYPE,
            "'x' has type ReadableArray<float[]>, which a kernel must not write; take"
                + " DeviceArray<float[]>, or declare @Reads (inherited from Base)");
  }

  @Test
  void aForeignTypeWithTheNameIsNoArray() {
    Mistakes.in(
            Sources.kernels("@Kernel void run(other.ReadableArray<int[]> «x, @ThreadCount int n);"),
            "package other;\npublic class ReadableArray<A> {}")
        .are(UNSUPPORTED_TYPE);
  }

  @Test
  void aVariableThatTheHostOnlyReadsIsNoMistake() {
    Mistakes.inKernels(
            "@Symbol ReadableArray<int[]> dropped(); @Kernel void run(@ThreadCount int n);")
        .areNone();
  }
}
