package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.READS;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The access analysis follows values into functions and back. */
class AccessCallsTest {
  private static String function(String signature, String body) {
    return ".func " + signature + " {\n" + AnalysedKernel.registers() + body + "\nret;\n}\n";
  }

  private static final String STORE =
      function("store(.param .b64 a)", "ld.param.u64 %rd1, [a]; st.global.u32 [%rd1], 1;");
  private static final String LOAD =
      function("load(.param .b64 a)", "ld.param.u64 %rd1, [a]; ld.global.u32 %r1, [%rd1];");

  private static String call(String function, String register) {
    return "{ .param .b64 x; st.param.b64 [x], "
        + register
        + "; call.uni "
        + function
        + ", (x); }\n";
  }

  @Test
  void eachCallOfAFunctionIsAnalysedSeparately() {
    String both =
        function(
            "both(.param .b64 a, .param .b64 b)",
            "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.u32 %r1, [%rd1];"
                + "st.u32 [%rd2], %r1;");
    AnalysedKernel kernel =
        AnalysedKernel.in(
            both,
            "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd1; st.param.b64 [y], %rd2;"
                + "call both, (x, y); }"
                + "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd1; st.param.b64 [y], %rd3;"
                + "call both, (x, y); }");

    assertThat(kernel.verdicts()).containsExactly(READS, WRITES, WRITES, NONE);
    assertThat(kernel.q().write().orElseThrow().function()).isEqualTo("both");
  }

  @Test
  void aReturnedPointerIsFollowed() {
    String shifted =
        function(
            "(.param .b64 r) shifted(.param .b64 a)",
            "ld.param.u64 %rd1, [a]; add.s64 %rd2, %rd1, 8; st.param.b64 [r], %rd2;");
    AnalysedKernel kernel =
        AnalysedKernel.in(
            shifted,
            "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd1; call (y), shifted, (x);"
                + "ld.param.b64 %rd9, [y]; } st.global.u32 [%rd9], 1;"
                + "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd2; call (y), shifted, (x);"
                + "ld.param.b64 %rd9, [y]; } ld.global.u32 %r5, [%rd9];");

    assertThat(kernel.verdicts()).containsExactly(WRITES, READS, NONE, NONE);
  }

  @Test
  void registersPassValuesToo() {
    String old = function("(.reg .b64 %result) old(.reg .b64 %a)", "add.s64 %result, %a, 8;");
    AnalysedKernel kernel =
        AnalysedKernel.in(old, "call (%rd9), old, (%rd1); st.global.u32 [%rd9], 1;");

    assertThat(kernel.verdicts()).containsExactly(WRITES, NONE, NONE, NONE);
  }

  @Test
  void aCalleeReachesItsCallersLocalMemory() {
    String fill =
        function(
            "fill(.param .b64 a, .param .b64 b)",
            "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; st.u64 [%rd1+8], %rd2;");
    AnalysedKernel kernel =
        AnalysedKernel.in(
            fill,
            ".local .align 8 .b8 l[16]; mov.u64 %rd8, l; cvta.local.u64 %rd8, %rd8;"
                + "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd8; st.param.b64 [y], %rd1;"
                + "call fill, (x, y); } ld.u64 %rd9, [%rd8+8]; st.u32 [%rd9], 1;"
                + "ld.u64 %rd9, [%rd8]; st.u32 [%rd9], 1;");

    assertThat(kernel.verdicts()).containsExactly(WRITES, NONE, NONE, NONE);
  }

  @Test
  void aStructureIsPassedByValue() {
    String inside =
        function(
            "inside(.param .align 8 .b8 s[16])",
            "ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [s+8]; ld.u32 %r1, [%rd1];"
                + "st.u32 [%rd2], %r1;");
    AnalysedKernel kernel =
        AnalysedKernel.in(
            inside,
            "{ .param .align 8 .b8 x[16]; st.param.b64 [x+0], %rd1; st.param.b64 [x+8], %rd2;"
                + "call inside, (x); }");

    assertThat(kernel.verdicts()).containsExactly(READS, WRITES, NONE, NONE);
  }

