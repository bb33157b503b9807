package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static dev.streamfence.processor.UserBuild.javac;
import static dev.streamfence.processor.diagnostic.Problem.BUFFER_ELEMENT;
import static dev.streamfence.processor.diagnostic.Problem.ELEMENT_WIDTH;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.RECORD_ELEMENT;
import static dev.streamfence.processor.diagnostic.Problem.SYMBOL_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Arrays of records as parameters of kernels and components of records. */
class RecordElementsTest {
  private static final String POINT = "record Point(float x, double y, byte tag) {}\n";

  @TempDir private Path folder;

  private static Mistakes with(String types, String parameter) {
    return Mistakes.in(
        Sources.kernels("@Kernel void run(" + parameter + ", @ThreadCount int n);") + types);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "@Reads DeviceArray<Point[]> p                   | .reads(\"p\", Point[].class)",
        "@Reads ReadableArray<Point[]> p                 | .reads(\"p\", Point[].class)",
        "@Writes @Optional DeviceArray<Point[]> p        | .writes(\"p\", Point[].class).optional()",
        "@ReadWrites DeviceArray<Point[]>[] p            | .readWrites(\"p\", Point[][].class)",
        "@Reads java.util.List<ReadableArray<Point[]>> p | .reads(\"p\", Point[][].class)",
      })
  void recordOfPrimitivesIsAnElement(String parameter, String signature) {
    Mistakes alone = with(POINT, parameter);
    alone.areNone();
    assertThat(alone.launcher()).contains(signature);
    Mistakes inRecord = with(POINT + "record Group(" + parameter + ", int i) {}", "Group group");
    inRecord.areNone();
    assertThat(inRecord.launcher()).contains(signature);
  }

  /** Names that need their encloser or their package, in code without a warning. */
  @Test
  void launcherNamesTheRecordWhereverItIs() {
    Compilation compilation =
        javac()
            .withOptions("-Xlint:all,-processing", "-Werror")
            .withProcessors(new KernelProcessor())
            .compile(
                Sources.file(
                    """
                    package geometry;
                    public interface Shapes {
                      record Point(double x, double y) {}
                      @Deprecated(forRemoval = true) record Old(int x) {}
                    }
                    """),
                Sources.file(
                    """
                    package demo;
                    import dev.streamfence.*;
                    import dev.streamfence.foreign.*;
                    import dev.streamfence.launch.*;
                    import dev.streamfence.memory.*;
                    import dev.streamfence.annotation.*;
                    import java.util.List;
                    @KernelModule("k.ptx")
                    @SuppressWarnings({"streamfence:UnseenModule", "removal"})
                    interface Kernels {
                      record Point(int x) {}
                      @Kernel
                      void run(@Reads DeviceArray<Point[]> near, @Reads DeviceArray<geometry.Shapes.Point[]> far,
                          @Writes List<? extends DeviceArray<geometry.Shapes.Point[]>> out,
                          @Reads DeviceArray<geometry.Shapes.Old[]> old, @ThreadCount int n);
                    }
                    """));
    assertThat(compilation).succeededWithoutWarnings();
    assertThat(compilation)
        .generatedSourceFile("demo.KernelsLauncher")
        .contentsAsUtf8String()
        .contains("public void run(DeviceArray<Kernels.Point[]> near,");
  }

  @Test
  void elementHasPrimitivesOnly() {
    with("record Named(int id, String name) {}", "@Reads DeviceArray<Named[]> «named")
        .are(
            RECORD_ELEMENT,
            "'named' has type DeviceArray<Named[]>; name of Named has type String; all components of"
                + " such a record are primitives");
    with(
            "record Named(int id, String name) {} record Group(@Reads DeviceArray<Named[]> all) {}",
            "Group «group")
        .are(
            RECORD_ELEMENT,
            "'group.all' has type DeviceArray<Named[]>; name of Named has type String; all components"
                + " of such a record are primitives");
    with(POINT + "record Line(Point from, Point to) {}", "@Reads DeviceArray<Line[]> «lines")
        .are(RECORD_ELEMENT);
  }

  @Test
  void aRecordThatIsNoElementIsToldOnce() {
    Mistakes.in(
            Sources.kernels(
                "@Kernel void first(@Reads DeviceArray<Named[]> «x, @Reads DeviceArray<Named[]> y,"
                    + " @ThreadCount int n);\n@Kernel void second(@Reads DeviceArray<Named[]>[] z,"
                    + " @ThreadCount int n);\nrecord Named(int id, String name) {}"))
        .are(RECORD_ELEMENT);
  }

  @Test
  void aRecordThatIsNoElementIsReadAsAValueAsWell() {
    Mistakes.in(
            Sources.kernels(
                "@Kernel void first(@Reads DeviceArray<Holder[]> «x, @ThreadCount int n);\n"
                    + "@Kernel void second(Holder «h, @ThreadCount int n);\n"
                    + "record Holder(int id, DeviceArray<int[]> ids) {}"))
        .are(RECORD_ELEMENT, MISSING_ACCESS);
  }

  @Test
  void elementHasFields() {
    with("record Empty() {}", "@Reads DeviceArray<Empty[]> «e")
        .are(
            RECORD_ELEMENT,
            "'e' has type DeviceArray<Empty[]>; Empty has 0 components; such a record has 1 to 64");
    String fields =
        IntStream.range(0, 65).mapToObj(i -> "int f" + i).collect(Collectors.joining(", "));
    with("record Wide(" + fields + ") {}", "@Reads DeviceArray<Wide[]> «wide").are(RECORD_ELEMENT);
  }

  @Test
  void elementHasNoTypeParameter() {
    with("record Of<T>(int x) {}", "@Reads DeviceArray<Of<String>[]> «of")
        .are(
            RECORD_ELEMENT,
            "'of' has type DeviceArray<Of<String>[]>; Of has the type parameter T; kernels are compiled"
                + " for fixed types, so remove it");
  }

  @Test
  void elementMustBeVisibleToTheLauncher() {
    Mistakes.in(
            Sources.importing(
                "class Outer {\n  private record Hidden(int x) {}\n"
                    + "  @KernelModule(\"k.ptx\")\n  interface Kernels { @Kernel void run("
                    + "@Reads DeviceArray<Hidden[]> «h, @ThreadCount int n); }\n}\n"))
        .are(
            RECORD_ELEMENT,
            "'h' has type DeviceArray<Outer.Hidden[]>; the launcher cannot access Hidden; make it and"
                + " its enclosing types accessible to the launcher");
  }

  @Test
  void arrayOfRecordsNeedsAnAccess() {
    with(POINT, "DeviceArray<Point[]> «p")
        .are(MISSING_ACCESS, "parameter 'p' of run needs @Reads, @Writes or @ReadWrites");
  }

  @Test
  void columnsVariablesAndOtherClassesHaveNoRecords() {
    with(POINT, "@Reads dev.streamfence.column.DeviceColumn<Point[]> «p")
        .are(
            BUFFER_ELEMENT,
            "'p' has type DeviceColumn<Point[]>; use an array of primitives, such as"
                + " DeviceColumn<float[]>");
    with("class Point {}", "@Reads DeviceArray<Point[]> «p").are(BUFFER_ELEMENT);
    with(POINT, "@Reads DeviceArray<Point> «p")
        .are(
            BUFFER_ELEMENT,
            "'p' has type DeviceArray<Point>; use an array of records, DeviceArray<Point[]>");
    Mistakes.in(
            Sources.kernels(
                    "@Kernel void run(@ThreadCount int n);\n@Symbol DeviceArray<Point[]> «p();")
                + POINT)
        .are(SYMBOL_TYPE);
  }

  @Test
  void recordsOfTheHostAreUploaded() {
    with(POINT, "Point[] «p")
        .are(
            UNSUPPORTED_TYPE,
            "'p' has type Point[]; a kernel cannot reach host memory: upload it and take a"
                + " DeviceArray<Point[]>");
  }

  /** One store of {@code width} bytes for each thread, at a distance of {@code stride}. */
  private Mistakes storing(int width, int stride, String components) {
    String text =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry run(.param .u64 p, .param .u32 n)
        {
          .reg .b32 %%r<4>;
          .reg .b64 %%rd<4>;
          ld.param.u64 %%rd1, [p];
          mov.u32 %%r1, %%tid.x;
          mul.wide.u32 %%rd2, %%r1, %d;
          add.s64 %%rd3, %%rd1, %%rd2;
          st.global.u%d [%%rd3], 1;
          ret;
        }
        """
            .formatted(stride, 8 * width);
    return Mistakes.in(
        Resources.in(folder).with("k.ptx", text.getBytes(UTF_8)),
        Sources.kernels("@Kernel void run(@Writes DeviceArray<Pair[]> «p, @ThreadCount int n);")
            + ("record Pair(" + components + ") {}"));
  }

  @Test
  void elementWidthIsComparedWithThatOfTheRecord() {
    storing(4, 8, "int a, int b").areNone();
    storing(8, 8, "int a, int b").areNone();
    // A kernel may take numbers of one type one by one.
    storing(4, 4, "int a, int b").areNone();
    storing(4, 4, "int a, short b")
        .say(
            "["
                + ELEMENT_WIDTH.id()
                + "] parameter 'p' of run is Pair[], whose elements have 8 bytes,"
                + " but the kernel only touches words of 4 bytes at a stride of 4");
  }

  @Test
  void aKernelForWiderWordsThanFourBytesTakesAnArrayOfThese() {
    String stores =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry run(.param .u64 p, .param .u32 n)
        {
          .reg .b32 %%r<4>;
          .reg .b64 %%rd<4>;
          .reg .f64 %%f;
          ld.param.u64 %%rd1, [p];
          mov.u32 %%r1, %%tid.x;
          mul.wide.u32 %%rd2, %%r1, 8;
          add.s64 %%rd3, %%rd1, %%rd2;
          st.global.%s [%%rd3], %s;
          ret;
        }
        """;
    String source =
        Sources.kernels("@Kernel void run(@Writes DeviceArray<Four[]> «p, @ThreadCount int n);")
            + "record Four(int a, int b, int c, int d) {}";

    Mistakes.in(
            Resources.in(folder).with("k.ptx", stores.formatted("u64", "1").getBytes(UTF_8)),
            source)
        .say("; take a DeviceArray<long[]> or DeviceArray<double[]>; ");
    Mistakes.in(
            Resources.in(folder).with("k.ptx", stores.formatted("f64", "%f").getBytes(UTF_8)),
            source)
        .say("; take a DeviceArray<double[]>; ");
  }
}
