package dev.streamfence.internal.ptx.analysis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Code that is written for one block size, and code that is not. */
final class BlockSizeDependenceTest {
  private static Optional<AccessSite> find(String ptx, String entry) {
    PtxModule module = PtxModule.parse(ptx);
    return BlockSizeDependence.of(new ModuleAnalysis(module), module.entry(entry).orElseThrow());
  }

  private static Optional<AccessSite> findIn(String file, String entry) throws IOException {
    try (InputStream in =
        BlockSizeDependenceTest.class.getResourceAsStream(
            "/dev/streamfence/internal/ptx/access/" + file)) {
      return find(new String(in.readAllBytes(), UTF_8), entry);
    }
  }

  /** A kernel whose global index is right for every block size. */
  private static Optional<AccessSite> findInKernel(String functions, String body) {
    return find(
        """
        .version 7.0
        .target sm_80
        .address_size 64
        .shared .align 4 .b8 tile[1024];
        .extern .shared .align 16 .b8 room[];
        %s
        .visible .entry k(.param .u64 out, .param .u32 n)
        {
          .local .align 8 .b8 depot[16];
          .reg .pred %%p<4>;
          .reg .b32 %%r<20>;
          .reg .b64 %%rd<20>;
          ld.param.u64 %%rd1, [out];
          mov.u32 %%r1, %%tid.x;
          mov.u32 %%r2, %%ntid.x;
          mov.u32 %%r3, %%ctaid.x;
          mad.lo.s32 %%r4, %%r3, %%r2, %%r1;
          mul.wide.s32 %%rd2, %%r4, 4;
          add.s64 %%rd3, %%rd1, %%rd2;
          shl.b32 %%r5, %%r1, 2;
        %s
          ret;
        }
        """
            .formatted(functions, body),
        "k");
  }

  @ParameterizedTest
  @CsvSource({
    "shared.ptx,       reduce",
    "shared-debug.ptx, reduce",
    "shared.ptx,       transpose",
    "shared-debug.ptx, transpose",
    "shared.ptx,       bitonic",
    "shared-debug.ptx, bitonic",
    "shared.ptx,       scan",
    "shared-debug.ptx, scan",
    "shared.ptx,       carved",
    "shared-debug.ptx, carved",
    "shared.ptx,       radixCount",
    "shared.ptx,       lifeBits",
  })
  void compiledTilesAreFound(String file, String kernel) throws IOException {
    assertThat(findIn(file, kernel))
        .get()
        .extracting(AccessSite::reason)
        .asString()
        .contains("the address in shared memory", "is computed from %tid");
  }

  @ParameterizedTest
  @CsvSource({
    "shared.ptx,       convolve",
    "shared-debug.ptx, convolve",
    "shared.ptx,       median",
    "shared-debug.ptx, median",
    "shared.ptx,       radixScatter",
    "shared-debug.ptx, radixScatter",
  })
  void compiledCodeForEveryBlockSizeIsLeftAlone(String file, String kernel) throws IOException {
    assertThat(findIn(file, kernel)).isEmpty();
  }