  @Test
  void theAnalysisOfARecursionEnds() {
    String walk =
        function(
            "walk(.param .b64 a, .param .b32 n)",
            "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [n]; ld.u32 %r2, [%rd1];"
                + "add.s64 %rd2, %rd1, 4; add.s32 %r3, %r1, -1;"
                + "{ .param .b64 x; .param .b32 y; st.param.b64 [x], %rd2; st.param.b32 [y], %r3;"
                + "call walk, (x, y); }");
    AnalysedKernel kernel =
        AnalysedKernel.in(
            walk,
            "{ .param .b64 x; .param .b32 y; st.param.b64 [x], %rd1; st.param.b32 [y], %r1;"
                + "call walk, (x, y); }");

    assertThat(kernel.verdicts()).containsExactly(READS, NONE, NONE, NONE);
  }

  @Test
  void pointersThatChangePlacesInARecursionAreUnknown() {
    String swap =
        function(
            "swap(.param .b64 a, .param .b64 b)",
            "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; st.u32 [%rd1], 1;"
                + "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd2; st.param.b64 [y], %rd1;"
                + "call swap, (x, y); }");
    AnalysedKernel kernel =
        AnalysedKernel.in(
            swap,
            "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd1; st.param.b64 [y], %rd2;"
                + "call swap, (x, y); }");

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
  }

