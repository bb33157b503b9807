package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.SourcePosition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  private static String position(String locations) {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            """
            LOCATIONS
              st.global.u32 [%rd1], 1;
              bra END; END:
            ret; }
            .file 1 "/home/me/kernels.cu"
            .file 2 "/home/me/helpers.cuh"
            .file 3 "/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp"
            .file 4 "C:\\\\CUDA\\\\v13.0\\\\include\\\\crt\\\\device_functions.h"
            .file 5 "device_atomic_functions.hpp"
            .entry other() {
            bra END; END:
            """
                .replace("LOCATIONS", locations));
    PtxEntry entry = kernel.module().entry("k").orElseThrow();
    return KernelAccesses.of(kernel.module(), entry)
        .parameter(0)
        .write()
        .flatMap(AccessSite::position)
        .map(SourcePosition::toString)
        .orElse("none");
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5})
  void inAHeaderOfTheToolkitTheCallCounts(int header) {
    String inlined = ".loc " + header + " 107 3, function_name $n, inlined_at ";

    assertThat(position(inlined + "1 21 5")).isEqualTo("/home/me/kernels.cu:21");
    assertThat(position(inlined + "2 9 5")).isEqualTo("/home/me/helpers.cuh:9");
    assertThat(position(".loc " + header + " 107 3")).endsWith(":107");
    assertThat(position(inlined + "9 9 9")).endsWith(":107");
  }

  @Test
  void callsInHeadersOfTheToolkitAreFollowedFurther() {
    assertThat(
            position(
                """
                .loc 4 50 3, function_name $a, inlined_at 1 30 5
                .loc 3 60 3, function_name $b, inlined_at 4 50 3
                .loc 5 70 3, function_name $c, inlined_at 3 60 3
                """))
        .isEqualTo("/home/me/kernels.cu:30");
  }

  @Test
  void noSiteOfTheCorpusIsInAHeaderOfTheToolkit() {
    List<String> inHeaders = new ArrayList<>();
    for (var file : AccessTruth.corpus().entrySet()) {
      PtxModule module = PtxModule.parse(AccessTruth.ptx(file.getKey()));
      for (AccessTruth truth : file.getValue()) {
        PtxEntry entry = module.entry(truth.entry()).orElseThrow();
        KernelAccesses accesses = KernelAccesses.of(module, entry);
        for (int i = 0; i < truth.parameters().size(); i++) {
          ParameterAccess access = accesses.parameter(i);
          Stream.of(access.read(), access.write(), access.possibleRead(), access.possibleWrite())
              .flatMap(Optional::stream)
              .flatMap(site -> site.position().stream())
              .filter(position -> !position.file().equals(file.getKey() + ".cu"))
              // Its folder, which would tell, is not in the corpus.
              .filter(position -> !position.file().equals("async.h"))
              .forEach(position -> inHeaders.add(truth.entry() + " " + position));
        }
      }
    }

    assertThat(inHeaders).isEmpty();
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

  /** A pointer that is made of two. */
  private static final String MIXED = "xor.b64 %rd5, %rd1, %rd2;\n";

  private static String cause(String body) {
    return AnalysedKernel.of(body)
        .p()
        .unknown()
        .flatMap(AccessSite::cause)
        .map(AccessSite::instruction)
        .orElse("none");
  }

  @ParameterizedTest
  @CsvSource({
    "'st.global.u32 [%rd5], 1;', xor.b64",
    "'add.s64 %rd6, %rd5, 8; st.global.u32 [%rd6], 1;', xor.b64",
    "'add.s64 %rd6, %rd4, %rd5; st.global.u32 [%rd6], 1;', xor.b64",
    "'L: st.global.u32 [%rd5], 1; add.s64 %rd5, %rd5, 4; bra L;', xor.b64",
    "'add.s64 %rd5, %rd5, 4; add.s64 %rd5, %rd5, 4; st.global.u32 [%rd5], 1;', xor.b64",
    "'or.b64 %rd6, %rd5, %rd3; mov.u64 %rd7, %rd6; st.global.u32 [%rd7], 1;', xor.b64",
    "'st.local.u64 [kept], %rd5; ld.local.u64 %rd6, [kept]; st.global.u32 [%rd6], 1;', ld.local.u64",
    "'st.global.u32 [%rd1], 1;', none"
  })
  void theCauseOfAnUnclearAccessIsWhereThePointerGetsOutOfSight(String body, String cause) {
    assertThat(cause(".local .align 8 .b8 kept[8];\n" + MIXED + body.replace("; ", ";\n")))
        .isEqualTo(cause);
  }
}
