package dev.streamfence.internal.ptx.symbolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.corpus.Corpus;
import dev.streamfence.corpus.KernelCase;
import dev.streamfence.internal.ptx.bounds.ArrayBounds;
import dev.streamfence.internal.ptx.bounds.KernelBounds;
import dev.streamfence.internal.ptx.races.KernelRaces;
import dev.streamfence.internal.ptx.races.LaunchSpace;
import dev.streamfence.internal.ptx.syntax.PtxEntry;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import dev.streamfence.internal.ptx.syntax.PtxParameter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the analyses of one kernel share. */
final class KernelFlowTest {
  private static final List<ArrayPlace> ARRAYS = List.of(new ArrayPlace(0, 0));

  private static final NumberLimits LIMITS =
      new NumberLimits(4, 0, List.of(new NumberLimits.ArrayLength(0, true)));

  private static KernelFlow kernel(String code) {
    PtxModule module =
        PtxModule.parse(
            """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .entry k(.param .u64 a)
            {
            .reg .b32 %r<3>; .reg .b64 %rd<3>;
            ld.param.u64 %rd1, [a];
            """
                + code
                + "st.global.u32 [%rd1], %r1; ret; }");
    return new KernelFlow(module, module.entries().get(0));
  }

  @Test
  void analysesWithTheSameArraysShareTheValues() {
    KernelFlow kernel = kernel("mov.u32 %r1, %tid.x; ");

    EvaluatedKernel values = kernel.values(ARRAYS, List.of(), Map.of(), 3);

    assertThat(kernel.values(ARRAYS, List.of(), Map.of(), 3)).isSameAs(values);
    assertThat(kernel.values(ARRAYS, List.of(), Map.of(), 1)).isSameAs(values);
    assertThat(values.formulas()).isSameAs(values.formulas());
  }

  @Test
  void analysesOfOtherArraysOrNumbersHaveValuesOfTheirOwn() {
    KernelFlow kernel = kernel("mov.u32 %r1, %tid.x; ");

    EvaluatedKernel values = kernel.values(ARRAYS, List.of(), Map.of(), 3);

    assertThat(kernel.values(ARRAYS, List.of(), Map.of(0, LIMITS), 3)).isNotSameAs(values);
    assertThat(kernel.values(List.of(), List.of(), Map.of(), 3)).isNotSameAs(values);
    assertThat(kernel.values(List.of(), ARRAYS, Map.of(), 3)).isNotSameAs(values);
  }

  /** The lane of a thread is known from its index in x alone only in blocks of one dimension. */
  @Test
  void theShapeOfBlocksMattersToCodeThatReadsTheLane() {
    KernelFlow kernel = kernel("mov.u32 %r1, %laneid; ");

    EvaluatedKernel values = kernel.values(ARRAYS, List.of(), Map.of(), 3);

    assertThat(kernel.values(ARRAYS, List.of(), Map.of(), 1)).isNotSameAs(values);
  }

  @Test
  void theOrderOfTheAnalysesDoesNotMatter() {
    Set<String> seen = new HashSet<>();
    int limited = 0;
    for (KernelCase each : Corpus.all()) {
      if (!seen.add(each.file() + each.entry())) {
        continue;
      }
      PtxModule module = PtxModule.parse(KernelCase.text(each.file()));
      PtxEntry entry = module.entry(each.entry()).orElseThrow();
      List<ArrayPlace> arrays = addresses(entry);
      KernelFlow first = new KernelFlow(module, entry);
      List<String> bounds = bounds(first, arrays);
      List<Object> races = races(first, arrays);
      KernelFlow second = new KernelFlow(module, entry);

      assertThat(races(second, arrays)).as(each.entry()).isEqualTo(races);
      assertThat(bounds(second, arrays)).as(each.entry()).isEqualTo(bounds);
      limited += (int) bounds.stream().filter(bound -> bound.startsWith("true")).count();
    }

    assertThat(limited).isGreaterThan(100);
  }

  @Test
  void racesAddNoNumbersThatBoundsDoNotNeed() {
    PtxModule module =
        PtxModule.parse(
            """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
            {
            .reg .b32 %r<4>; .reg .b64 %rd<8>;
            ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r2, [%rd4];
            mad.lo.s32 %r3, %r1, 16, %r2; mul.wide.s32 %rd5, %r3, 4; add.s64 %rd6, %rd2, %rd5;
            st.global.u32 [%rd6], %r1; add.s64 %rd7, %rd2, %rd3; st.global.u32 [%rd7], %r1; ret; }
            """);
    List<ArrayPlace> arrays = List.of(new ArrayPlace(0, 0), new ArrayPlace(1, 0));
    NumberLimits belowN =
        new NumberLimits(
            4, 0, List.of(new NumberLimits.PassedNumber(new NumberPlace(2, 0, 4), true)));
    Map<Integer, NumberLimits> limits = Map.of(0, belowN);
    KernelFlow kernel = new KernelFlow(module, module.entries().get(0));

    KernelRaces.of(kernel, arrays, List.of(), Map.of(), limits, LaunchSpace.ANY);

    assertThat(kernel.values(arrays, List.of(), limits, 3).memory().numbers()).isEmpty();
  }

  private static List<ArrayPlace> addresses(PtxEntry entry) {
    List<ArrayPlace> found = new ArrayList<>();
    for (int i = 0; i < entry.parameters().size(); i++) {
      PtxParameter parameter = entry.parameters().get(i);
      if (parameter.sizeInBytes() == Long.BYTES) {
        found.add(new ArrayPlace(i, 0));
      }
    }
    return found;
  }

  private static List<String> bounds(KernelFlow kernel, List<ArrayPlace> arrays) {
    KernelBounds found = KernelBounds.of(kernel, arrays, List.of());
    List<String> words = new ArrayList<>();
    for (ArrayBounds array : found.arrays()) {
      boolean isChecked = found.isChecked(words.size());
      words.add(array.isLimited() + " " + isChecked + " " + array.reason());
    }
    return words;
  }

  private static List<Object> races(KernelFlow kernel, List<ArrayPlace> arrays) {
    KernelRaces found =
        KernelRaces.of(kernel, arrays, List.of(), Map.of(), Map.of(), LaunchSpace.ANY);
    return List.of(found.verdict(), found.reason(), found.restrictions());
  }
}
