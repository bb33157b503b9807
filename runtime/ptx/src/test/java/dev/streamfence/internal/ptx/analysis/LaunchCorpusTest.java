package dev.streamfence.internal.ptx.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Corpus;
import dev.streamfence.corpus.KernelCase;
import dev.streamfence.internal.ptx.bounds.TileOverrun;
import dev.streamfence.internal.ptx.syntax.BlockLimit;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Kernels of the corpora need nothing that their own launches do not have. */
final class LaunchCorpusTest {
  private static final List<LaunchNeed> NEVER =
      List.of(LaunchNeed.COOPERATIVE, LaunchNeed.CLUSTER, LaunchNeed.WARP_GROUPS);

  @Test
  void launchesOfTheCorpusHaveWhatTheirKernelsNeed() {
    List<String> reported = new ArrayList<>();
    for (KernelCase each : Corpus.all()) {
      PtxModule module = PtxModule.parse(KernelCase.text(each.file()));
      PtxEntry entry = module.entry(each.entry()).orElseThrow();
      ModuleAnalysis analysis = new ModuleAnalysis(module);
      PtxGrid grid = each.grid();
      LaunchFacts facts = LaunchFacts.of(analysis, entry);
      NEVER.forEach(need -> add(reported, each, facts.site(need)));
      if (grid.dynamicSharedBytes() == 0) {
        add(reported, each, facts.site(LaunchNeed.DYNAMIC_SHARED));
      }
      BlockLimit block = new BlockLimit(grid.blockX(), grid.blockY(), grid.blockZ(), true);
      add(reported, each, TileOverrun.of(module, entry, block));
    }

    assertThat(reported).isEmpty();
  }

  private static void add(List<String> reported, KernelCase each, Optional<?> found) {
    found.ifPresent(what -> reported.add(each + ": " + what));
  }

  /** The simulation runs these kernels in blocks of 32 threads, and finds no fault in them. */
  @Test
  void kernelsOfTheAccessCorpusFitTheirBlocks() {
    List<String> barriers = new ArrayList<>();
    AccessTruth.corpus()
        .forEach(
            (file, truths) -> {
              for (String suffix : List.of("", "-debug")) {
                PtxModule module = PtxModule.parse(AccessTruth.ptx(file + suffix));
                ModuleAnalysis analysis = new ModuleAnalysis(module);
                for (PtxEntry entry : module.entries()) {
                  LaunchFacts facts = LaunchFacts.of(analysis, entry);
                  facts
                      .site(LaunchNeed.COOPERATIVE)
                      .ifPresent(site -> barriers.add(entry.name() + suffix));
                  assertThat(facts.site(LaunchNeed.CLUSTER)).as(entry.name()).isEmpty();
                  assertThat(TileOverrun.of(module, entry, new BlockLimit(32, 1, 1, true)))
                      .as(entry.name() + suffix)
                      .isEmpty();
                }
              }
            });

    assertThat(barriers).containsExactly("gridWide", "gridWide-debug");
  }

  /** Damaged code, as far as it can still be parsed, gives an answer, whatever it is. */
  @ParameterizedTest
  @ValueSource(strings = {"launch.ptx", "launch-debug.ptx", "access/traps.ptx"})
  void damagedCodeThrowsNothing(String file) {
    Random random = new Random(7);
    List<String> lines = KernelCase.text(file).lines().toList();
    List<String> words = List.of("ld", "st", "setp", "cvt", "atom", "bra", "call", "mad", "shl");
    int parsed = 0;
    for (int round = 0; round < 50; round++) {
      List<String> damaged = new ArrayList<>(lines);
      for (int i = 0; i < 8; i++) {
        int at = random.nextInt(damaged.size());
        String line = damaged.get(at);
        damaged.set(
            at,
            switch (random.nextInt(4)) {
              case 0 -> damaged.get(random.nextInt(damaged.size()));
              case 1 -> line.replaceFirst("[a-z]+(?=\\.)", words.get(random.nextInt(words.size())));
              case 2 -> line.replaceFirst(", [^,;]+", "");
              default -> line.replaceFirst("\\.[a-z]\\d\\d", random.nextBoolean() ? "" : ".lo");
            });
      }
      PtxModule module;
      try {
        module = PtxModule.parse(String.join("\n", damaged));
      } catch (PtxException e) {
        continue;
      }
      parsed++;
      for (PtxEntry entry : module.entries()) {
        ModuleAnalysis analysis = new ModuleAnalysis(module);
        assertThat(LaunchFacts.of(analysis, entry)).isNotNull();
        assertThat(TileOverrun.of(module, entry, new BlockLimit(33, 2, 1, true))).isNotNull();
      }
    }
    assertThat(parsed).isGreaterThan(10);
  }
}
