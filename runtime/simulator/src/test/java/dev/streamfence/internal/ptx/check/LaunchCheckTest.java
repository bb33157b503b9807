package dev.streamfence.internal.ptx.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.KernelCase;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.launch.KernelSignature;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What kernels need of their launches, and declarations that do not give it. */
final class LaunchCheckTest {
  private static final String SM_90 =
      """
      .version 8.0
      .target sm_90a
      .address_size 64
      .visible .entry k(.param .u64 x)
      %s
      {
        .reg .b32 %%r<4>;
        .reg .b64 %%rd<4>;
        ld.param.u64 %%rd1, [x];
        cvta.to.global.u64 %%rd2, %%rd1;
        st.global.u32 [%%rd2], 1;
        %s
        ret;
      }
      """;

  private static List<String> mistakes(String ptx, KernelSignature declared) {
    return new KernelCheck(PtxModule.parse(ptx))
        .compare(declared).stream()
            .filter(mismatch -> mismatch.parameter() < 0)
            .map(mismatch -> mismatch.sentence(declared, site -> site.instruction()))
            .toList();
  }

  private static List<String> mistakesIn(String file, KernelSignature declared) {
    return mistakes(KernelCase.text(file), declared);
  }

  private static KernelSignature kernel(String entry) {
    return KernelSignature.entry(entry).readWrites("x", float[].class);
  }

  private static KernelSignature square(String entry, int x, int y) {
    return kernel(entry).requiredBlock(x, y, 1).shape("shape");
  }