  @Test
  void threadsThatAreCountedWithoutTheBlockSizeAreFound() throws IOException {
    assertThat(findIn("shared.ptx", "softmax").flatMap(AccessSite::reason))
        .hasValue("the code reads %tid and never %ntid");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mov.u32 %r6, tile; add.s32 %r7, %r6, %r5; st.shared.u32 [%r7], %r1;",
        "mov.u32 %r6, tile; add.s32 %r7, %r6, %r5; ld.shared.u32 %r8, [%r7+4];",
        "mov.u32 %r6, tile; add.s32 %r7, %r6, %r5; atom.shared.add.u32 %r8, [%r7], 1;",
        "mov.u32 %r6, tile; add.s32 %r7, %r6, %r5; red.shared.add.u32 [%r7], 1;",
        "mov.u32 %r6, tile; add.s32 %r7, %r6, %r5; cp.async.ca.shared.global [%r7], [%rd1], 4;",
        // By a generic address.
        "cvta.shared.u64 %rd4, tile; cvt.u64.u32 %rd5, %r5; add.s64 %rd6, %rd4, %rd5;"
            + " st.u32 [%rd6], 1;",
        // By way of a predicate, of a number of the warp, and of another dimension.
        "setp.eq.s32 %p1, %r1, 0; selp.b32 %r6, 0, 4, %p1; mov.u32 %r7, tile;"
            + " add.s32 %r8, %r6, %r7; st.shared.u32 [%r8], 1;",
        "mov.u32 %r6, %warpid; shl.b32 %r6, %r6, 2; mov.u32 %r7, tile; add.s32 %r8, %r6, %r7;"
            + " st.shared.u32 [%r8], 1;",
        "mov.u32 %r6, tile; mov.u32 %r8, %tid.y; add.s32 %r7, %r6, %r8; st.shared.u32 [%r7], 1;",
        // By way of local memory.
        "st.local.u32 [depot], %r5; ld.local.u32 %r6, [depot]; mov.u32 %r7, tile;"
            + " add.s32 %r8, %r6, %r7; st.shared.u32 [%r8], 1;",
        "mov.u64 %rd4, depot; st.local.u32 [%rd4], %r5; ld.local.u32 %r6, [%rd4+8];"
            + " mov.u32 %r7, tile; add.s32 %r8, %r6, %r7; st.shared.u32 [%r8], 1;",
      })
  void anAddressInATileThatTheThreadDecidesIsFound(String body) {
    assertThat(findInKernel("", body).flatMap(AccessSite::reason).orElseThrow())
        .startsWith("the address in shared memory 'tile' is computed from %tid");
  }

  @Test
  void dynamicSharedMemoryIsATileAsWell() {
    assertThat(
            findInKernel("", "mov.u32 %r6, room; add.s32 %r7, %r6, %r5; st.shared.u32 [%r7], 1;")
                .flatMap(AccessSite::reason))
        .hasValue("the address in shared memory 'room' is computed from %tid");
  }

  @Test
  void aTileIsFoundInAFunctionThatTheKernelCalls() {
    String function =
        """
        .func (.param .b32 got) at(.param .b32 tile_of, .param .b32 index)
        {
          .reg .b32 %r<4>;
          ld.param.u32 %r1, [tile_of];
          ld.param.u32 %r2, [index];
          add.s32 %r3, %r1, %r2;
          st.param.b32 [got], %r3;
          ret;
        }
        .func put(.reg .b32 %a) { st.shared.u32 [%a], 1; ret; }
        """;
    String body =
        "mov.u32 %%r6, tile; { .param .b32 a; .param .b32 b; .param .b32 c;"
            + " st.param.b32 [a], %%r6; st.param.b32 [b], %s; call (c), at, (a, b);"
            + " ld.param.b32 %%r7, [c]; } call put, (%%r7);";

    Optional<AccessSite> found = findInKernel(function, body.formatted("%r5"));

    assertThat(found.orElseThrow().function()).isEqualTo("put");
    assertThat(found.flatMap(AccessSite::reason))
        .hasValue("the address in shared memory 'tile' is computed from %tid");
    assertThat(findInKernel(function, body.formatted("%r3"))).isEmpty();
  }

  @Test
  void aBarrierForAConstantNumberOfThreadsIsFound() {
    assertThat(findInKernel("", "bar.sync 1, 128;").flatMap(AccessSite::reason))
        .hasValue("the barrier waits for 128 threads");
    assertThat(findInKernel("", "barrier.arrive 1, 64;")).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "st.global.u32 [%rd3], 1;",
        "bar.sync 0; bar.warp.sync 0xffffffff; bar.sync 1, %r2;",
        "st.shared.u32 [tile], %r1; ld.shared.u32 %r6, [tile+4];",
        // A histogram: what decides the address is in global memory.
        "ld.global.u32 %r6, [%rd3]; and.b32 %r6, %r6, 60; mov.u32 %r7, tile;"
            + " add.s32 %r8, %r6, %r7; atom.shared.add.u32 %r9, [%r8], 1;",
        // One element per block or per lane, whatever the block size.
        "mov.u32 %r6, tile; add.s32 %r7, %r6, %r3; st.shared.u32 [%r7], 1;",
        "mov.u32 %r6, %laneid; mov.u32 %r7, tile; add.s32 %r8, %r6, %r7; st.shared.u32 [%r8], 1;",
        // Memory of the thread itself.
        "mov.u64 %rd4, depot; cvt.u64.u32 %rd5, %r5; add.s64 %rd6, %rd4, %rd5;"
            + " st.local.u32 [%rd6], 1;",
        "cp.async.ca.shared.global [tile], [%rd3], 4;",
      })
  void codeForEveryBlockSizeIsLeftAlone(String body) {
    assertThat(findInKernel("", body)).isEmpty();
  }

  @Test
  void aKernelThatDoesNotAskForItsThreadIsLeftAlone() {
    String ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

    assertThat(find(ptx, "k")).isEmpty();
  }

  @Test
  void codeThatIsTooLargeIsLeftAlone() {
    PtxModule module =
        PtxModule.parse(
            ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()"
                + " { bar.sync 1, 128; ret; }\n");

    assertThat(
            BlockSizeDependence.of(
                new ModuleAnalysis(module, new AnalysisBudget(1)), module.entry("k").orElseThrow()))
        .isEmpty();
  }
}
