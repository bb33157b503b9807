package dev.streamfence.internal.ptx.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TranslationTest {
  private static final String UNKNOWN_MALLOC =
      "cannot run 'malloc': the simulated device does not know this opcode";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "wgmma.fence.sync.aligned;",
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];",
        "vadd.s32.s32.s32 %r1, %r2, %r3;",
        "add.s32.unheard %r1, %r2, %r3;",
        "add.f99 %r1, %r2, %r3;",
        "add.s32 %r1, %r2;",
        "add.s32 %r1, %r2, %r3, %r4;",
        "add.s32 5, %r2, %r3;",
        "add.s64 %rd1, %r2, %rd3;",
        "add.s32 %rs1, %r2, %r3;",
        "add.f32 %f1, %f2, 3;",
        "add.s32 %r1, %nothing, 3;",
        "add.s32 %r1, undeclared, 3;",
        "mul.s32 %r1, %r2, %r3;",
        "mad.sat.lo.s32 %r1, %r2, %r3, %r4;",
        "setp.lo.f32 %p1, %f1, %f2;",
        "setp.s32 %p1, %r1, %r2;",
        "testp.normal.s32 %p1, %r1;",
        "mov.b32 %p1, 1;",
        "and.pred %p1, %r1, %p2;",
        "ld.global.u32 %r1, %rd1;",
        "ld.global.v2.u32 {%r1}, [%rd1];",
        "ld.global.v4.u64 {%rd1, %rd2, %rd3}, [%rd1];",
        "ld.shared::cluster.u32 %r1, [%r2];",
        "atom.global.add.b128 %rd1, [%rd2], %rd3;",
        "atom.local.add.u32 %r1, [%rd2], %r3;",
        "atom.global.min.f32 %f1, [%rd2], %f3;",
        "bra nowhere;",
        "brx.idx %r1, nowhere;",
        "call nowhere;",
        "call kernel, (%rd1, %rd2);",
        "call (%r1), %rd1, (%r2);",
        "call 5, (%r2);",
        "barrier.cluster.arrive;",
        "sin.f32 %f1, %f2;",
        "cvta.u64 %rd1, %rd2;",
        "lop3.b32 %r1, %r2, %r3, %r4, %r5;",
        "prmt.b64 %rd1, %rd2, %rd3, %rd4;",
        "cp.async.bulk.shared.global [%r1], [%rd1], 16;",
        "shfl.sync.sideways.b32 %r1, %r2, 1, 31, -1;",
        "match.any.b32 %r1, %r2, -1;",
        "mbarrier.init.shared.b64 [%rd1], 1;",
        "malloc %r1;"
      })
  void anInstructionThatCannotRunIsRefusedWithItsLineAndOpcode(String instruction) {
    String kernel = HandWritten.kernel("add.s32 %r1, %r1, 1;\n" + instruction);

    assertThatThrownBy(() -> HandWritten.runModule(1, kernel))
        .isInstanceOfSatisfying(
            PtxException.class,
            e -> {
              assertThat(e.line()).isEqualTo(HandWritten.LINES_BEFORE + 2);
              assertThat(e).hasMessageContaining(instruction.split("[ ;]", 2)[0]);
            });
  }

  @Test
  void callsOfUnknownSystemFunctionsAreRefusedButTheirDeclarationsAreNot() {
    String declaration = ".extern .func (.param .b64 r) malloc (.param .b64 n);\n";
    HandWritten.runModule(1, HandWritten.module(declaration, ""));

    String calling =
        HandWritten.module(declaration, "{ .param .b64 n, r; call (r), malloc, (n); }");
    assertThatThrownBy(() -> HandWritten.runModule(1, calling))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining("'malloc' has no body and is no system function");
  }

  @Test
  void argumentsMustFitTheFunction() {
    String function = ".func (.param .b32 r) f(.param .b64 a) { ret; }\n";

    assertThatThrownBy(
            () ->
                HandWritten.runModule(
                    1, HandWritten.module(function, "{ .param .b32 a, r; call (r), f, (a); }")))
        .hasMessageContaining("4 bytes is passed for one of 8");
    assertThatThrownBy(() -> HandWritten.runModule(1, HandWritten.module(function, "call f;")))
        .hasMessageContaining("takes 1 and returns 1 values, not 0 and 0");
  }

  @Test
  void entriesThatCannotComeToARefusedInstructionRun() {
    String others =
        """
        .func bad() { malloc; ret; }
        .func worse() { call bad; ret; }
        .visible .entry first() { malloc; }
        .visible .entry second() { call worse; ret; }
        .visible .entry third() { .reg .b64 %a; mov.u64 %a, bad; ret; }
        .visible .entry fourth() { ret; }
        """;
    String module = HandWritten.module(others, "mov.u64 %rd1, 7; st.global.u64 [%out], %rd1;");
    PtxInstance instance = new SimulatedMemory().load(module);

    assertThat(instance.refusal("first")).hasMessage("line 6: " + UNKNOWN_MALLOC);
    assertThat(instance.refusal("second")).hasMessage("line 4: function 'bad' " + UNKNOWN_MALLOC);
    assertThat(instance.refusal("third")).isSameAs(instance.refusal("second"));
    assertThat(instance.refusal("fourth")).isNull();
    assertThat(HandWritten.runModule(1, module)[0]).isEqualTo(7);
  }

  @Test
  void aThreadThatReachesARefusedFunctionThroughAVariableFaults() {
    String others =
        """
        .func bad() { malloc; ret; }
        .global .u64 pointers[1] = {bad};
        """;
    String module =
        HandWritten.module(
            others,
            "ld.global.u64 %rd1, [pointers]; proto: .callprototype _ (); call %rd1, (), proto;");

    assertThatThrownBy(() -> HandWritten.runModule(1, module))
        .isInstanceOfSatisfying(
            PtxFault.class,
            e -> assertThat(e.fact()).isEqualTo("function 'bad' " + UNKNOWN_MALLOC));
  }

  @Test
  void addressesOf32BitsAreRefused() {
    PtxModule module = PtxModule.parse(".version 7.0\n.target sm_75\n.address_size 32");

    assertThatThrownBy(() -> PtxProgram.translate(module)).hasMessageContaining("64");
  }

  @Test
  void unknownNamesInInitialValuesAreRefused() {
    PtxModule module = PtxModule.parse(HandWritten.module(".global .u64 a = nothing;\n", ""));

    assertThatThrownBy(() -> PtxProgram.translate(module))
        .isInstanceOfSatisfying(PtxException.class, e -> assertThat(e.line()).isEqualTo(4))
        .hasMessageContaining("nothing");
  }
}
