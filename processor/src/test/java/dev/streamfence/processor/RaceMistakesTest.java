package dev.streamfence.processor;

import static dev.streamfence.processor.KernelCode.kernel;
import static dev.streamfence.processor.KernelCode.kernels;
import static dev.streamfence.processor.KernelCode.mistakesIn;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.processor.diagnostic.Problem;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that meet in one element, and declarations that keep them apart. */
class RaceMistakesTest {
  /** A store at a number that the thread loads, by the index of the thread in the grid. */
  private static final String OWN_SCATTER =
      KernelCode.SCATTER.replace(
          "mov.u32 %r1, %tid.x;",
          "mov.u32 %r3, %tid.x;\nmov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;"
              + "\nmad.lo.s32 %r1, %r4, %r5, %r3;");

  @TempDir private Path folder;

  @Test
  void numbersThatMayBeEqualAreAWarningUnlessTheyAreDeclaredToBeDistinct() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", OWN_SCATTER);
    String declared =
        "@Kernel%s void run(@Reads%s DeviceArray<int[]> a, %s @Writes DeviceArray<int[]> %sb,"
            + " @ThreadCount int n);";
    String what =
        "two threads access the same bytes of 'b' if numbers in 'a' are equal; both make the same"
            + " access: st.global.u32 in line 17 of k/k.ptx; ";

