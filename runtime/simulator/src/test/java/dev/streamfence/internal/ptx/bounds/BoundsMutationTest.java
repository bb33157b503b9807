package dev.streamfence.internal.ptx.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.CorpusKernels;
import dev.streamfence.internal.ptx.run.PtxProgram;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxException;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Moves each guard of the corpus's kernels by one. With arrays as long as the right kernel needs, a
 * launch of the wrong one that leaves them is a bug; the table counts how many the comparison
 * before the launch notices.
 */
@Tag("exhaustive")
class BoundsMutationTest {
  private static final Map<String, String> BY_ONE =
      Map.of("ge", "gt", "gt", "ge", "lt", "le", "le", "lt");

  private static final Pattern GUARD = Pattern.compile("setp\\.(ge|gt|lt|le)\\.[su](32|64)");
  private static final int LAUNCHES = 6;

  /** Every so many guards are moved: each one takes a translation of its module. */
  private static final int EVERY = 12;

  @Test
  void mostGuardsThatAreOffByOneAreNoticedBeforeTheLaunch() throws Exception {
    int seen = 0;
    int planted = 0;
    int harmful = 0;
    int noticed = 0;
    int refusedWrongly = 0;
    for (Path file : CorpusKernels.files()) {
      String text = Files.readString(file);
      PtxModule right = PtxModule.parse(text);
      PtxProgram rightProgram;
      try {
        rightProgram = PtxProgram.translate(right);
      } catch (PtxException e) {
        // The interpreter does not know an instruction of the module.
        continue;
      }
      Matcher guards = GUARD.matcher(text);
      while (guards.find()) {
        String wrong =
            text.substring(0, guards.start(1))
                + BY_ONE.get(guards.group(1))
                + text.substring(guards.end(1));
        int at = guards.start();
        PtxEntry entry = entryAt(right, text, at);
        if (entry == null || ++seen % EVERY != 0) {
          continue;
        }
        Outcome outcome;
        try {
          outcome = compare(right, rightProgram, PtxModule.parse(wrong), entry);
        } catch (PtxException e) {
          // The kernel calls a function with such an instruction.
          continue;
        }
        planted++;
        harmful += outcome.harmful ? 1 : 0;
        noticed += outcome.noticed ? 1 : 0;
        refusedWrongly += outcome.noticed && !outcome.harmful ? 1 : 0;
      }
    }
    System.out.println(
        "Guards moved by one: "
            + planted
            + " planted, "
            + harmful
            + " leave an array in some launch, "
            + noticed
            + " are noticed before it");

    assertThat(refusedWrongly).isZero();
    assertThat(harmful).isGreaterThan(5);
    assertThat(noticed).isGreaterThan(harmful * 6 / 10);
  }

  private record Outcome(boolean harmful, boolean noticed) {}

  private static PtxEntry entryAt(PtxModule module, String text, int at) {
    long line = text.substring(0, at).lines().count();
    PtxEntry found = null;
    for (PtxEntry entry : module.entries()) {
      boolean before = entry.line() <= line && (found == null || entry.line() > found.line());
      found = before ? entry : found;
    }
    return found;
  }

  private static Outcome compare(
      PtxModule right, PtxProgram rightProgram, PtxModule wrong, PtxEntry entry) {
    PtxEntry changed = wrong.entry(entry.name()).orElseThrow();
    List<ArrayPlace> arrays = CorpusKernels.arrays(entry);
    KernelBounds rightBounds = KernelBounds.of(right, entry, arrays);
    KernelBounds wrongBounds = KernelBounds.of(wrong, changed, arrays);
    PtxProgram wrongProgram = PtxProgram.translate(wrong);
    BoundsEvaluator evaluator = RecordedBounds.of(wrongBounds.launches()).evaluator();
    boolean harmful = false;
    boolean noticed = false;
    for (int i = 0; i < LAUNCHES; i++) {
      ObservedLaunch good =
          new ObservedLaunch(right, rightProgram, entry, rightBounds, new Random(i));
      ObservedLaunch bad =
          new ObservedLaunch(wrong, wrongProgram, changed, wrongBounds, new Random(i));
      good.run();
      bad.run();
      if (!good.completed || !bad.completed) {
        continue;
      }
      for (int array = 0; array < arrays.size(); array++) {
        long length = end(good, array);
        harmful |= end(bad, array) > length;
        noticed |= evaluator.reach(array, bad) && evaluator.reachedEnd() > length;
      }
    }
    return new Outcome(harmful, noticed);
  }

  private static long end(ObservedLaunch launch, int array) {
    return launch.touched(array).stream().mapToLong(Long::longValue).max().orElse(-1) + 1;
  }
}
