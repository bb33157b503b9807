package dev.streamfence.internal.ptx.ir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.KernelCase;
import dev.streamfence.internal.ptx.analysis.KernelAccesses;
import dev.streamfence.internal.ptx.analysis.ParameterAccess;
import dev.streamfence.internal.ptx.syntax.Instruction;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks every opcode of the PTX ISA against its known effect. */
class AccessOpcodeTest {
  /** One line of the list. */
  record Sample(
      Opcode.Effect effect,
      ParameterAccess.Verdict p,
      ParameterAccess.Verdict q,
      String instruction) {
    static Sample of(String line) {
      String[] words = line.split(" ", 4);
      return new Sample(
          Opcode.Effect.valueOf(words[0]),
          ParameterAccess.Verdict.valueOf(words[1]),
          ParameterAccess.Verdict.valueOf(words[2]),
          words[3]);
    }

    PtxModule module() {
      return PtxModule.parse(
          """
          .version 9.0
          .target sm_100a
          .address_size 64
          .entry k(.param .u64 p, .param .u64 q) {
            .reg .b128 %q<4>;
            .reg .b64 %rd<16>;
            .reg .b32 %r<16>;
            .reg .b16 %h<4>;
            .reg .f32 %f<16>;
            .reg .pred %p<4>;
            .shared .align 16 .b8 tile[256];
            .shared .align 16 .b8 more[256];
            .shared .align 8 .b64 bar;
            ld.param.u64 %rd1, [p];
            ld.param.u64 %rd2, [q];
            $list: .branchtargets $L;
            INSTRUCTION
            $L: ret;
          }
          """
              .replace("INSTRUCTION", instruction));
    }

    Instruction parsed() {
      return module().functions().get(0).instructions().get(2);
    }
  }

  static List<Sample> samples() {
    return Stream.of(KernelCase.text("opcodes.txt").split("\n"))
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .map(Sample::of)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("samples")
  void eachOpcodeIsClassifiedOnPurpose(Sample sample) {
    assertThat(OpcodeTable.rule(sample.parsed()).effect()).isEqualTo(sample.effect);
  }

  @ParameterizedTest
  @MethodSource("samples")
  void eachOpcodeHasTheEffectThatTheListGives(Sample sample) {
    PtxModule module = sample.module();
    KernelAccesses accesses = KernelAccesses.of(module, module.entries().get(0));

    assertThat(accesses.parameter(0).verdict()).isEqualTo(sample.p);
    assertThat(accesses.parameter(1).verdict()).isEqualTo(sample.q);
  }

  @Test
  void theTableHasNoOpcodeThatTheListLacks() {
    Set<String> unseen = new TreeSet<>(OpcodeTable.opcodes());
    for (Sample sample : samples()) {
      Instruction instruction = sample.parsed();
      String name = instruction.opcode();
      String longest = name;
      for (String modifier : instruction.modifiers()) {
        name += "." + modifier;
        longest = OpcodeTable.opcodes().contains(name) ? name : longest;
      }
      unseen.remove(longest);
    }

    assertThat(unseen).isEmpty();
    assertThat(OpcodeTable.opcodes()).hasSizeGreaterThan(100).contains("ld", "mul.hi");
  }

  private static Opcode rule(String instruction) {
    return OpcodeTable.rule(
        new Sample(
                Opcode.Effect.UNKNOWN,
                ParameterAccess.Verdict.NONE,
                ParameterAccess.Verdict.NONE,
                instruction)
            .parsed());
  }

  @Test
  void anAddressInThePlaceOfAResultIsTheFirstAddress() {
    Opcode with = rule("mbarrier.arrive.shared.b64 %rd3, [bar], 4;");
    Opcode without = rule("mbarrier.arrive.shared::cluster.b64 [bar], 4;");

    assertThat(with.operands()).isEqualTo("Db-");
    assertThat(without.operands()).isEqualTo("b-");
    assertThat(without.effect()).isEqualTo(Opcode.Effect.ATOMIC);
    assertThat(rule("red.shared.add.u32 [bar], 4;").operands()).isEqualTo("bv");
    assertThat(rule("atom;").operands()).isEqualTo("dbvv");
  }

  @Test
  void coordinatesBelongToTensorsAndTexturesOnly() {
    String tensor = "cp.async.bulk.tensor.1d.shared::cluster.global [tile], [%rd1, {%r1}], [bar];";

    assertThat(rule(tensor).operands()).isEqualTo("tt");
    assertThat(rule("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1}];").operands())
        .isEqualTo("Du");
    assertThat(rule("ld.global.u32 %r1, [%rd1, {%r1}];")).isEqualTo(Opcode.UNKNOWN);
    assertThat(rule("st.global.u32 [%rd1, {%r1}], %r1;")).isEqualTo(Opcode.UNKNOWN);
    assertThat(rule("add.u32 %r1, [%rd1], 1;")).isEqualTo(Opcode.UNKNOWN);
    assertThat(rule("ld.global.u32 %r1, %rd1;")).isEqualTo(Opcode.UNKNOWN);
  }

  @Test
  void anAccumulatorIsBothASourceAndAResult() {
    Opcode rule =
        rule("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2}, %rd3, %rd4, 1, 1;");

    assertThat(rule.isSource(0)).isTrue();
    assertThat(rule.isDestination(0)).isTrue();
    assertThat(rule.isSource(1)).isTrue();
    assertThat(rule.isDestination(1)).isFalse();
    assertThat(rule("ld.global.u32 %r1, [%rd1];").isSource(0)).isFalse();
    assertThat(rule("add.u32 %r1, %r2, 1;").isSource(0)).isFalse();
    assertThat(rule("add.u32 %r1, %r2, 1;").isSource(1)).isTrue();
  }

  @Test
  void theResultOfAnUnknownOpcodeMayBeAnyOfItsOperands() {
    PtxModule module =
        PtxModule.parse(
            """
            .version 9.0
            .target sm_100a
            .address_size 64
            .entry k(.param .u64 p, .param .u64 q) {
              .reg .b64 %rd<4>;
              ld.param.u64 %rd1, [p];
              ld.param.u64 %rd2, [q];
              frobnicate.b64 %rd3, %rd1;
              st.global.u32 [%rd3], 1;
            }
            """);
    KernelAccesses accesses = KernelAccesses.of(module, module.entries().get(0));

    assertThat(accesses.parameter(0).verdict()).isEqualTo(ParameterAccess.Verdict.UNKNOWN);
    assertThat(accesses.parameter(0).write()).isEmpty();
    assertThat(accesses.parameter(0).possibleWrite().orElseThrow().reason().orElseThrow())
        .contains("frobnicate.b64");
    assertThat(accesses.parameter(1).verdict()).isEqualTo(ParameterAccess.Verdict.NONE);
  }
}
