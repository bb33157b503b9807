package dev.streamfence.internal.ptx.races;

import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.races.KernelRaces.Verdict;
import dev.streamfence.internal.ptx.symbolic.ArrayPlace;
import dev.streamfence.internal.ptx.symbolic.KernelFlow;
import dev.streamfence.internal.ptx.syntax.PtxModule;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Dimensions in which a kernel shows that its launches have several threads or blocks, although it
 * does not read their index there: a proof that assumes one of them would be of no launch.
 */
final class ShownDimensionsTest {
  /** Adds 1 to the element with the index in {@code %r1}. */
  private static final String INCREMENT =
      "mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r8, [%rd3];"
          + " add.s32 %r8, %r8, 1; st.global.u32 [%rd3], %r8; ";

  private static KernelRaces of(String directives, String index, String after) {
    PtxModule module =
        PtxModule.parse(
            """
            .version 8.0
            .target sm_90
            .address_size 64
            .visible .entry k(.param .u64 a, .param .u32 n) %s
            {
            .reg .pred %%p<9>; .reg .b32 %%r<9>; .reg .b64 %%rd<9>;
            ld.param.u64 %%rd1, [a]; ld.param.u32 %%r7, [n];
            %s L: %s %s ret; }
            """
                .formatted(directives, index, INCREMENT, after));
    return KernelRaces.of(
        new KernelFlow(module, module.entries().get(0)),
        List.of(new ArrayPlace(0, 0)),
        List.of(),
        Map.of(),
        Map.of(),
        LaunchSpace.ANY);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "the number of blocks   | | mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %nctaid.x; mul.lo.s32 %r2, %r2, %r3;"
            + " | add.s32 %r1, %r1, %r2; setp.lt.s32 %p1, %r1, %r7; @%p1 bra L;",
        "the size of blocks     | | mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mul.lo.s32 %r1, %r1, %r2; | ",
        "their size in y        | | mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.y; | ",
        "the number in z        | | mov.u32 %r1, %tid.x; mov.u32 %r2, %nctaid.z; | ",
        "a lane                 | | mov.u32 %r1, %ctaid.x; mov.u32 %r2, %laneid; mad.lo.s32 %r1, %r1, 32, %r2; | ",
        "lanes below            | | mov.u32 %r1, %ctaid.x; mov.u32 %r2, %lanemask_lt; | ",
        "a warp                 | | mov.u32 %r1, %ctaid.x; mov.u32 %r2, %warpid; | ",
        "a barrier              | | mov.u32 %r1, %ctaid.x; | bar.sync 0;",
        "a sum of lanes         | | mov.u32 %r1, %ctaid.x; | redux.sync.add.s32 %r2, %r1, -1;",
        "a vote                 | | mov.u32 %r1, %ctaid.x; | vote.sync.all.pred %p2, %p1, -1;",
        "a size of clusters     | .reqnctapercluster 2, 1, 1 | mov.u32 %r1, %tid.x; | ",
        "a size of clusters, y  | .reqnctapercluster 1, 2, 1 | mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.s32 %r1, %r2, 1024, %r1; | ",
        "the place in a cluster | | mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctaid.x; | ",
        "the rank in a cluster  | | mov.u32 %r1, %tid.x; mov.u32 %r2, %cluster_ctarank; | ",
        "the fourth number of a cluster | | mov.u32 %r1, %tid.x; mov.u32 %r2, %clusterid.w; | ",
        "another name of the third one  | | mov.u32 %r1, %tid.x; mov.u32 %r2, %clusterid.b; | ",
      })
  void whatShowsSeveralIsNotAssumedToBeOne(
      String what, String directives, String index, String after) {
    String own = directives == null ? "" : directives;
    KernelRaces races = of(own, index, after == null ? "" : after);

    // Where it is proved for one of them, the interface has to declare that.
    boolean isAssumed =
        races.verdict() == Verdict.PROVED
            && races.restrictions().stream().noneMatch(KernelRaces.Restriction::isRead);
    assertThat(isAssumed).as(what).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "%tid.x   | gridDim.x",
        "%ctaid.x | blockDim.x",
      })
  void whatTheCodeIgnoresIsAssumedToBeOne(String index, String assumed) {
    KernelRaces races = of("", "mov.u32 %r1, " + index + ";", "");

    assertThat(races.verdict()).isEqualTo(Verdict.PROVED);
    assertThat(races.restrictions())
        .contains(new KernelRaces.Restriction(assumed, 1, false))
        .allSatisfy(each -> assertThat(each.most()).isEqualTo(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        ".reqnctapercluster 1, 1, 1 | mov.u32 %r1, %tid.x;",
        ".maxntid 128               | mov.u32 %r1, %ctaid.x;",
        "''                         | mov.u32 %r1, %tid.x; mov.pred %p2, %is_explicit_cluster;",
      })
  void whatMayBeOneIsAssumedToBeOne(String directives, String index) {
    assertThat(of(directives, index, "").verdict()).isEqualTo(Verdict.PROVED);
  }

  @Test
  void sizesOfDimensionsOnWhichNoPlaceDependsMakeNoRaceCertain() {
    KernelRaces races =
        of(
            "",
            "mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;"
                + " mad.lo.s32 %r1, %r3, %r2, %r1; mov.u32 %r4, %nctaid.x; mov.u32 %r5, %nctaid.y;",
            "");

    assertThat(races.verdict()).isEqualTo(Verdict.UNKNOWN);
  }
}
