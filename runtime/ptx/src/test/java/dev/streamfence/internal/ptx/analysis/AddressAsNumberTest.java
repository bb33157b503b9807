package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pointers that are declared numbers, in the corpus and in kernels that hide them. */
final class AddressAsNumberTest {
  private final List<String> silent = new ArrayList<>();
  private int refused;
  private int warned;

  /** Declares each pointer of the corpus a number, one at a time. */
  @ParameterizedTest
  @CsvSource({"'', 520, 46", "-debug, 491, 75"})
  void noPointerOfTheCorpusIsANumberInSilence(String suffix, int mostlyRefused, int mostWarned) {
    for (var file : AccessTruth.corpus().entrySet()) {
      PtxModule module = PtxModule.parse(AccessTruth.ptx(file.getKey() + suffix));
      for (AccessTruth truth : file.getValue()) {
        PtxEntry entry = module.entry(truth.entry()).orElseThrow();
        for (int i = 0; i < truth.parameters().size(); i++) {
          for (AccessTruth.Pointer pointer : truth.parameters().get(i).pointers()) {
            count(module, entry, truth, i, pointer);
          }
        }
      }
    }
    System.out.printf(
        "Pointers declared as numbers%s: %d refused, %d warned of, %d silent%n",
        suffix, refused, warned, silent.size());

    assertThat(silent).isEmpty();
    assertThat(refused).isGreaterThanOrEqualTo(mostlyRefused);
    assertThat(warned).isLessThanOrEqualTo(mostWarned);
  }

  private void count(
      PtxModule module, PtxEntry entry, AccessTruth truth, int parameter, AccessTruth.Pointer as) {
    ParameterAccess access =
        KernelAccesses.of(
                module,
                entry,
                (p, offset) ->
                    p == parameter && offset == as.offset()
                        ? ParameterRole.NUMBER
                        : truth.parameters().get(p).role(offset))
            .parameter(parameter, as.offset());
    if (access.address().isPresent()) {
      refused++;
    } else if (access.possibleAddress().isPresent()) {
      warned++;
    } else if (as.reads() || as.writes()) {
      silent.add(truth.entry() + " " + as.name());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-debug"})
  void numbersOfTheCorpusAreNotBlamed(String suffix) {
    List<String> blamed = new ArrayList<>();
    for (var file : AccessTruth.corpus().entrySet()) {
      PtxModule module = PtxModule.parse(AccessTruth.ptx(file.getKey() + suffix));
      for (AccessTruth truth : file.getValue()) {
        PtxEntry entry = module.entry(truth.entry()).orElseThrow();
        KernelAccesses accesses =
            KernelAccesses.of(module, entry, (p, offset) -> truth.parameters().get(p).role(offset));
        for (int i = 0; i < truth.parameters().size(); i++) {
          AccessTruth.Parameter parameter = truth.parameters().get(i);
          if (parameter.pointers().isEmpty()) {
            assertThat(accesses.parameter(i).address()).as(truth.entry()).isEmpty();
            accesses
                .parameter(i)
                .possibleAddress()
                .ifPresent(site -> blamed.add(truth.entry() + " " + parameter.name()));
          }
        }
      }
    }

    // It is added to an address that is declared a number, so it may as well be the address.
    assertThat(blamed).containsExactly("addressWritten offset");
  }

  private static ParameterAccess n(String body) {
    return AnalysedKernel.of(body).n();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cvta.to.global.u64 %rd9, %rd4;",
        "cvta.to.shared.u64 %rd9, %rd4;",
        "cvta.global.u64 %rd9, %rd4;",
        "add.s64 %rd5, %rd4, 8; cvta.to.global.u64 %rd9, %rd5;",
        "selp.b64 %rd5, %rd4, 0, %p1; cvta.to.global.u64 %rd9, %rd5;"
      })
  void aConversionOfANumberAloneShowsThatItIsAnAddress(String conversion) {
    assertThat(n(conversion).address()).isPresent();
    assertThat(n(conversion).verdict()).isEqualTo(NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cvta.to.global.u64 %rd5, %rd4; ld.global.u64 %rd6, [%rd1]; add.s64 %rd9, %rd5, %rd6;",
        "ld.global.u32 %r5, [%rd1]; mul.wide.s32 %rd5, %r5, 4; add.s64 %rd9, %rd4, %rd5;",
        "ld.global.u8 %h1, [%rd1]; cvt.u64.u16 %rd5, %h1; add.s64 %rd9, %rd4, %rd5;",
        "ld.global.f32 %f1, [%rd1]; cvt.rzi.s64.f32 %rd5, %f1; shl.b64 %rd5, %rd5, 3;"
            + "add.s64 %rd9, %rd4, %rd5;",
        "ld.global.u64 %rd5, [%rd1]; cvt.u32.u64 %r5, %rd5; mul.wide.u32 %rd5, %r5, 8;"
            + "add.s64 %rd9, %rd4, %rd5;"
      })
  void aNarrowNumberFromMemoryIsNoBase(String sum) {
    assertThat(n(sum + "st.global.u32 [%rd9], 1;").write()).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "selp.b64 %rd9, %rd1, %rd4, %p1;",
        "selp.b64 %rd9, %rd4, %rd20, %p1; ld.global.u64 %rd5, [%rd1]; add.s64 %rd9, %rd9, %rd5;",
        "ld.global.u64 %rd5, [%rd1]; add.s64 %rd9, %rd4, %rd5;",
        "ld.global.u32 %r5, [%rd1]; ld.global.u32 %r6, [%rd1+4]; cvt.u64.u32 %rd5, %r6;"
            + "shl.b64 %rd6, %rd5, 32; add.s64 %rd9, %rd4, %rd6;",
        "ld.global.u32 %r5, [%rd1]; mul.wide.u32 %rd5, %r5, 65536; add.s64 %rd9, %rd4, %rd5;",
        "sub.s64 %rd5, %rd1, %rd2; add.s64 %rd9, %rd5, %rd4;"
      })
  void anAddressThatIsOnlyPossibleIsReportedAsSuch(String way) {
    ParameterAccess n = n(way + "st.global.u32 [%rd9], 1;");

    assertThat(n.address()).isEmpty();
    assertThat(n.possibleAddress()).isPresent();
    assertThat(n.possibleAddress().orElseThrow().reason()).isPresent();
  }

