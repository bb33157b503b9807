package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.ACCESS_ON_SCALAR;
import static dev.streamfence.processor.diagnostic.Problem.BUFFER_ELEMENT;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.NEEDLESS_ALIAS;
import static dev.streamfence.processor.diagnostic.Problem.READ_ONLY_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.STORES_THROUGH_READS;
import static dev.streamfence.processor.diagnostic.Problem.SYMBOL_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.UNSUPPORTED_TYPE;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Columns and tables of columns as parameters of kernels and components of records. */
class ColumnParametersTest {
  private static final String IMPORTS =
      "package demo;\nimport dev.streamfence.*; import dev.streamfence.foreign.*;"
          + " import dev.streamfence.launch.*; import dev.streamfence.memory.*;\n"
          + "import dev.streamfence.annotation.*;\n"
          + "import dev.streamfence.column.*;\nimport java.util.*;\n";

  @TempDir private Path folder;

  private static String kernels(String members) {
    return IMPORTS + "@KernelModule(\"k.ptx\")\ninterface Kernels {\n" + members + "\n}\n";
  }

  private static Mistakes with(String parameter) {
    return Mistakes.in(kernels("@Kernel void run(" + parameter + ", @ThreadCount int n);"));
  }

  private static Mistakes inRecord(String component) {
    return Mistakes.in(
        kernels("@Kernel void run(Group «group, @ThreadCount int n);")
            + "record Group("
            + component
            + ") {}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "@Reads ReadableColumn<float[]>                       | array | float[]",
        "@Reads DeviceColumn<byte[]>                          | array | byte[]",
        "@Writes DeviceColumn<long[]>                         | array | long[]",
        "@ReadWrites DeviceColumn<int[]>                      | array | int[]",
        "@Reads ReadableColumn<int[]>[]                       | table | int[][]",
        "@Writes DeviceColumn<?>[]                            | table | Object[]",
        "@Reads List<ReadableColumn<short[]>>                 | table | short[][]",
        "@ReadWrites List<? extends DeviceColumn<double[]>>   | table | double[][]",
        "@Reads List<? extends ReadableColumn<?>>             | table | Object[]",
        "@Reads DeviceTable                                   | table | Object[]",
        "@Writes DeviceTable                                  | table | Object[]",
        "@ReadWrites DeviceTable                              | table | Object[]",
        "@Reads DeviceArray<int[]>                            | array | int[]",
        "@Reads List<ReadableArray<int[]>>                    | table | int[][]",
      })
  void columnsStandForTheirValues(String type, String method, String array) {
    Mistakes parameter = with(type + " x");
    parameter.areNone();
    assertThat(parameter.launcher())
        .contains("recorder." + method + "(x).threads(n)")
        .contains("(\"x\", " + array + ".class)");
    Mistakes component =
        Mistakes.in(
            kernels("@Kernel void run(Group group, @ThreadCount int n);")
                + "record Group("
                + type
                + " x, int y) {}");
    component.areNone();
    assertThat(component.launcher())
        .contains("." + method + "(group.x())")
        .contains("(\"x\", " + array + ".class)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Writes     | ReadableColumn<float[]>             | DeviceColumn<float[]>",
        "ReadWrites | ReadableColumn<?>[]                 | DeviceColumn<?>[]",
        "Writes     | List<? extends ReadableColumn<?>>   | List<? extends DeviceColumn<?>>"
      })
  void readableColumnsAreNotWritten(String access, String type, String writable) {
    String problem =
        " has type "
            + type
            + ", which a kernel must not write; take "
            + writable
            + ", or declare @Reads";
    with("«@" + access + " " + type + " out").are(READ_ONLY_TYPE, "'out'" + problem);
    inRecord("@" + access + " " + type + " out").are(READ_ONLY_TYPE, "'group.out'" + problem);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DeviceColumn<int[]>",
        "ReadableColumn<?>[]",
        "DeviceTable",
        "List<DeviceColumn<?>>"
      })
  void columnsNeedAnAccess(String type) {
    with(type + " «x")
        .are(MISSING_ACCESS, "parameter 'x' of run needs @Reads, @Writes or @ReadWrites");
    inRecord(type + " x")
        .are(MISSING_ACCESS, "parameter 'group.x' of run needs @Reads, @Writes or @ReadWrites");
  }

  @ParameterizedTest
  @CsvSource({
    "DeviceColumn<?>, DeviceColumn",
    "ReadableColumn<Float>, ReadableColumn",
    "DeviceColumn, DeviceColumn",
    "List<DeviceColumn<String>>, DeviceColumn"
  })
  void columnsNameAnArrayOfAPrimitive(String type, String handle) {
    with("@Reads " + type + " «x")
        .are(
            BUFFER_ELEMENT,
            "'x' has type "
                + type
                + "; use an array of primitives, such as "
                + handle
                + "<float[]>");
  }

  @Test
  void onlyOneTableOfColumnsIsATable() {
    with("@Reads DeviceTable[] «x").are(UNSUPPORTED_TYPE);
    with("@Reads List<DeviceTable> «x").are(UNSUPPORTED_TYPE);
    with("@Reads ColumnType «x").are(UNSUPPORTED_TYPE);
  }

  @Test
  void theRowCountIsAnArrayOfItsOwn() {
    with("@Reads DeviceTable orders, @ReadWrites DeviceArray<int[]> rowCount").areNone();
    inRecord("@Reads DeviceTable orders, @Reads long rows").are(ACCESS_ON_SCALAR);
  }

  @Test
  void aTableOfColumnsMayAliasItself() {
    Mistakes.in(
            kernels(
                "@Kernel(mayAlias = true) void run(@ReadWrites DeviceTable t, @ThreadCount int n);"))
        .areNone();
    Mistakes.in(
            kernels(
                "@Kernel(mayAlias = «true) void run(@Reads DeviceColumn<int[]> c,"
                    + " @ThreadCount int n);"))
        .are(NEEDLESS_ALIAS);
  }

  @Test
  void theCodeIsComparedWithTheColumnsLikeWithArrays() throws Exception {
    String ptx =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry run(.param .u64 x, .param .u32 n)
        {
          .reg .b64 %rd<3>;
          ld.param.u64 %rd1, [x];
          cvta.to.global.u64 %rd2, %rd1;
          st.global.u32 [%rd2], 0;
          ret;
        }
        """;
    Resources code = Resources.in(folder).with("k.ptx", ptx);
    Mistakes.in(
            code, kernels("@Kernel void run(@Reads ReadableColumn<int[]> «x, @ThreadCount int n);"))
        .are(STORES_THROUGH_READS);
    Mistakes.in(
            code, kernels("@Kernel void run(@Writes DeviceColumn<int[]> x, @ThreadCount int n);"))
        .areNone();
  }

  @Test
  void aVariableIsNoColumn() {
    Mistakes.in(kernels("@Symbol DeviceColumn<int[]> «x(); @Kernel void run(@ThreadCount int n);"))
        .are(
            SYMBOL_TYPE,
            "x returns DeviceColumn<int[]>; a method with @Symbol returns an array of primitives,"
                + " such as DeviceArray<float[]>");
  }

  @Test
  void foreignTypesWithOurNamesAreWrittenWithTheirPackage() {
    Mistakes.in(
            Sources.kernels("@Kernel void run(other.DeviceTable «x, @ThreadCount int n);"),
            "package other;\npublic class DeviceTable {}")
        .are(
            UNSUPPORTED_TYPE,
            "'x' has type other.DeviceTable; a kernel takes primitives, DeviceArrays and"
                + " DeviceColumns of a primitive, arrays or Lists of these, DeviceTables, records of"
                + " these, and one LaunchShape");
  }
}