  @Test
  void aPrototypeWithoutABodyMayDoAnythingWithItsArguments() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".extern .func mystery(.param .b64 a);",
            call("mystery", "%rd1")
                + ".local .align 8 .b64 l; st.local.u64 [l], %rd2; mov.u64 %rd8, l;"
                + "cvta.local.u64 %rd8, %rd8;"
                + call("mystery", "%rd8")
                + call("mystery", "%rd4"));

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
    assertThat(kernel.p().unknown().orElseThrow().reason().orElseThrow()).contains("'mystery'");
  }

  @Test
  void printingMayReadItsArgumentsButNotWriteThem() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);",
            ".local .align 8 .b8 l[16]; st.local.u64 [l], %rd1; mov.u64 %rd8, l;"
                + "cvta.local.u64 %rd8, %rd8;"
                + "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], 0;"
                + "st.param.b64 [y], %rd8; call (z), vprintf, (x, y); }");

    assertThat(kernel.p().possibleRead()).isPresent();
    assertThat(kernel.p().possibleWrite()).isEmpty();
  }

  @Test
  void aCallThroughAKnownAddressIsFollowed() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            STORE + LOAD,
            "mov.u64 %rd8, store; shape: .callprototype _ (.param .b64 a);"
                + "{ .param .b64 x; st.param.b64 [x], %rd1; call %rd8, (x), shape; }"
                + "mov.u64 %rd7, load; @%p1 mov.u64 %rd7, store;"
                + "{ .param .b64 x; st.param.b64 [x], %rd2; call %rd7, (x), shape; }");

    assertThat(kernel.p().verdict()).isEqualTo(WRITES);
    assertThat(kernel.q().verdict()).isEqualTo(ParameterAccess.Verdict.READS_WRITES);
  }

  @Test
  void aCallThroughAnAddressFromMemoryIsUnknown() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            STORE + ".global .b64 table[1] = {store};",
            "ld.global.u64 %rd8, [table]; shape: .callprototype _ (.param .b64 a);"
                + "{ .param .b64 x; st.param.b64 [x], %rd1; call %rd8, (x), shape; }");

    assertThat(kernel.verdicts()).containsExactly(UNKNOWN, NONE, NONE, NONE);
  }

  @Test
  void anUncalledFunctionHasNoEffect() {
    AnalysedKernel kernel = AnalysedKernel.in(STORE + LOAD, call("load", "%rd1"));

    assertThat(kernel.verdicts()).containsExactly(READS, NONE, NONE, NONE);
  }

  @Test
  void aCallThatPassesOnlyNumbersReturnsANumber() {
    String twice =
        function(
            "(.param .b32 r) twice(.param .b32 a)",
            "ld.param.u32 %r1, [a]; add.u32 %r2, %r1, %r1; st.param.b32 [r], %r2;");
    AnalysedKernel kernel =
        AnalysedKernel.in(
            twice,
            "{ .param .b32 x; .param .b32 y; st.param.b32 [x], 3; call (y), twice, (x);"
                + "ld.param.u32 %r5, [y]; } mad.wide.u32 %rd9, %r5, 4, %rd1;"
                + "st.global.u32 [%rd9], 1;");

    assertThat(kernel.verdicts()).containsExactly(WRITES, NONE, NONE, NONE);
  }

  @Test
  void aCallThatPassesAPointerInASecondIterationIsFollowed() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            STORE,
            "mov.u64 %rd9, 0; L: { .param .b64 x; st.param.b64 [x], %rd9; call store, (x); }"
                + "mov.u64 %rd9, %rd1; @%p1 bra L;");

    assertThat(kernel.p().write().or(kernel.p()::possibleWrite)).isPresent();
    assertThat(kernel.q().verdict()).isEqualTo(NONE);
  }

  /** The address of a shared variable may lie in a register of 32 bits. */
  @Test
  void aLiteralIsPassedInTheBitsOfItsRegister() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            function(
                    "(.reg .b32 %at) at(.reg .u16 %x, .reg .b32 %a)",
                    "mad.wide.u16 %at, %x, 1, %a;")
                + ".shared .align 8 .b64 s[2];",
            "st.shared.u64 [s+8], %rd1; mov.u32 %r5, s; call (%r6), at, (65544, %r5);"
                + "ld.shared.u64 %rd9, [%r6]; st.global.u32 [%rd9], 7;");

    assertThat(kernel.p().write().or(kernel.p()::possibleWrite)).isPresent();
  }

  private static final String SAME_REGISTER =
      function("(.reg .b64 %result) same(.reg .b64 %a)", "mov.u64 %result, %a;");
  private static final String SAME_PARAMETER =
      function(
          "(.param .b64 r) same(.param .b64 a)", "ld.param.u64 %rd1, [a]; st.param.b64 [r], %rd1;");
  private static final String USES = "st.global.u32 [%rd8], 1; ld.global.u32 %r5, [%rd9];";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "call (%rd8), same, (%rd1); call (%rd9), same, (%rd2);",
        "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd1; call (y), same, (x);"
            + "ld.param.b64 %rd8, [y]; }"
            + "{ .param .b64 x; .param .b64 y; st.param.b64 [x], %rd2; call (y), same, (x);"
            + "ld.param.b64 %rd9, [y]; }",
        "{ .param .b64 x; st.param.b64 [x], %rd1; call (%rd8), same, (x);"
            + "call (%rd9), same, (%rd2); }",
        "{ .param .b64 y; call (y), same, (%rd1); ld.param.b64 %rd8, [y];"
            + "call (%rd9), same, (%rd2); }"
      })
  void registersAndParameterMemoryPassTheSameValues(String calls) {
    for (String same : List.of(SAME_REGISTER, SAME_PARAMETER)) {
      assertThat(AnalysedKernel.in(same, calls + USES).verdicts())
          .containsExactly(WRITES, READS, NONE, NONE);
    }
  }

  @Test
  void anUnexpectedOperandOfACallMayBeUsedForAnything() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            LOAD,
            "{ .param .b64 x; st.param.b64 [x], %rd1; call load, (x), %rd2; }"
                + "{ .param .b64 x; st.param.b64 [x], %rd1; call load, (x), (%rd3); }");

    assertThat(kernel.q().verdict()).isEqualTo(UNKNOWN);
    assertThat(kernel.t().verdict()).isEqualTo(UNKNOWN);
    assertThat(kernel.q().unknown().orElseThrow().reason().orElseThrow()).contains("unusual");
  }

  @ParameterizedTest
  @ValueSource(strings = {"call;", "call (%rd8);", "call load;", "call load, (%rd1, %rd2);"})
  void aCallThatDoesNotFitItsFunctionLeavesOtherValuesKnown(String call) {
    AnalysedKernel kernel = AnalysedKernel.in(LOAD, call + "st.global.u32 [%rd3], 1;");

    assertThat(kernel.t().verdict()).isEqualTo(WRITES);
    assertThat(kernel.p().verdict()).isEqualTo(call.contains("%rd1") ? UNKNOWN : NONE);
  }

  /** A chain of functions, of which the last one stores through the pointer that all pass on. */
  private static AnalysedKernel chain(int depth) {
    StringBuilder functions = new StringBuilder(STORE.replace("store(", "f" + depth + "("));
    for (int i = depth - 1; i > 0; i--) {
      functions.append(
          function(
              "f" + i + "(.param .b64 a)",
              "ld.param.u64 %rd1, [a];" + call("f" + (i + 1), "%rd1")));
    }
    return AnalysedKernel.in(functions.toString(), call("f1", "%rd1") + call("f1", "%rd2"));
  }

  @Test
  void callersAreDistinguishedUpToADepthOf48() {
    assertThat(chain(48).verdicts()).containsExactly(WRITES, WRITES, NONE, NONE);
    assertThat(chain(49).verdicts()).containsExactly(UNKNOWN, UNKNOWN, NONE, NONE);
  }

  private static final String PRINT =
      ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n";

  private static String print(String address) {
    return "{ .param .b64 x; .param .b64 y; .param .b32 z; st.param.b64 [x], 0;"
        + "st.param.b64 [y], "
        + address
        + "; call (z), vprintf, (x, y); }";
  }

  @Test
  void printingReadsItsDirectArguments() {
    AnalysedKernel kernel = AnalysedKernel.in(PRINT, print("%rd1"));

    assertThat(kernel.p().possibleRead()).isPresent();
    assertThat(kernel.p().possibleWrite()).isEmpty();
  }

  @Test
  void printingReadsOnlyBeyondAKnownAddress() {
    String stores =
        ".local .align 8 .b8 l[64]; st.local.u64 [l], %rd1; st.local.u64 [l+32], %rd2;"
            + "mov.u64 %rd8, l; cvta.local.u64 %rd8, %rd8; add.s64 %rd7, %rd8, 32;"
            + "mad.wide.u32 %rd6, %r1, 8, %rd8;";
    AnalysedKernel known = AnalysedKernel.in(PRINT, stores + print("%rd7"));
    AnalysedKernel unknown = AnalysedKernel.in(PRINT, stores + print("%rd6"));

    assertThat(known.p().possibleRead()).isEmpty();
    assertThat(known.q().possibleRead()).isPresent();
    assertThat(unknown.p().possibleRead()).isPresent();
    assertThat(unknown.q().possibleRead()).isPresent();
  }

  @Test
  void theResultOfAnUnknownFunctionMayBeAnyPointer() {
    for (String result : List.of("%rd8", "z")) {
      AnalysedKernel kernel =
          AnalysedKernel.in(
              ".extern .func (.param .b64 r) mystery();",
              ".param .b64 z; call ("
                  + result
                  + "), mystery; "
                  + (result.equals("z") ? "ld.param.b64 %rd8, [z];" : "")
                  + "add.s64 %rd9, %rd4, %rd8; st.global.u32 [%rd9], 1;");

      assertThat(kernel.n().verdict()).as(result).isEqualTo(UNKNOWN);
    }
  }

  @Test
  void allocatedMemoryBelongsToNoParameter() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            ".extern .func (.param .b64 r) malloc(.param .b64 n);" + ".shared .b64 s;",
            "st.shared.u64 [s], %rd1; { .param .b64 x; .param .b64 y; st.param.b64 [x], %rd2;"
                + "call (y), malloc, (x); ld.param.b64 %rd9, [y]; } st.global.u32 [%rd9], 1;");

    assertThat(kernel.verdicts()).containsExactly(NONE, NONE, NONE, NONE);
  }
}
