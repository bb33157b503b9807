package dev.streamfence.internal.ptx.syntax;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PtxModuleTest {
  private static final String HEAD = ".version 7.0\n.target sm_75, debug\n.address_size 64\n";

  @Test
  void theHeadIsRead() {
    PtxModule module = PtxModule.parse(HEAD);

    assertThat(module.isaVersion()).isEqualTo("7.0");
    assertThat(module.target()).isEqualTo("sm_75");
    assertThat(module.addressSize()).isEqualTo(64);
    assertThat(module.entries()).isEmpty();
    assertThat(module.entry("missing")).isEmpty();
  }

  @Test
  void anEntryHasItsSignature() {
    PtxModule module =
        PtxModule.parse(
            HEAD
                + """
                .visible .entry all(
                  .param .u64 all_param_0,
                  .param .s32 all_param_1,
                  .param .f64 all_param_2,
                  .param .b32 all_param_3,
                  .param .align 16 .b8 all_param_4[20],
                  .param .u64 .ptr .global .align 4 all_param_5
                )
                .maxntid 64, 4, 1
                .minnctapersm 2
                { ret; }
                .visible .entry none() .reqntid 32 { ret; }
                .entry bare { ret; }
                """);

    assertThat(module.entries()).extracting(PtxEntry::name).containsExactly("all", "none", "bare");
    PtxEntry all = module.entry("all").orElseThrow();
    assertThat(all.line()).isEqualTo(4);
    assertThat(all.blockLimit()).contains(new BlockLimit(64, 4, 1, false));
    assertThat(all.parameters())
        .containsExactly(
            new PtxParameter("all_param_0", PtxParameter.ParameterKind.INTEGER, 8, 8),
            new PtxParameter("all_param_1", PtxParameter.ParameterKind.INTEGER, 4, 4),
            new PtxParameter("all_param_2", PtxParameter.ParameterKind.FLOAT, 8, 8),
            new PtxParameter("all_param_3", PtxParameter.ParameterKind.BITS, 4, 4),
            new PtxParameter("all_param_4", PtxParameter.ParameterKind.STRUCT, 20, 16),
            new PtxParameter("all_param_5", PtxParameter.ParameterKind.POINTER, 8, 8));
    assertThat(module.entry("none").orElseThrow().blockLimit())
        .contains(new BlockLimit(32, 1, 1, true));
    assertThat(module.entry("bare").orElseThrow().blockLimit()).isEmpty();
  }

  @Test
  void blocksAreLimitedByTheirProductOrByEachExtent() {
    BlockLimit most = new BlockLimit(64, 4, 1, false);
    assertThat(most.threads()).isEqualTo(256);
    assertThat(most.allows(256, 1, 1)).isTrue();
    assertThat(most.allows(257, 1, 1)).isFalse();
    assertThat(most.allows(1 << 20, 1 << 20, 1 << 20)).isFalse();
    assertThat(most).hasToString("256");
    BlockLimit exact = new BlockLimit(16, 16, 1, true);
    assertThat(exact.allows(16, 16, 1)).isTrue();
    assertThat(exact.allows(256, 1, 1)).isFalse();
    assertThat(exact.allows(16, 8, 1)).isFalse();
    assertThat(exact.allows(16, 16, 2)).isFalse();
    assertThat(exact).hasToString("exactly 16 x 16 x 1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".maxntid 0",
        ".reqntid 16, 0",
        ".reqntid 65537",
        ".reqntid 65536, 2",
        ".reqntid 18446744073709551615",
        ".maxntid"
      })
  void blocksThatNoDeviceTakesAreRefused(String directive) {
    String text = HEAD + ".entry e() " + directive + " { ret; }";
    assertThatThrownBy(() -> PtxModule.parse(text))
        .isInstanceOf(PtxException.class)
        .hasMessageContaining(directive.split(" ")[0] + " is out of range");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {".maxntid 100000", ".maxntid 1024, 1024, 64", ".maxntid 9223372036854775807, 9"})
  void aBoundBeyondAnyDeviceIsNoLimit(String directive) {
    PtxModule module = PtxModule.parse(HEAD + ".entry e() " + directive + " { ret; }");
    assertThat(module.entry("e").orElseThrow().blockLimit()).isEmpty();
  }

  @Test
  void staticSharedMemoryIsThatOfTheModuleOfFunctionsAndOfTheEntry() {
    PtxModule module =
        PtxModule.parse(
            HEAD
                + """
                .shared .align 4 .b8 common[6];
                .extern .shared .align 16 .b8 dynamic[];
                .func helper() { .shared .align 8 .b64 mine; ret; }
                .entry with() { .shared .align 16 .b8 tile[100]; ret; }
                .entry without() { ret; }
                """);

    assertThat(module.entry("with").orElseThrow().staticSharedBytes()).isEqualTo(116);
    assertThat(module.entry("without").orElseThrow().staticSharedBytes()).isEqualTo(16);
  }

  @Test
  void instructionsKeepTheirParts() {
    PtxModule module =
        PtxModule.parse(
            HEAD
                + """
                .entry k(.param .u64 p)
                {
                  .reg .b64 %rd<3>;
                  .reg .pred %p1;
                  .reg .f32 %f<5>;
                  ld.param.u64 %rd1, [p];
                @!%p1 ld.global.nc.L1::evict_last.v4.f32 {%f1, %f2, _, %f4}, [%rd1+-16];
                }
                """);
    Instruction load = module.functions().get(0).instructions().get(1);

    assertThat(load.line()).isEqualTo(10);
    assertThat(load.opcode()).isEqualTo("ld");
    assertThat(load.modifiers()).containsExactly("global", "nc", "L1::evict_last", "v4", "f32");
    assertThat(load.guard())
        .isEqualTo(
            new Instruction.GuardPredicate(new Register("%p1", ScalarType.PRED, 1, 0), true));
    assertThat(load.operands().get(0))
        .isInstanceOfSatisfying(
            Operand.Vector.class,
            vector -> assertThat(vector.elements()).hasSize(4).contains(new Operand.Sink()));
    assertThat(load.operands().get(1))
        .isInstanceOfSatisfying(
            Operand.Memory.class, memory -> assertThat(memory.offset()).isEqualTo(-16));
  }

  @Test
  void everythingAroundInstructionsIsUnderstood() {
    PtxModule module =
        PtxModule.parse(
            HEAD
                + """
                /* a comment
                   of two lines */
                .file 1 "a.cu", 1700000000, 42
                .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) ;
                .weak .func (.param .align 8 .b8 r[16]) twice(.param .b32 a) .noreturn ;
                .common .global .align 4 .u32 shared_by_all;
                .visible .global .align 8 .b8 bytes[4] = {0x1, 02, 0b11, 4U};
                .global .v4 .f32 vector = {0f3F800000, 1.5, 2e-1, 0d3FF0000000000000};
                .global .u64 pointers[2] = {generic(bytes)+2, bytes};
                .global .b8 masked[2] = {0xFF(bytes), 0xFF00(generic(bytes))};
                .global .s32 matrix[2][3] = {{1}, {2, 3}};
                .const .texref texture;
                .visible .entry k(.param .u64 p)
                .maxnreg 32
                .pragma "used";
                {
                  .loc 1 2 3, function_name $info+4, inlined_at 1 5 6
                  .reg .v2 .b32 %v, %single;
                  .reg .b32 %r<3>, temp;
                  .pragma "nounroll";
                $label:
                  { .reg .b32 temp; mov.b32 temp, 0x7FFFFFFF; { call.uni vprintf, (p, p); } }
                  bra.uni $label;
                  prototype: .callprototype (.param .b32 _) _ (.param .b64 _, .reg .u32 _) ;
                  list: .branchtargets $label, $end;
                  tex.2d.v4.f32.s32 {temp, temp, temp, temp}, [texture, {%r1, %r2}];
                  unknown.opcode.of::the.future %v.x, temp|%r1, !temp, -0f3F800000, WARP_SZ;
                $end:
                  ret;
                }
                .section .debug_str { .b8 1, 2 label: .b64 k+4 { } }
                """);

    assertThat(module.entries()).extracting(PtxEntry::name).containsExactly("k");
    assertThat(module.variables())
        .extracting(Variable::sizeInBytes)
        .containsExactly(4L, 4L, 16L, 16L, 2L, 24L, 8L);
    assertThat(module.variables().get(5).initializers())
        .extracting(Variable.Initializer::element)
        .containsExactly(0L, 3L, 4L);
    Instruction unknown =
        module.functions().stream()
            .flatMap(function -> function.instructions().stream())
            .filter(instruction -> instruction.opcode().equals("unknown"))
            .findFirst()
            .orElseThrow();
    assertThat(unknown.mnemonic()).isEqualTo("unknown.opcode.of::the.future");
    assertThat(unknown.operands()).hasSize(5);
    assertThat(unknown.operands().get(0)).isInstanceOf(Operand.Element.class);
    assertThat(unknown.operands().get(1)).isInstanceOf(Operand.Pair.class);
    assertThat(unknown.operands().get(3))
        .isEqualTo(new Operand.FloatLiteral(0xBF80_0000L, ScalarType.F32));
    assertThat(unknown.operands().get(4)).isEqualTo(new Operand.IntegerLiteral(32));
  }

  @Test
  void innerScopesHideOuterNames() {
    PtxModule module =
        PtxModule.parse(
            HEAD
                + """
                .entry k()
                {
                  .reg .b32 a;
                  mov.b32 a, 1;
                  { .reg .b64 a; mov.b64 a, 2; }
                  mov.b32 a, 3;
                }
                """);
    List<ScalarType> types =
        module.functions().get(0).instructions().stream()
            .map(i -> ((Operand.RegisterUse) i.operands().get(0)).register().type())
            .toList();

    assertThat(types).containsExactly(ScalarType.B32, ScalarType.B64, ScalarType.B32);
  }

  @Test
  void hugeRegisterDeclarationsCostNothing() {
    PtxModule module =
        PtxModule.parse(HEAD + ".entry k() { .reg .b32 %r<999999999>; mov.b32 %r7, %r88888888; }");

    assertThat(module.functions().get(0).registers()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x: .entry",
        ".entry k(.param .u32 a,) { ret; }",
        ".entry k() { add.s32 %r1 %r2; }",
        ".entry k() { add.s32 a, b,; }",
        ".entry k() { @%p1 bra there; }",
        ".entry k() { mov.b32 a, 0f3F80000G; }",
        ".entry k() { mov.b32 a, 99999999999999999999; }",
        ".entry k() { mov.b32 a, 08; }",
        ".entry k() { l: ret; l: ret; }",
        ".entry k() { .reg .b32 a, a; }",
        ".entry k() { .reg .b99 a; }",
        ".entry k() { ret; } .entry k() { ret; }",
        ".entry k() { .branchtargets a; }",
        ".entry k() { .nonsense 1; }",
        ".global .u32 a[2] = {1, 2, 3};",
        ".global .u32 a[4611686018427387904];",
        ".global .align 3 .u32 a;",
        ".reg .b32 a;",
        ".file 1 \"unclosed\n",
        "/* unclosed",
        ".nonsense",
        ".entry k() { # }",
        ".entry k(.reg .u32 a) { ret; }"
      })
  void textThatIsNotPtxIsRefusedWithItsLine(String text) {
    assertThatThrownBy(() -> PtxModule.parse(HEAD + text))
        .isInstanceOfSatisfying(
            PtxException.class,
            e -> {
              assertThat(e.line()).isBetween(4, 5);
              assertThat(e).hasMessageStartingWith("line " + e.line() + ": ");
            });
  }

  @Test
  void textWithoutAHeadIsRefused() {
    assertThatThrownBy(() -> PtxModule.parse("")).hasMessageContaining("no .version");
    assertThatThrownBy(() -> PtxModule.parse(".version 7.0")).hasMessageContaining("no .target");
  }
}
