package dev.streamfence.processor;

import static dev.streamfence.processor.KernelCode.kernel;
import static dev.streamfence.processor.KernelCode.kernels;
import static dev.streamfence.processor.KernelCode.mistakesIn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.processor.diagnostic.Problem;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Declared bounds, and limits of the numbers in arrays, that the code does not keep. */
class BoundsMistakesTest {
  @TempDir private Path folder;

  @Test
  void boundsThatTheCodeDoesNotShowAreAnErrorWhereTheyAreRequired() {
    byte[] code =
        kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", KernelCode.SCATTER);
    String declared =
        "@Kernel%s void run(@Reads DeviceArray<int[]> a, @Trusted(\"any of them\") @Writes DeviceArray<int[]> %sb,"
            + " @ThreadCount int n);";

    mistakesIn(folder, code, kernels(declared.formatted("(bounds = Bounds.REQUIRED)", "«")))
        .are(
            Problem.UNPROVED_BOUNDS,
            "parameter 'b' of run has no provable bounds: the index is a value that the kernel"
                + " loads or receives, and nothing limits it from above: st.global.u32 in line 14 of"
                + " k/k.ptx;"
                + " limit the index by a comparison with a number of the launch, declare the limit of"
                + " numbers that are loaded as @Reads(below = ...), or remove bounds ="
                + " Bounds.REQUIRED");
    mistakesIn(folder, code, kernels(declared.formatted("", ""))).areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted("(bounds = Bounds.CHECKED)", "")))
        .areNoneAtAll();
  }

  @Test
  void anOptionListsTheBoundsOfEachArray() {
    byte[] code =
        kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", KernelCode.SCATTER);
    String source =
        kernels(
            "@Kernel void run(@Reads DeviceArray<int[]> a, @Trusted(\"any of them\") @Writes DeviceArray<int[]> b,"
                + " @ThreadCount int n);");

    Mistakes.in(
            Resources.in(folder).with("k/k.ptx", code),
            List.of("-Astreamfence.bounds"),
            Sources.importing("@KernelModule(\"k/k.ptx\")\n" + source))
        .say(
            "bounds of run: 'a' provable and checked at launch; 'b' unknown (the index is a value"
                + " that the kernel loads or receives, and nothing limits it from above); races: unknown:"
                + " the index is loaded, and numbers that are distinct would not keep the threads"
                + " apart ('b')");
    assertThat(mistakesIn(folder, code, source).launcher())
        .contains("<p>Bounds: 'a' provable and checked at launch; 'b' unknown")
        .contains("<p>Races: unknown: the index is loaded, and numbers that are distinct");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "below = \"b\", least = -1 | negative | ",
        "atMost = \"b\" | beyond the array | ",
        "below = \"b\", least = -1 | negative | guarded",
        "atMost = \"b\" | beyond the array | guarded",
      })
  void aLimitThatLeavesTheArrayProvesNothing(String limit, String where, String guarded) {
    String guard =
        guarded == null
            ? ""
            : "ld.param.u32 %r9, [n];\nsetp.ge.s32 %p1, %r1, %r9;\n@%p1 bra END;\n";
    byte[] code =
        kernel(
            "sm_75",
            ".param .u64 a, .param .u64 b, .param .u32 n",
            KernelCode.SCATTER
                    .replace("mul.wide.u32 %rd5, %r2, 4;", "mul.wide.s32 %rd5, %r2, 4;")
                    .replace("ld.global.u32 %r2", guard + "ld.global.u32 %r2")
                + "\nEND:");
    String declared =
        "@Kernel%s void run(@Reads(%s) DeviceArray<int[]> a,"
            + " @Trusted(\"any of them\") @Writes DeviceArray<int[]> %sb, @ThreadCount int n);";
    String reason = "the index may be " + where + " as the numbers in 'a' are declared";

    assertThat(mistakesIn(folder, code, kernels(declared.formatted("", limit, ""))).launcher())
        .contains("'b' unknown (" + reason + ")");
    mistakesIn(folder, code, kernels(declared.formatted("(bounds = Bounds.REQUIRED)", limit, "«")))
        .are(
            Problem.UNPROVED_BOUNDS,
            "parameter 'b' of run has no provable bounds: "
                + reason
                + "; limit the index by a comparison with a number of the launch, declare the limit"
                + " of numbers that are loaded as @Reads(below = ...), or remove bounds ="
                + " Bounds.REQUIRED");
  }

  @Test
  void numbersWithADeclaredLimitProveBoundsUnderThatCondition() {
    byte[] code =
        kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", KernelCode.SCATTER);
    String declared =
        "@Kernel(bounds = Bounds.REQUIRED) void run(@Reads(%s) DeviceArray<int[]> a,"
            + " @Trusted(\"any of them\") @Writes DeviceArray<int[]> b, @ThreadCount int n);";
    String proved = "'b' provable if the numbers in 'a' are as declared";

    Mistakes below = mistakesIn(folder, code, kernels(declared.formatted("below = \"b\"")));
    below.areNoneAtAll();
    assertThat(below.launcher())
        .contains(".reads(\"a\", int[].class).below(\"b\")\n")
        .contains("<p>Bounds: 'a' provable and checked at launch; " + proved);
    Mistakes both =
        mistakesIn(
            folder, code, kernels(declared.formatted("below = {\"b\", \"n\"}, atMost = \"a\"")));
    both.areNoneAtAll();
    assertThat(both.launcher())
        .contains(".reads(\"a\", int[].class).below(\"b\").below(\"n\").atMost(\"a\")");
  }

  @Test
  void aProofNamesOnlyTheNumbersThatItNeeds() {
    String twice =
        KernelCode.SCATTER
            + """

            ld.param.u64 %rd7, [c];
            ld.param.u64 %rd8, [d];
            add.s64 %rd4, %rd7, %rd3;
            ld.global.u32 %r2, [%rd4];
            mul.wide.u32 %rd5, %r2, 4;
            add.s64 %rd6, %rd8, %rd5;
            st.global.u32 [%rd6], %r1;""";
    String parameters = ".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 n";
    String declared =
        "@Kernel(bounds = Bounds.REQUIRED) void run(@Reads(below = \"b\") DeviceArray<int[]> a,"
            + " @Trusted(\"any\") @Writes DeviceArray<int[]> b,"
            + " @Reads(below = \"d\") dev.streamfence.column.DeviceColumn<int[]> c,"
            + " @Trusted(\"any\") @Writes dev.streamfence.column.DeviceColumn<int[]> d, @ThreadCount int n);";
    Mistakes mistakes = mistakesIn(folder, kernel("sm_75", parameters, twice), kernels(declared));
    mistakes.areNoneAtAll();
    assertThat(mistakes.launcher())
        .contains(
            "'b' provable if the numbers in 'a' are as declared",
            "'d' provable if the numbers in 'c' are as declared");
  }

  @Test
  void aLimitOfAnArrayToWhichTheKernelMayStoreDoesNotCount() {
    String either =
        KernelCode.SCATTER.replace(
            "add.s64 %rd6, %rd2, %rd5;",
            "setp.eq.s32 %p1, %r1, 0; selp.b64 %rd7, %rd1, %rd2, %p1; add.s64 %rd6, %rd7, %rd5;"
                + " add.s64 %rd8, %rd2, %rd5; st.global.u32 [%rd8], %r1;");
    Mistakes mistakes =
        mistakesIn(
            folder,
            kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", either),
            kernels(
                "@Kernel void run(@Trusted(\"never\") @Reads(below = \"b\") DeviceArray<int[]> a,"
                    + " @Trusted(\"any\") @Writes DeviceArray<int[]> b, @ThreadCount int n);"));
    assertThat(mistakes.launcher().replaceAll("\\s+(\\* )?", " "))
        .contains(
            "'b' unknown (the index is a value that the kernel loads from an array to which it may"
                + " store, so the declared limit of its numbers does not count");
  }

  @Test
  void aLimitThatIsMissingIsReportedWithTheFirstOfManyNames() {
    Mistakes.inKernels(
            "@Kernel void run(@Reads(below = «\"m\") DeviceArray<int[]> x, int a, int b, int c,"
                + " int d, int e, int f, int g, int h, @ThreadCount int n);")
        .are(
            Problem.UNKNOWN_LIMIT,
            "'x' has numbers below 'm', which is neither an array nor a whole number of run; name"
                + " one of 'x', 'a', 'b', 'c', 'd', 'e', 'f', 'g' and 2 more");
  }

  @Test
  void aProofThatOnlyTheLimitMakesNarrowEnoughNamesTheCondition() {
    // A byte is at most 255 without a declaration.
    String bytes =
        KernelCode.SCATTER
            .replace("mul.wide.u32 %rd3, %r1, 4;", "cvt.u64.u32 %rd3, %r1;")
            .replace("ld.global.u32 %r2", "ld.global.u8 %r2");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", bytes);
    String declared =
        "@Kernel void run(@Reads%s DeviceArray<byte[]> a,"
            + " @Trusted(\"any of them\") @Writes DeviceArray<int[]> b, @ThreadCount int n);";
    for (String limit : new String[] {"n", "b"}) {
      String limited = declared.formatted("(below = \"" + limit + "\")");
      assertThat(mistakesIn(folder, code, kernels(limited)).launcher())
          .contains("'b' provable if the numbers in 'a' are as declared");
    }
    assertThat(mistakesIn(folder, code, kernels(declared.formatted(""))).launcher())
        .contains("'b' provable.");
  }

  @Test
  void anIndexThatIsNegativeInEveryLaunchIsNotProvable() {
    // A byte with a sign is at least -128, however long the array is.
    String bytes =
        KernelCode.SCATTER
            .replace("mul.wide.u32 %rd3, %r1, 4;", "cvt.u64.u32 %rd3, %r1;")
            .replace("ld.global.u32 %r2", "ld.global.s8 %r2")
            .replace("mul.wide.u32 %rd5, %r2, 4;", "mul.wide.s32 %rd5, %r2, 4;");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", bytes);
    String declared =
        "@Kernel%s void run(@Reads DeviceArray<byte[]> a,"
            + " @Trusted(\"any of them\") @Writes DeviceArray<int[]> %sb, @ThreadCount int n);";
    assertThat(mistakesIn(folder, code, kernels(declared.formatted("", ""))).launcher())
        .contains("'b' unknown (the index may be negative)");
    mistakesIn(folder, code, kernels(declared.formatted("(bounds = Bounds.REQUIRED)", "«")))
        .are(
            Problem.UNPROVED_BOUNDS,
            "parameter 'b' of run has no provable bounds: the index may be negative; limit the index"
                + " by a comparison with a number of the launch, declare the limit of numbers that"
                + " are loaded as @Reads(below = ...), or remove bounds = Bounds.REQUIRED");
  }

  @Test
  void theLeastNumberBelongsToALimit() {
    Mistakes limited =
        Mistakes.inKernels(
            "@Kernel void run(@Reads(below = \"n\", least = -1) DeviceArray<int[]> x,"
                + " @Reads(atMost = \"n\", least = -5_000_000_000L) DeviceArray<long[]> y,"
                + " @ThreadCount int n);");
    assertThat(limited.launcher())
        .contains(".below(\"n\").least(-1)", ".atMost(\"n\").least(-5000000000L)");
    Mistakes needless =
        Mistakes.inKernels(
            "@Kernel void run(@Reads(least = «-1) DeviceArray<int[]> x, @ThreadCount int n);");
    needless.areWarning(
        Problem.NEEDLESS_LEAST,
        "'x' declares least, but neither below nor atMost; remove least, or name the limit");
    // A warning does not cost the launcher.
    assertThat(needless.launcher()).contains(".reads(\"x\", int[].class)");
  }

  @ParameterizedTest
  @CsvSource({
    "long, below = \"x\", 9223372036854775807, below 'x'",
    "int, below = \"x\", 2147483648, below 'x'",
    "int, atMost = \"n\", 2147483648, at most 'n'",
    "byte, atMost = \"n\", 128, at most 'n'",
  })
  void aNumberCanBeTheLeast(String type, String limit, long least, String inWords) {
    String kernel =
        "@Kernel void run(@Reads(%s, least = %s%dL) DeviceArray<%s[]> x, @ThreadCount int n);";
    Mistakes.inKernels(kernel.formatted(limit, "«", least, type))
        .are(
            Problem.LEAST_TOO_LARGE,
            "'x' declares least = %d, but no %s is at least that and %s; declare the least of its"
                    .formatted(least, type, inWords)
                + " numbers");
    Mistakes.inKernels(kernel.formatted(limit, "", least - 1, type)).areNone();
  }

  @Test
  void componentsOfARecordLimitEachOther() {
    Mistakes mistakes =
        Mistakes.inKernels(
            "record Rows(@Reads(atMost = \"values\") DeviceArray<int[]> ends,"
                + " @Reads(below = \"n\") DeviceArray<long[]> columns,"
                + " @Reads DeviceArray<float[]> values) {}"
                + " @Kernel void run(Rows rows, @ThreadCount int n);");
    assertThat(mistakes.launcher())
        .contains(
            ".reads(\"ends\", int[].class).atMost(\"values\")",
            ".reads(\"columns\", long[].class).below(\"n\")");
  }

  @ParameterizedTest
  @CsvSource({
    "DeviceArray<float[]>, below = «\"x\", below",
    "DeviceArray<char[]>, atMost = «\"n\", atMost",
    "DeviceArray<int[]>[], below = «\"n\", below"
  })
  void onlyWholeNumbersHaveLimits(String type, String limit, String attribute) {
    Mistakes.inKernels(
            "@Kernel void run(@Reads(" + limit + ") " + type + " x, @ThreadCount int n);")
        .are(
            Problem.NOT_WHOLE,
            "'x' is " + type + "; remove " + attribute + ", which is for arrays of whole numbers");
  }

  @ParameterizedTest
  @CsvSource({
    "below = «\"other\", below 'other'",
    "atMost = «\"\", at most ''",
    "below = «\"factor\", below 'factor'",
    "below = «\"all\", below 'all'"
  })
  void aLimitIsALengthOrAWholeNumber(String limit, String named) {
    Mistakes.inKernels(
            "@Kernel void run(@Reads("
                + limit
                + ") DeviceArray<int[]> x, float factor, @Reads DeviceArray<int[]>[] all,"
                + " @ThreadCount int n);")
        .are(
            Problem.UNKNOWN_LIMIT,
            "'x' has numbers "
                + named
                + ", which is neither an array nor a whole number of run; name one of 'x', 'n'");
  }

  @Test
  void aWarningIsNoReasonToLeaveOutTheProofOfBounds() {
    String own =
        ".reg .f32 %f<4>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd4, [x];"
            + " mov.u32 %r3, %tid.x; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd5, %rd4, %rd2;"
            + " ld.global.u32 %r4, [%rd5]; mul.wide.u32 %rd6, %r4, 4; add.s64 %rd3, %rd1, %rd6;\n"
            + "ld.global.f32 %f1, [%rd3]; add.f32 %f2, %f1, %f1;";
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 x, .param .u32 n", own);
    String kernel =
        "@SuppressWarnings(\"streamfence:ElementWidth\") @Kernel(bounds = Bounds.REQUIRED)"
            + " void run(@Reads DeviceArray<int[]> «a, @Reads DeviceArray<int[]> x,"
            + " @ThreadCount int n);";

    mistakesIn(folder, code, kernels(kernel)).are(Problem.UNPROVED_BOUNDS);
  }
}