    mistakesIn(folder, code, kernels(declared.formatted("", "", "", "«")))
        .areWarning(
            Problem.DATA_DEPENDENT_RACE,
            "run: "
                + what
                + "use atomic operations, or declare the numbers as @Reads(distinct = true) if they"
                + " are, or add @Trusted(\"reason\") to the array");
    mistakesIn(folder, code, kernels(declared.formatted("", "", "@Trusted(\"last one wins\")", "")))
        .areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted("(races = Races.REFUSED)", "", "", "«")))
        .are(
            Problem.UNPROVED_RACES,
            "run is not proved to be free of races: "
                + what
                + "declare what is known of the numbers, as @Reads(distinct = true) or"
                + " @Reads(below = ...), or remove races = Races.REFUSED");
    Mistakes distinct =
        mistakesIn(
            folder,
            code,
            kernels(declared.formatted("(races = Races.REFUSED)", "(distinct = true)", "", "")));
    distinct.areNoneAtAll();
    assertThat(distinct.launcher())
        .contains(".reads(\"a\", int[].class).distinct()")
        .contains(
            "<p>Races: no two threads of a launch conflict if the numbers in 'a' are as declared");
  }

  @Test
  void numbersWithADeclaredLimitKeepThreadsInTheirRows() {
    String inOwnRow =
        OWN_SCATTER.replace(
            "mul.wide.u32 %rd5, %r2, 4;",
            "ld.param.u32 %r6, [n];\nmad.lo.s32 %r7, %r1, %r6, %r2;\nmul.wide.s32 %rd5, %r7, 4;");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", inOwnRow);
    String declared =
        "@Kernel(races = Races.REFUSED) void run(@Reads%s DeviceArray<int[]> a,"
            + " @Writes DeviceArray<int[]> b, @ThreadCount int n);";

    Mistakes limited = mistakesIn(folder, code, kernels(declared.formatted("(below = \"n\")")));
    limited.areNoneAtAll();
    assertThat(limited.launcher())
        .contains(
            "<p>Races: no two threads of a launch conflict if the numbers in 'a' are as declared");
    assertThat(mistakesIn(folder, code, kernels(declared.formatted("(atMost = \"n\")"))).ids())
        .containsExactly("ERROR [UnprovedRaces]");
    // A proof that does not need the limit has no condition.
    String own = OWN_SCATTER.replace("%rd2, %rd5", "%rd2, %rd3");
    byte[] plain = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", own);
    assertThat(mistakesIn(folder, plain, kernels(declared.formatted("(below = \"n\")"))).launcher())
        .contains("<p>Races: no two threads of a launch conflict.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"DeviceArray<float[]>", "DeviceArray<char[]>", "DeviceArray<int[]>[]"})
  void onlyArraysOfWholeNumbersAreDistinct(String type) {
    Mistakes.inKernels(
            "@Kernel void run(@Reads(distinct = «true) " + type + " x, @ThreadCount int n);")
        .are(
            Problem.NOT_WHOLE,
            "'x' is " + type + "; remove distinct, which is for arrays of whole numbers");
  }

  @Test
  void arraysAndTablesOfAnotherDeviceAreDeclared() {
    Mistakes peers =
        Mistakes.inKernels(
            "@Kernel void run(@Reads(peer = true, distinct = true) DeviceArray<int[]> a,"
                + " @Writes(peer = true) DeviceArray<int[]>[] all,"
                + " @Trusted(\"why\") @ReadWrites(peer = true) DeviceArray<int[]> b,"
                + " @ReadWrites(peer = false) DeviceArray<int[]> c,"
                + " @ThreadCount int n);");
    assertThat(peers.launcher())
        .contains(
            ".reads(\"a\", int[].class).peer().distinct()",
            ".writes(\"all\", int[][].class).peer()",
            ".readWrites(\"b\", int[].class).trusted().peer()")
        .containsPattern("readWrites\\(\"c\", int\\[].class\\)\\s");
  }

  private static final String SHIFT =
      "ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;"
          + " mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;"
          + " ld.global.u32 %r5, [%rd3+4];\nst.global.u32 [%rd3], %r5;";

  @Test
  void aTrustedArrayMayHaveRaces() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", SHIFT);
    String declared =
        "@Kernel%s void run(%s @ReadWrites DeviceArray<int[]> %sa, @ThreadCount int n);";
    String what =
        "two threads of one launch access the same bytes of 'a' without an order, whatever the data"
            + " are: st.global.u32 in line 7 of k/k.ptx, and ld.global.u32 in line 6; ";

    mistakesIn(folder, code, kernels(declared.formatted("", "", "«")))
        .areWarning(
            Problem.RACE,
            "run: "
                + what
                + "order them by a barrier or an atomic operation, or add @Trusted(\"reason\") to the"
                + " array");
    mistakesIn(folder, code, kernels(declared.formatted("", "@Trusted(\"one thread\")", "")))
        .areNoneAtAll();
    mistakesIn(
            folder,
            code,
            kernels(declared.formatted("(races = Races.REFUSED)", "@Trusted(\"why\")", "«")))
        .are(
            Problem.UNPROVED_RACES,
            "run is not proved to be free of races: "
                + what
                + "order them by a barrier or an atomic operation, or remove races ="
                + " Races.REFUSED");
  }

  @Test
  void aKernelWhoseThreadsAreApartMayRefuseRaces() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", SHIFT.replace("+4]", "]"));
    String declared = "@Kernel(%s) void run(@ReadWrites DeviceArray<int[]> a, @ThreadCount int n);";

    mistakesIn(folder, code, kernels(declared.formatted("races = Races.REFUSED"))).areNoneAtAll();
  }

  /**
   * A place in a table of n columns, of which each coordinate is loaded, and a row of the thread.
   */
  private static final String COORDINATES =
      """
      ld.param.u64 %rd1, [a];
      ld.param.u64 %rd2, [b];
      ld.param.u64 %rd3, [c];
      ld.param.u64 %rd4, [out];
      ld.param.u64 %rd5, [own];
      ld.param.u32 %r9, [n];
      mov.u32 %r3, %tid.x;
      mov.u32 %r4, %ctaid.x;
      mov.u32 %r5, %ntid.x;
      mad.lo.s32 %r1, %r4, %r5, %r3;
      mul.wide.s32 %rd6, %r1, 4;
      add.s64 %rd7, %rd1, %rd6;
      ld.global.u32 %r2, [%rd7];
      add.s64 %rd7, %rd2, %rd6;
      ld.global.u32 %r6, [%rd7];
      add.s64 %rd7, %rd3, %rd6;
      ld.global.u32 %r7, [%rd7];
      mad.lo.s32 %r8, %r1, %r9, %r7;
      mul.wide.s32 %rd8, %r8, 4;
      add.s64 %rd9, %rd5, %rd8;
      st.global.u32 [%rd9], 1;
      setp.ge.s32 %p1, %r6, %r9;
      @%p1 bra END;
      setp.lt.s32 %p1, %r6, 0;
      @%p1 bra END;
      mad.lo.s32 %r8, %r2, %r9, %r6;
      mul.wide.s32 %rd8, %r8, 4;
      add.s64 %rd9, %rd4, %rd8;
      st.global.u32 [%rd9], 1;
      END:""";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "distinct = true | | 'a' and 'c'",
        "| distinct = true | 'b' and 'c'",
        "distinct = true | distinct = true | 'a' and 'b' and 'c'",
        "distinct = true | below = \"n\" | 'a' and 'c'",
      })
  void theConditionsOfAProofAreEnoughForIt(String rows, String columns, String conditions) {
    byte[] code =
        kernel(
            "sm_75",
            ".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 out, .param .u64 own,"
                + " .param .u32 n",
            COORDINATES);
    String declared =
        "@Kernel(races = Races.REFUSED) void run(@Reads%s DeviceArray<int[]> a,"
            + " @Reads%s DeviceArray<int[]> b, @Reads(below = \"n\") DeviceArray<int[]> c,"
            + " @Writes DeviceArray<int[]> out, @Writes DeviceArray<int[]> own, @ThreadCount int n);";
    String first = rows == null ? "" : "(" + rows + ")";
    String second = columns == null ? "" : "(" + columns + ")";

    assertThat(mistakesIn(folder, code, kernels(declared.formatted(first, second))).launcher())
        .contains("conflict if the numbers in " + conditions + " are as declared");
  }

  @Test
  void aProofOfArraysThatMayOverlapNeedsThemApart() {
    String own = OWN_SCATTER.replace("%rd2, %rd5", "%rd2, %rd3");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", own);
    String declared =
        "@Kernel(%sraces = Races.REFUSED) void %srun(@Reads DeviceArray<int[]> a,"
            + " @Writes DeviceArray<int[]> b, @ThreadCount int n);";

    mistakesIn(folder, code, kernels(declared.formatted("", ""))).areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted("mayAlias = true, ", "«")))
        .are(
            Problem.UNPROVED_RACES,
            "run is not proved to be free of races: its arrays may overlap; remove mayAlias = true,"
                + " or remove races = Races.REFUSED");
  }

  @Test
  void aRaceOnAVariableOfTheCodeCannotBeTrusted() {
    byte[] shared =
        kernel(
            "sm_75",
            ".param .u64 a, .param .u32 n",
            ".shared .align 4 .b8 _ZZ3runE4tile[1024];\nld.param.u64 %rd1, [a];"
                + " mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, _ZZ3runE4tile;"
                + " add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;\n"
                + "sub.s32 %r5, %r3, %r2; ld.shared.u32 %r6, [%r5+508];"
                + " mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
                + " st.global.u32 [%rd3], %r6;");

    mistakesIn(
            folder,
            shared,
            kernels(
                "@Kernel(blockSize = 128) void «run(@Writes DeviceArray<int[]> a, @ThreadCount int"
                    + " n);"))
        .areWarning(
            Problem.RACE,
            "run: two threads of one launch access the same bytes of 'tile' without an order,"
                + " whatever the data are: st.shared.u32 in line 7 of k/k.ptx, and ld.shared.u32 in"
                + " line 8; order them by a barrier or an atomic operation");
  }

  @Test
  void aProofForSmallBlocksNeedsADeclaredOne() {
    String index = SHIFT.replace("mov.u32 %r2, %ntid.x", "mov.u32 %r2, 128");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", index.replace("+4]", "]"));
    String declared =
        "@Kernel(races = Races.REFUSED%s) void %srun(@ReadWrites DeviceArray<int[]> a,"
            + " int n, LaunchShape shape);";

    mistakesIn(folder, code, kernels(declared.formatted(", requiredBlock = 128", "")))
        .areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted("", "«")))
        .are(
            Problem.UNPROVED_RACES,
            "run is not proved to be free of races except in launches with blockDim.x at most 128,"
                + " which no requiredBlock declares; declare one, or remove races = Races.REFUSED");
  }

  @ParameterizedTest
  @CsvSource({"16, ''", "32, «"})
  void aProofForSmallBlocksNeedsNoDeclarationThatTheCodeHas(int most, String marker) {
    String own =
        "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
            + "mad.lo.s32 %r3, %r2, 16, %r1; mul.wide.u32 %rd2, %r3, 4;\n"
            + "add.s64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2;";
    byte[] code =
        new String(kernel("sm_75", ".param .u64 a", own), UTF_8)
            .replace("\n{", "\n.maxntid " + most + ", 1, 1\n{")
            .getBytes(UTF_8);
    String declared =
        "@Kernel(races = Races.REFUSED) void %srun(@Writes DeviceArray<int[]> a, LaunchShape s);";

    Mistakes mistakes = mistakesIn(folder, code, kernels(declared.formatted(marker)));
    if (marker.isEmpty()) {
      mistakes.areNoneAtAll();
    } else {
      mistakes.are(Problem.UNPROVED_RACES);
    }
  }

  @Test
  void aProofForBlocksInXNeedsADeclaredOneWhereTheCodeAsksForTheRank() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .u64 a, .param .u32 n",
            "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x;"
                + " mov.u32 %r3, %ctaid.x; mad.lo.s32 %r4, %r3, %r2, %r1; mov.u32 %r5, %tid.y;"
                + " mad.lo.s32 %r6, %r5, %r2, %r1; setp.gt.s32 %p1, %r6, 511; @%p1 ret;"
                + " mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;"
                + " st.global.u32 [%rd3], %r4;");
    String declared =
        "@Kernel(races = Races.REFUSED%s) void %srun(@Writes DeviceArray<int[]> a, %s);";

    String count = "@ThreadCount int n";
    String shape = "int n, LaunchShape shape";
    mistakesIn(folder, code, kernels(declared.formatted("", "", count))).areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted(", requiredBlock = 128", "", shape)))
        .areNoneAtAll();
    mistakesIn(folder, code, kernels(declared.formatted("", "«", shape)))
        .are(
            Problem.UNPROVED_RACES,
            "run is not proved to be free of races except in launches with blockDim.y = 1, which no"
                + " requiredBlock declares; declare one, or remove races = Races.REFUSED");
  }
}
