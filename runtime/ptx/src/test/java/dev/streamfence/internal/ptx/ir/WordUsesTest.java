package dev.streamfence.internal.ptx.ir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What code does with the words that it loads and stores. */
final class WordUsesTest {
  private static FunctionFlow flow(String body) {
    PtxModule module =
        PtxModule.parse(
            """
            .version 8.0
            .target sm_90
            .address_size 64
            .entry k(.param .u64 p) {
              .reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
              .reg .f32 %f<9>; .reg .f64 %fd<9>;
              ld.param.u64 %rd1, [p];
            """
                + body
                + "\nret; }\n");
    return new FunctionFlow(module.entries().get(0).function());
  }

  /** The first access to global memory. */
  private static int access(FunctionFlow flow) {
    return IntStream.range(0, flow.size())
        .filter(at -> flow.instruction(at).has("global"))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Loads: what uses the word.
        "float          | ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, %f1;",
        "float          | ld.global.u32 %r1, [%rd1]; mov.b32 %f1, %r1; add.f32 %f2, %f1, %f1;",
        "float          | ld.global.f64 %fd1, [%rd1]; cvt.rn.f32.f64 %f1, %fd1;",
        "float          | ld.global.f32 %f1, [%rd1]; red.shared.add.f32 [0], %f1;",
        "integer        | ld.global.u32 %r1, [%rd1]; add.s32 %r2, %r1, 1;",
        "float, integer | ld.global.u32 %r1, [%rd1]; cvt.rn.f32.s32 %f1, %r1; mov.b32 %f2, %r1; "
            + "add.f32 %f3, %f2, %f2;",
        "float, integer | ld.global.u32 %r1, [%rd1]; add.s32 %r2, %r1, 1; mov.b32 %f1, %r1; "
            + "add.f32 %f2, %f1, %f1;",
        "float, integer | ld.global.f32 %f1, [%rd1]; add.f32 %f2, %f1, %f1; mov.b32 %r1, %f1; "
            + "add.s32 %r2, %r1, 1;",
        "integer        | ld.global.u32 %r1, [%rd1]; cvt.rn.f32.s32 %f1, %r1;",
        "float          | ld.global.f32 %f1, [%rd1]; mov.b32 %r1, %f1; "
            + "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1; add.f32 %f2, %f1, %f1;",
        "               | ld.global.f32 %f1, [%rd1]; mov.b32 %r1, %f1; "
            + "atom.shared.exch.b32 %r2, [0], %r1;",
        "               | ld.global.b32 %r1, [%rd1]; cvt.rs.f16x2.f32 %r2, %f1, %f2, %r1;",
        "               | ld.global.u32 %r1, [%rd1]; mov.b32 {%h1, %h2}, %r1; cvt.f32.f16 %f1, %h1;",
        "               | ld.global.u32 %r1, [%rd1]; mov.b32 %r2, %r1; mov.b32 %f1, %r2; "
            + "add.f32 %f2, %f1, %f1;",
        "               | ld.global.u16 %h1, [%rd1]; cvt.f32.f16 %f1, %h1;",
        "               | ld.global.u64 %rd2, [%rd1]; red.global.add.f64 [%rd2], %fd1;",
        "               | ld.global.u64 %rd2, [%rd1]; ld.global.f64 %fd1, [%rd2];",
        "               | ld.global.f32 %f1, [%rd1]; selp.f32 %f2, %f1, 0f00000000, %p1; "
            + "st.shared.f32 [0], %f2;",
        "               | ld.global.u32 %r1, [%rd1]; mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
            + "{%f1, %f2, %f3, %f4}, {%r1, %r1}, {%r2}, {%f5, %f6, %f7, %f8};",
        // Stores: what gives the word its value, whatever the way to the store.
        "float          | mul.f32 %f1, %f2, %f3; st.global.f32 [%rd1], %f1;",
        "float          | mul.f32 %f1, %f2, %f3; mov.b32 %r1, %f1; st.global.u32 [%rd1], %r1;",
        "float          | mov.f32 %f1, 0f00000000; A: add.f32 %f1, %f1, %f2; @%p1 bra A; "
            + "st.global.f32 [%rd1], %f1;",
        "integer        | add.s32 %r1, %r2, %r3; st.global.u32 [%rd1], %r1;",
        "integer        | cvt.rzi.s32.f32 %r1, %f1; st.global.u32 [%rd1], %r1;",
        "               | mov.u32 %r1, %tid.x; A: mov.b32 %r1, %f1; @%p1 bra A; "
            + "st.global.u32 [%rd1], %r1;",
        "               | mov.u32 %r1, %tid.x; @%p1 bra A; mul.f32 %f1, %f2, %f3; mov.b32 %r1, %f1; A: "
            + "st.global.u32 [%rd1], %r1;",
        "               | mov.b32 %r1, %f1; @%p1 bra A; mov.u32 %r1, %ctaid.x; A: "
            + "st.global.u32 [%rd1], %r1;",
        "               | mul.f32 %f1, %f2, %f3; @%p1 bra A; mov.f32 %f1, %f4; A: "
            + "st.global.f32 [%rd1], %f1;",
        "               | mov.f32 %f1, 0f00000000; st.global.f32 [%rd1], %f1;",
        // Atomic operations compute themselves.
        "float          | red.global.add.f32 [%rd1], %f1;",
        "float          | atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f3, %f4};",
        "integer        | atom.global.add.u32 %r1, [%rd1], 1;",
        "integer        | atom.global.cas.b32 %r1, [%rd1], %r2, %r3;",
        "               | atom.global.exch.b32 %r1, [%rd1], %r2;",
        // The last operand is missing.
        "               | mov.b32 %r1; st.global.u32 [%rd1], %r1;",
      })
  void onlyWhatComputesWithAWordShowsItsType(String expected, String body) {
    FunctionFlow flow = flow(body.replace("; ", ";\n"));
    int access = access(flow);
    boolean isFloat = expected != null && expected.contains("float");
    boolean isInteger = expected != null && expected.contains("integer");

    assertThat(WordUses.isFloat(flow, access, 0)).isEqualTo(isFloat);
    assertThat(WordUses.isInteger(flow, access, 0)).isEqualTo(isInteger);
  }

  @Test
  void wordsAreCounted() {
    for (String two :
        new String[] {
          "ld.global.v2.f32 {%f1, %f2}, [%rd1];",
          "st.global.v2.f32 [%rd1], {%f1, %f2};",
          "red.global.add.v2.f32 [%rd1], {%f1, %f2};",
          "atom.global.add.v2.f32 {%f3, %f4}, [%rd1], {%f1, %f2};"
        }) {
      FunctionFlow flow = flow(two);
      assertThat(WordUses.count(flow, access(flow))).as(two).isEqualTo(2);
    }
    FunctionFlow copy = flow("cp.async.ca.shared.global [0], [%rd1], 4;");
    assertThat(WordUses.count(copy, access(copy))).isZero();
    FunctionFlow missing = flow("st.global.f32 [%rd1];");
    assertThat(WordUses.count(missing, access(missing))).isZero();
  }

  /** Otherwise, many accesses would each look at many instructions. */
  @Test
  void aRegisterWithManyAssignmentsSaysNothing() {
    String way = "@%p1 bra A0; mul.f32 %f1, %f2, %f3; A0: ";
    for (int count : new int[] {15, 16, 17}) {
      StringBuilder body = new StringBuilder();
      for (int i = 0; i < count; i++) {
        body.append(way.replace("A0", "A" + i));
      }
      FunctionFlow flow = flow(body.append("st.global.f32 [%rd1], %f1;").toString());
      assertThat(WordUses.isFloat(flow, access(flow), 0)).isEqualTo(count <= 16);
    }
  }

  @Test
  void ofARegisterThatIsUsedOftenOnlyTheFirstUsesCount() {
    for (int before : new int[] {15, 16}) {
      FunctionFlow flow =
          flow(
              "ld.global.f32 %f1, [%rd1];\n"
                  + "st.shared.f32 [0], %f1;\n".repeat(before)
                  + "add.f32 %f2, %f1, %f1;\n");
      assertThat(WordUses.isFloat(flow, access(flow), 0)).isEqualTo(before < 16);
    }
  }
}