  private static KernelAccesses numbers(String types, String body) {
    String[] type = types.split(" ", -1);
    return AnalysedKernel.undeclared(
            ".entry k(.param ."
                + type[0]
                + " a, .param ."
                + type[1]
                + " b) {\n"
                + AnalysedKernel.registers()
                + body
                + "st.global.u32 [%rd9], 1; ret; }\n",
            (parameter, offset) -> ParameterRole.NUMBER)
        .accesses();
  }

  @Test
  void oneOfTwoNumbersMayBeTheAddress() {
    KernelAccesses accesses =
        numbers(
            "u64 u64",
            "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; selp.b64 %rd9, %rd1, %rd2, %p1;");

    assertThat(accesses.parameter(0).possibleAddress()).isPresent();
    assertThat(accesses.parameter(1).possibleAddress()).isPresent();
  }

  @Test
  void twoIntsMayBeAnAddressTogether() {
    KernelAccesses accesses =
        numbers(
            "u32 u32", "ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; mov.b64 %rd9, {%r1, %r2};");

    assertThat(accesses.parameter(0).possibleAddress()).isPresent();
    assertThat(accesses.parameter(1).possibleAddress()).isPresent();
  }

  @Test
  void aNumberThatIsStoredMayBeTheAddressThatCodeLoadsAgain() {
    String stored = "st.global.u64 [%rd1], %rd4;";

    assertThat(n(stored).possibleAddress()).isEmpty();
    assertThat(n(stored + "ld.global.u64 %rd9, [%rd1]; st.global.u32 [%rd9], 1;").possibleAddress())
        .isPresent();
    assertThat(
            AnalysedKernel.in(
                    ".extern .func other(.param .b64 x);\n",
                    "{ .param .b64 x; st.param.b64 [x], %rd4; call other, (x); }")
                .n()
                .possibleAddress())
        .isPresent();
  }
}
