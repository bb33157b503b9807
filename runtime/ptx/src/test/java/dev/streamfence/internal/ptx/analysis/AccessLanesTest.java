package dev.streamfence.internal.ptx.analysis;

import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.NONE;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.READS;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.UNKNOWN;
import static dev.streamfence.internal.ptx.analysis.ParameterAccess.Verdict.WRITES;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pointers that cross from one lane to another, in the carry flag, or bit by bit. */
final class AccessLanesTest {
  private static final String STORE = "st.global.u32 [%rd9], 1;";

  /** One branch passes the halves of q, and the other one stores through what it receives. */
  private static String branches(String kind) {
    return """
        mov.b64 {%r2, %r3}, %rd2;
        mov.u32 %r4, %tid.x;
        setp.eq.u32 %p1, %r4, 0;
        @%p1 bra GIVE;
        KIND %r5, 0, ARGUMENTS;
        KIND %r6, 0, ARGUMENTS;
        mov.b64 %rd9, {%r5, %r6};
        STORE
        ret;
        GIVE:
        KIND %r7, %r2, ARGUMENTS;
        KIND %r8, %r3, ARGUMENTS;
        """
        .replace("KIND", kind)
        .replace("ARGUMENTS", kind.startsWith("shfl") ? "0, 31, -1" : "-1")
        .replace("STORE", STORE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shfl.sync.idx.b32", "shfl.sync.down.b32", "redux.sync.or.b32"})
  void aLaneMayReceiveThePointerThatAnotherBranchPasses(String kind) {
    AnalysedKernel kernel = AnalysedKernel.of(branches(kind));

    assertThat(kernel.q().verdict()).isIn(WRITES, UNKNOWN);
    assertThat(kernel.verdicts()).element(0).isEqualTo(NONE);
    assertThat(kernel.verdicts()).element(2).isEqualTo(NONE);
  }

  @Test
  void aLaneInACalledFunctionReceivesWhatTheCallerPasses() {
    AnalysedKernel kernel =
        AnalysedKernel.in(
            """
            .func receive() {
            """
                + AnalysedKernel.registers()
                + """
                shfl.sync.idx.b32 %r5|%p1, 0, 0, 31, -1;
                shfl.sync.idx.b32 %r6|%p1, 0, 0, 31, -1;
                mov.b64 %rd9, {%r5, %r6};
                """
                + STORE
                + "ret; }\n",
            """
            mov.b64 {%r2, %r3}, %rd2;
            @%p2 bra GIVE;
            call receive;
            ret;
            GIVE:
            shfl.sync.idx.b32 %r7|%p1, %r2, 0, 31, -1;
            shfl.sync.idx.b32 %r8|%p1, %r3, 0, 31, -1;
            """);

    assertThat(kernel.q().verdict()).isIn(WRITES, UNKNOWN);
  }

  @Test
  void anotherKindOfShuffleIsAnotherExchange() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            """
            mov.b64 {%r2, %r3}, %rd2;
            shfl.sync.up.b32 %r7, %r2, 0, 0, -1;
            shfl.sync.idx.b32 %r5, %r1, 0, 31, -1;
            mul.wide.s32 %rd5, %r5, 4;
            add.s64 %rd9, %rd1, %rd5;
            ld.global.u32 %r6, [%rd9];
            """);

    assertThat(kernel.verdicts()).containsExactly(READS, NONE, NONE, NONE);
  }

  @Test
  void aPointerThatAllLanesPassIsStillThatPointer() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            """
            mov.b64 {%r2, %r3}, %rd2;
            shfl.sync.idx.b32 %r5, %r2, 0, 31, -1;
            shfl.sync.idx.b32 %r6, %r3, 0, 31, -1;
            mov.b64 %rd9, {%r5, %r6};
            """
                + STORE);

    assertThat(kernel.verdicts()).containsExactly(NONE, WRITES, NONE, NONE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "and.b64 %rd5, %rd2, 256; popc.b64 %r5, %rd5;",
        "and.b64 %rd5, %rd2, 1; clz.b64 %r5, %rd5;",
        "and.b64 %rd5, %rd2, 3; bfind.u64 %r5, %rd5;",
        "mov.b64 {%r2, %r3}, %rd2; brev.b32 %r5, %r2;",
        "mov.b64 {%r2, %r3}, %rd2; fns.b32 %r5, %r2, 0, 1;"
      })
  void aNumberThatIsCountedFromBitsIsAPartOfThePointer(String count) {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            count + "cvt.u64.u32 %rd6, %r5; shl.b64 %rd7, %rd6, 8; add.s64 %rd9, %rd7, 0;" + STORE);

    assertThat(kernel.q().verdict()).isIn(WRITES, UNKNOWN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "add.cc.u32 %r4, %r2, -1; addc.u32 %r5, 0, 0;",
        "sub.cc.u32 %r4, 5, %r2; subc.u32 %r5, 0, 0;",
        "mad.lo.cc.u32 %r4, %r2, 3, 7; madc.hi.u32 %r5, 0, 0, 0;",
        "add.cc.u32 %r4, %r2, -1; addc.cc.u32 %r6, 0, -1; addc.u32 %r5, 0, 0;",
        "add.cc.u32 %r4, %r2, -1; bra NEXT; NEXT: addc.u32 %r5, 0, 0;"
      })
  void aCarryIsABitOfThePointer(String chain) {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            "mov.b64 {%r2, %r3}, %rd2;"
                + chain
                + "cvt.u64.u32 %rd6, %r5; shl.b64 %rd9, %rd6, 8;"
                + STORE);

    assertThat(kernel.q().verdict()).isIn(WRITES, UNKNOWN);
  }

  @Test
  void aCarryBelongsToTheLastSum() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            """
            mov.b64 {%r2, %r3}, %rd2;
            add.cc.u32 %r4, %r2, -1;
            mov.b64 {%r5, %r6}, %rd1;
            add.cc.u32 %r5, %r5, 8;
            addc.u32 %r6, %r6, 0;
            mov.b64 %rd9, {%r5, %r6};
            """
                + STORE);

    assertThat(kernel.verdicts()).containsExactly(WRITES, NONE, NONE, NONE);
  }

  @Test
  void aPointerThatWasInTensorMemoryMayBeTheBase() {
    AnalysedKernel kernel =
        AnalysedKernel.of(
            """
            mov.b64 {%r2, %r3}, %rd2;
            tcgen05.st.sync.aligned.32x32b.x2.b32 [%r10], {%r2, %r3};
            tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r5, %r6}, [%r10];
            mov.b64 %rd8, {%r5, %r6};
            add.s64 %rd9, %rd8, %rd4;
            """
                + STORE);

    assertThat(kernel.q().verdict()).isEqualTo(UNKNOWN);
    assertThat(kernel.n().write()).isEmpty();
  }
}