  private static KernelSignature line(String entry, int threads) {
    return square(entry, threads, 1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"access/traps.ptx", "access/traps-debug.ptx"})
  void aGridBarrierNeedsACooperativeLaunch(String file) {
    KernelSignature declared =
        KernelSignature.entry("gridWide")
            .readWrites("data", int[].class)
            .writes("out", int[].class)
            .shape("shape");
    String sentence =
        "gridWide is not cooperative, but the kernel waits for its whole grid:"
            + " atom.add.release.gpu.u32";

    assertThat(mistakesIn(file, declared)).containsExactly(sentence);
    assertThat(mistakesIn(file, declared.cooperative())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"launch.ptx", "launch-debug.ptx"})
  void theMemoryOfAGridBarrierIsThatOfNoParameter(String file) {
    KernelSignature declared =
        KernelSignature.entry("meets_and_reads")
            .reads("in", float[].class)
            .readWrites("out", float[].class)
            .shape("shape")
            .cooperative();

    assertThat(new KernelCheck(PtxModule.parse(KernelCase.text(file))).compare(declared)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"launch.ptx", "launch-debug.ptx"})
  void codeThatAsksWhetherItsLaunchIsCooperativeMayRunWithout(String file) {
    assertThat(mistakesIn(file, kernel("meets_if_valid").shape("shape"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "launch.ptx, stores_to_room, st.shared.f32",
    "launch.ptx, calls_into_room, ld.shared.f32",
    "launch-debug.ptx, stores_to_room, st.f32",
    "launch-debug.ptx, calls_into_room, ld.f32"
  })
  void dynamicSharedMemoryNeedsASize(String file, String entry, String instruction) {
    KernelSignature declared = kernel(entry).threads("n", int.class, 128);
    String ptx =
        KernelCase.text(file).replace(entry + "_param_0\n)", entry + "_param_0,\n.param .u32 n)");

    assertThat(mistakes(ptx, declared))
        .containsExactly(
            entry + " has no dynamic shared memory, but the kernel uses it: " + instruction);
    assertThat(mistakes(ptx, declared.dynamicSharedBytes(512))).isEmpty();
    assertThat(mistakes(ptx, declared.dynamicSharedBytes("bytes"))).isEmpty();
    assertThat(mistakesIn(file, kernel(entry).shape("shape"))).isEmpty();
  }

  @Test
  void aQuestionForTheSizeOfDynamicSharedMemoryNeedsASize() {
    String ptx =
        SM_90.formatted("", "mov.u32 %r1, %dynamic_smem_size;").replace("x)", "x, .param .u32 n)");
    KernelSignature declared = kernel("k").threads("n", int.class, 128);

    assertThat(mistakes(ptx, declared))
        .containsExactly("k has no dynamic shared memory, but the kernel uses it: mov.u32");
    assertThat(mistakes(ptx, declared.dynamicSharedBytes(1))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "barrier.cluster.arrive;",
        "mov.u32 %r1, %cluster_ctarank;",
        "mov.u32 %r1, %cluster_nctaid.x;",
        "mapa.u64 %rd3, %rd2, 1;"
      })
  void clustersNeedASizeInTheCode(String instruction) {
    KernelSignature declared = kernel("k").shape("shape");

    assertThat(mistakes(SM_90.formatted("", instruction), declared))
        .singleElement()
        .asString()
        .startsWith("k is launched in clusters of one block, but the kernel uses clusters: ");
    assertThat(mistakes(SM_90.formatted(".reqnctapercluster 2, 1, 1", instruction), declared))
        .isEmpty();
    assertThat(
            mistakes(
                SM_90.formatted("", "mov.u32 %r2, %is_explicit_cluster;" + instruction), declared))
        .isEmpty();
    assertThat(mistakes(SM_90.formatted("", "bra DONE; " + instruction + " DONE:"), declared))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "setmaxnreg.inc.sync.aligned.u32 232;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1,%r2}, %rd1, %rd2, 1, 1, 1, 0, 0;"
      })
  void warpGroupsNeedWholeOnes(String instruction) {
    String ptx = SM_90.formatted("", instruction);

    assertThat(mistakes(ptx, line("k", 192)))
        .singleElement()
        .asString()
        .startsWith(
            "k requires blocks of 192 x 1 x 1 threads; the kernel takes warp groups of 128"
                + " threads: ");
    assertThat(mistakes(ptx, line("k", 384))).isEmpty();
    assertThat(mistakes(ptx, square("k", 1, 128))).isEmpty();
    assertThat(mistakes(ptx, kernel("k").requiredBlock(2, 4, 16).shape("shape"))).isEmpty();
    assertThat(mistakes(ptx, square("k", 64, 3))).hasSize(1);
    assertThat(mistakes(ptx, kernel("k").shape("shape"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "turns, 128, 1, '', '', 0, 0",
    "turns, 129, 1, 'thread 128 of a block of 129', tile, 512, 512",
    "turns, 256, 1, 'thread 128 of a block of 256', tile, 512, 512",
    "transposes, 16, 16, '', '', 0, 0",
    "transposes, 32, 8, 'thread (16, 0, 0) of a block of 32 x 8 x 1', tile, 1088, 1088",
    "sums_warps, 128, 1, '', '', 0, 0",
    "sums_warps, 160, 1, 'thread 128 of a block of 160', sums, 16, 16",
    "turns_guarded, 1024, 1, '', '', 0, 0",
    "turns_or_traps, 1024, 1, '', '', 0, 0"
  })
  void aThreadThatLeavesATileIsNamedWithIt(
      String entry, int x, int y, String thread, String tile, int offset, int size) {
    for (String file : List.of("launch.ptx", "launch-debug.ptx")) {
      List<String> mistakes = mistakesIn(file, square(entry, x, y));
      if (thread.isEmpty()) {
        assertThat(mistakes).as(file).isEmpty();
      } else {
        assertThat(mistakes)
            .singleElement()
            .asString()
            .startsWith(
                entry
                    + ": "
                    + thread
                    + " accesses byte "
                    + offset
                    + " of the shared array '"
                    + tile
                    + "', which has "
                    + size
                    + " bytes: ");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"launch.ptx", "launch-debug.ptx"})
  void anAccessThatDependsOnArgumentsIsNotCertain(String file) {
    assertThat(mistakesIn(file, kernel("turns_some").threads("n", int.class, 256))).hasSize(1);
    assertThat(mistakesIn(file, kernel("turns_inside").threads("n", int.class, 256))).isEmpty();
  }
}
