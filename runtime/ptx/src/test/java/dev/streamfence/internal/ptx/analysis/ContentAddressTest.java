package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.analysis.lattice.ParameterRole;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Accesses through addresses that a kernel loads from the memory behind its parameters. */
final class ContentAddressTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "-debug"})
  void theCorpusHasTheseAddressesInMemoryAndNoOthers(String suffix) {
    List<String> found = new ArrayList<>();
    for (var file : AccessTruth.corpus().entrySet()) {
      PtxModule module = PtxModule.parse(AccessTruth.ptx(file.getKey() + suffix));
      for (AccessTruth truth : file.getValue()) {
        PtxEntry entry = module.entry(truth.entry()).orElseThrow();
        KernelAccesses accesses =
            KernelAccesses.of(module, entry, (p, offset) -> truth.parameters().get(p).role(offset));
        for (int i = 0; i < truth.parameters().size(); i++) {
          String uses = uses(accesses.parameter(i));
          if (!uses.isEmpty()) {
            found.add(truth.entry() + " " + truth.parameters().get(i).name() + uses);
          }
        }
      }
    }

    assertThat(found)
        .containsExactlyInAnyOrder(
            "append first loads stores",
            "rowsOfRows from loads",
            "rowsOfRows to stores",
            "scaleLists heads loads stores",
            "structInMemory view loads stores",
            "sumLists heads loads",
            "sumOneList first loads",
            "tableFilledHere table loads stores");
  }

  private static String uses(ParameterAccess access) {
    return access.readThroughContent().map(site -> " loads").orElse("")
        + access.writeThroughContent().map(site -> " stores").orElse("");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ld.global.u64 %rd8, [%rd1]; mul.wide.u32 %rd7, %r1, 4; add.s64 %rd9, %rd8, %rd7;",
        "ld.global.u64 %rd8, [%rd1]; cvta.to.global.u64 %rd9, %rd8;",
        "ld.global.nc.v2.u64 {%rd8, %rd9}, [%rd1];",
        "ld.global.v2.u32 {%r5, %r6}, [%rd1]; mov.b64 %rd9, {%r5, %r6};",
        "ld.global.u64 %rd8, [%rd1]; ld.global.u64 %rd9, [%rd8+8];",
        "atom.global.exch.b64 %rd9, [%rd1], 0;",
        "ld.global.u64 %rd8, [%rd1]; and.b64 %rd9, %rd8, -16;",
        "ld.global.u64 %rd8, [%rd1]; shfl.sync.idx.b32 %r5, %r6, 0, 31, -1; mov.u64 %rd9, %rd8;",
        "ld.global.u64 %rd8, [%rd1]; st.shared.u64 [S], %rd8; ld.shared.u64 %rd9, [S];"
      })
  void anAddressBelongsToTheParameterInWhoseMemoryItWas(String way) {
    AnalysedKernel kernel =
        AnalysedKernel.in(".shared .b64 S;\n", way + "st.global.u32 [%rd9], 1;");

    assertThat(kernel.p().writeThroughContent()).isPresent();
    assertThat(uses(kernel.q()) + uses(kernel.t()) + uses(kernel.n())).isEmpty();
  }

  @Test
  void oneOfTwoAddressesBelongsToBothParameters() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "ld.global.u64 %rd7, [%rd1]; ld.global.u64 %rd8, [%rd2]; selp.b64 %rd9, %rd7, %rd8,"
                + " %p1; ld.global.u32 %r5, [%rd9];");

    assertThat(kernel.p().readThroughContent()).isPresent();
    assertThat(kernel.q().readThroughContent()).isPresent();
    assertThat(kernel.t().readThroughContent()).isEmpty();
  }

  @Test
  void anAddressInOneOfManyArraysBelongsToEachThatIsLoadedFrom() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "selp.b64 %rd8, %rd1, %rd2, %p1; ld.global.u64 %rd9, [%rd8]; ld.global.u32 %r5,"
                + " [%rd9];");

    assertThat(uses(kernel.p()) + uses(kernel.q())).isEqualTo(" loads loads");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // Loaded indexes are no addresses where there is a base.
        "ld.global.u64 %rd8, [%rd1]; shl.b64 %rd7, %rd8, 2; add.s64 %rd9, %rd2, %rd7;",
        "ld.global.u64 %rd8, [%rd1]; add.s64 %rd9, %rd2, %rd8;",
        "ld.global.u64 %rd8, [%rd1]; mov.u64 %rd7, G; add.s64 %rd9, %rd7, %rd8;",
        "ld.global.u32 %r5, [%rd1]; mul.wide.s32 %rd8, %r5, 4; add.s64 %rd9, %rd2, %rd8;"
      })
  void aLoadedIndexIsNoAddress(String way) {
    AnalysedKernel kernel =
        AnalysedKernel.in(".global .b64 G[8];\n", way + "st.global.u32 [%rd9], 1;");

    assertThat(uses(kernel.p()) + uses(kernel.q())).isEmpty();
  }

  @Test
  void theArraysInATableMayHoldAddressesToo() {
    KernelAccesses accesses =
        AnalysedKernel.undeclared(
                ".entry k(.param .u64 t) {\n"
                    + AnalysedKernel.registers()
                    + "ld.param.u64 %rd1, [t]; ld.global.u64 %rd2, [%rd1]; ld.global.u64 %rd3,"
                    + " [%rd2]; st.global.u32 [%rd3], 1; ret; }\n",
                (parameter, offset) -> ParameterRole.TABLE)
            .accesses();

    assertThat(uses(accesses.contents(0, 0))).isEqualTo(" stores");
    assertThat(uses(accesses.parameter(0))).isEmpty();
  }
}
