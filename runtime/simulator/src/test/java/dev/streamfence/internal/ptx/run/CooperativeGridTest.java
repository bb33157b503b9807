package dev.streamfence.internal.ptx.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.corpus.Buffers;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import org.junit.jupiter.api.Test;

/** Grids whose blocks run at the same time and may wait for each other. */
final class CooperativeGridTest {
  private static final String HEAD =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      """;

  /**
   * Each block increments a count, waits until all blocks have, and writes its index and the count.
   */
  private static final String MEET =
      HEAD
          + """
          .visible .entry meet(.param .u64 counter, .param .u64 seen)
          {
          .reg .pred %p;
          .reg .b32 %x, %y, %z, %nx, %ny, %nz, %n, %me, %r;
          .reg .b64 %counter, %seen, %at;
          ld.param.u64 %counter, [counter];
          ld.param.u64 %seen, [seen];
          mov.u32 %x, %ctaid.x;
          mov.u32 %y, %ctaid.y;
          mov.u32 %z, %ctaid.z;
          mov.u32 %nx, %nctaid.x;
          mov.u32 %ny, %nctaid.y;
          mov.u32 %nz, %nctaid.z;
          mad.lo.u32 %me, %z, %ny, %y;
          mad.lo.u32 %me, %me, %nx, %x;
          mul.lo.u32 %n, %nx, %ny;
          mul.lo.u32 %n, %n, %nz;
          atom.global.add.u32 %r, [%counter], 1;
          again:
          ld.volatile.global.u32 %r, [%counter];
          setp.lo.u32 %p, %r, %n;
          @%p bra again;
          mul.wide.u32 %at, %me, 4;
          add.s64 %at, %at, %seen;
          st.global.u32 [%at], %r;
          ret;
          }
          """;

  private static final PtxGrid GRID = new PtxGrid(3, 2, 2, 1, 1, 1, 0);

  @Test
  void blocksThatWaitForEachOtherAllArrive() {
    byte[] seen = new byte[12 * 4];
    SimulatedMemory memory = new SimulatedMemory();
    memory.runTogether(memory.load(MEET), "meet", GRID, new byte[4], seen);
    assertThat(Buffers.ints(seen)).hasSize(12).containsOnly(12);
  }

  @Test
  void inAnOrdinaryLaunchBlocksWaitUntilTheLimit() {
    SimulatedMemory memory = new SimulatedMemory();
    PtxInstance instance = memory.load(MEET).withInstructionLimit(100_000);
    assertThatThrownBy(() -> memory.run(instance, "meet", GRID, new byte[4], new byte[48]))
        .isInstanceOfSatisfying(
            PtxFault.class, e -> assertThat(e.reason()).isEqualTo(Reason.INSTRUCTION_LIMIT));
  }

  /** Finds its workspace as {@code grid_group::sync} does. */
  private static final String WORKSPACE =
      HEAD
          + """
          .visible .entry workspace(.param .u64 out)
          {
          .reg .b32 %high, %low, %r, %x;
          .reg .b64 %out, %h, %l, %at, %o;
          .reg .pred %p;
          ld.param.u64 %out, [out];
          mov.u32 %high, %envreg1;
          mov.u32 %low, %envreg2;
          cvt.u64.u32 %h, %high;
          cvt.u64.u32 %l, %low;
          bfi.b64 %at, %h, %l, 32, 32;
          mov.u32 %x, %ctaid.x;
          mul.wide.u32 %o, %x, 4;
          add.s64 %out, %out, %o;
          setp.eq.s64 %p, %at, 0;
          @%p bra none;
          atom.add.release.gpu.u32 %r, [%at+4], 1;
          st.global.u32 [%out], %r;
          ret;
          none:
          mov.u32 %r, 99;
          st.global.u32 [%out], %r;
          ret;
          }
          """;

  @Test
  void aCooperativeLaunchHasAWorkspaceOfZeros() {
    SimulatedMemory memory = new SimulatedMemory();
    PtxInstance instance = memory.load(WORKSPACE);
    for (int launch = 0; launch < 2; launch++) {
      byte[] out = new byte[12];
      memory.runTogether(instance, "workspace", new PtxGrid(3, 1, 1, 1, 1, 1, 0), out);
      assertThat(Buffers.ints(out)).containsExactly(0, 1, 2);
    }
  }

  @Test
  void anOrdinaryLaunchHasNoWorkspace() {
    SimulatedMemory memory = new SimulatedMemory();
    byte[] out = new byte[12];
    memory.run(memory.load(WORKSPACE), "workspace", new PtxGrid(3, 1, 1, 1, 1, 1, 0), out);
    assertThat(Buffers.ints(out)).containsOnly(99);
  }

  @Test
  void aTrapWithoutAWorkspaceSaysWhatIsMissing() {
    String trapping = WORKSPACE.replace("mov.u32 %r, 99;", "trap;");
    SimulatedMemory memory = new SimulatedMemory();
    PtxInstance instance = memory.load(trapping);
    assertThatThrownBy(
            () -> memory.run(instance, "workspace", new PtxGrid(3, 1, 1, 1, 1, 1, 0), new byte[12]))
        .isInstanceOf(PtxFault.class)
        .hasMessageContaining("traps: it waits for other blocks")
        .hasMessageContaining("@Kernel(cooperative = true)");
  }

  @Test
  void anAccessBeyondTheWorkspaceIsAFault() {
    String beyond = WORKSPACE.replace("[%at+4]", "[%at+128]");
    SimulatedMemory memory = new SimulatedMemory();
    PtxInstance instance = memory.load(beyond);
    assertThatThrownBy(
            () ->
                memory.runTogether(
                    instance, "workspace", new PtxGrid(1, 1, 1, 1, 1, 1, 0), new byte[4]))
        .isInstanceOf(PtxFault.class);
  }

  @Test
  void aBlockThatIsStuckEndsTheLaunchAlthoughOthersGoOn() {
    String source =
        HEAD
            + """
            .visible .entry stuck(.param .u64 out)
            {
            .reg .pred %p, %q;
            .reg .b32 %x;
            mov.u32 %x, %ctaid.x;
            setp.eq.u32 %p, %x, 0;
            spin:
            @%p bra spin;
            mov.u32 %x, %tid.x;
            setp.lt.u32 %q, %x, 32;
            @%q bar.sync 1;
            @!%q bar.sync 2;
            ret;
            }
            """;
    SimulatedMemory memory = new SimulatedMemory();
    PtxInstance instance = memory.load(source);
    PtxGrid grid = new PtxGrid(2, 1, 1, 64, 1, 1, 0);
    assertThatThrownBy(() -> memory.runTogether(instance, "stuck", grid, new byte[4]))
        .isInstanceOfSatisfying(
            PtxFault.class, e -> assertThat(e.reason()).isEqualTo(Reason.BARRIER_DIVERGENCE));
  }
}
