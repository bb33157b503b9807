package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.SourcePosition;
import org.junit.jupiter.api.Test;

class AccessSiteTest {
  @Test
  void aSiteIsTheFirstInTheTextWithItsInnermostSourcePosition() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            """
              .loc 1 20 3
              ld.global.u32 %r5, [%rd1];
              .loc 2 7 5, function_name $inlined, inlined_at 1 21 3
              st.global.v2.u32 [%rd1], {%r5, %r5};
              .loc 1 22 3
              st.global.u32 [%rd1], %r5;
            }
            .file 1 "a.cu"
            .file 2 "b.cuh"
            .entry other() {
            """
                .replace("\n}\n", "\nbra END; END: }\n"));
    PtxEntry entry = kernel.module().entry("k").orElseThrow();
    ParameterAccess p = KernelAccesses.of(kernel.module(), entry).parameter(0);

    AccessSite read = p.read().orElseThrow();
    AccessSite write = p.write().orElseThrow();
    assertThat(read.position()).contains(new SourcePosition("a.cu", 20));
    assertThat(write.position()).contains(new SourcePosition("b.cuh", 7));
    assertThat(write.instruction()).isEqualTo("st.global.v2.u32");
    assertThat(write.function()).isEqualTo("k");
    assertThat(write.line()).isEqualTo(read.line() + 2);
    assertThat(write.reason()).isEmpty();
    assertThat(write).hasToString("st.global.v2.u32 in line " + write.line() + " (b.cuh:7)");
  }

  @Test
  void aDoubtNamesTheParametersInQuestion() {
    AnalysedKernel kernel =
        AnalysedKernel.of("selp.b64 %rd9, %rd1, %rd3, %p1; ld.global.u32 %r5, [%rd9];");

    assertThat(kernel.t().unknown().orElseThrow().reason())
        .contains("its address may come from parameter 1 or parameter 3");
  }

  @Test
  void withoutALocationThereIsNoPosition() {
    AnalysedKernel kernel = AnalysedKernel.of("ld.global.u32 %r5, [%rd1];");

    assertThat(kernel.p().read().orElseThrow().position()).isEmpty();
  }

  @Test
  void aParameterOutOfRangeIsRefused() {
    AnalysedKernel kernel = AnalysedKernel.of("");

    assertThatThrownBy(() -> kernel.accesses().parameter(5))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> kernel.accesses().parameter(4, 4))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
