package dev.streamfence.internal.ptx.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultTest {
  private static PtxFault faultOf(int threads, String source) {
    return catchThrowableOfType(
        PtxFault.class, () -> HandWritten.runModule(threads, source, 0, 0, 0, 0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GLOBAL_ACCESS   | ld.global.u32 %r1, [%in+64];",
        "GLOBAL_ACCESS   | st.global.u64 [16], %rd1;",
        "GLOBAL_ACCESS   | mov.u64 %rd1, 0; ld.u8 %r1, [%rd1];",
        "GLOBAL_ACCESS   | atom.global.add.u32 %r1, [%in+4096], 1;",
        "MISALIGNED      | ld.global.u32 %r1, [%in+2];",
        "MISALIGNED      | st.global.v4.u32 [%in+8], {%r1, %r1, %r1, %r1};",
        "MISALIGNED      | .shared .b8 a[8]; ld.shared.u16 %rs1, [a+1];",
        "SHARED_ACCESS   | .shared .b8 a[8]; ld.shared.u32 %r1, [a+8];",
        "SHARED_ACCESS   | .shared .b8 a[8]; st.shared.u32 [a+-4], %r1;",
        "SHARED_ACCESS   | .shared .b8 a[8]; mov.u64 %rd1, a; cvta.shared.u64 %rd1, %rd1; "
            + "ld.u64 %rd2, [%rd1+8];",
        "LOCAL_ACCESS    | .local .b8 a[8]; ld.local.u32 %r1, [a+8];",
        "LOCAL_ACCESS    | .local .b8 a[8]; st.local.u64 [a+-8], %rd1;",
        "LOCAL_ACCESS    | ld.param.u64 %rd1, [in_param+8];",
        "CONSTANT_ACCESS | mov.u64 %rd1, 0; ld.const.u32 %r1, [%rd1];",
        "CONSTANT_ACCESS | mov.u64 %rd1, 0; cvta.const.u64 %rd1, %rd1; st.u32 [%rd1], 1;",
        "TRAP            | trap;",
        "TRAP            | brkpt;",
        "TRAP            | L: .branchtargets A; brx.idx 1, L; A: ret;",
        "TRAP            | P: .callprototype _ (); mov.u64 %rd1, 64; call %rd1, (), P;",
        "TRAP            | P: .callprototype _ (); mov.u64 %rd1, kernel; call %rd1, (), P;",
        "BARRIER_DIVERGENCE | bar.sync 16;",
        "BARRIER_DIVERGENCE | bar.warp.sync 2;",
        "BARRIER_DIVERGENCE | bar.sync 1, 64;"
      })
  void aFaultOfAThreadStopsTheLaunch(Reason reason, String body) {
    PtxFault fault = faultOf(1, HandWritten.kernel(body.replace("; ", ";\n")));

    assertThat(fault).isNotNull();
    assertThat(fault.reason()).isEqualTo(reason);
    assertThat(fault.entry()).isEqualTo("kernel");
    assertThat(fault.line()).isGreaterThan(HandWritten.LINES_BEFORE);
    assertThat(fault).hasMessageStartingWith("kernel: thread (0,0,0) of block (0,0,0) ");
    if (reason == Reason.GLOBAL_ACCESS) {
      assertThat(fault).hasCauseInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void aFaultNamesThreadBlockLineAndAddress() {
    SimulatedMemory memory = new SimulatedMemory();
    PtxInstance instance =
        memory.load(
            HandWritten.kernel(
                """
                mov.u32 %r1, %tid.y; mov.u32 %r2, %ctaid.z;
                setp.eq.u32 %p1, %r1, 2; setp.eq.and.u32 %p1, %r2, 1, %p1;
                setp.eq.and.u32 %p1, %me, 3, %p1;
                @%p1 ld.global.u8 %r3, [0xABCD];
                """));
    PtxFault fault =
        catchThrowableOfType(
            PtxFault.class,
            () ->
                memory.run(
                    instance,
                    "kernel",
                    new PtxGrid(2, 1, 2, 4, 3, 1, 0),
                    new byte[256],
                    new byte[8]));

    assertThat(new int[] {fault.blockX(), fault.blockY(), fault.blockZ()}).containsExactly(0, 0, 1);
    assertThat(new int[] {fault.threadX(), fault.threadY(), fault.threadZ()})
        .containsExactly(3, 2, 0);
    assertThat(fault.line()).isEqualTo(HandWritten.LINES_BEFORE + 4);
    assertThat(fault.address()).isEqualTo(0xABCD);
    assertThat(fault)
        .hasMessage(
            "kernel: thread (3,2,0) of block (0,0,1) makes a load of 1 bytes that global memory"
                + " refuses (no buffer), in line "
                + fault.line()
                + " of the PTX, at address 0xabcd");
  }

  @Test
  void aFailedAssertionReportsItsText() {
    String module =
        """
        .extern .func __assertfail
        (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
        .global .align 1 .b8 message[6] = {110, 32, 62, 32, 48, 0};
        .global .align 1 .b8 file[5] = {97, 46, 99, 117, 0};
        """;
    String call =
        """
        { .param .b64 a, b, d, e; .param .b32 c;
          mov.u64 %rd1, message; cvta.global.u64 %rd1, %rd1; st.param.b64 [a], %rd1;
          mov.u64 %rd1, file; st.param.b64 [b], %rd1; st.param.b32 [c], 17;
          call.uni __assertfail, (a, b, c, d, e); }
        """;
    PtxFault fault = faultOf(1, HandWritten.module(module, call));

    assertThat(fault.reason()).isEqualTo(Reason.ASSERT);
    assertThat(fault).hasMessageContaining("fails the assertion 'n > 0' of a.cu:17");
  }

  @Test
  void endlessRecursionStops() {
    String function =
        """
        .func down(.param .b32 n) { .local .b8 frame[64]; .reg .b32 r; ld.param.b32 r, [n];
        { .param .b32 m; st.param.b32 [m], r; call down, (m); } ret; }
        """;
    PtxFault fault =
        faultOf(
            1,
            HandWritten.module(
                function, "{ .param .b32 n; st.param.b32 [n], 1; call down, (n); }"));

    assertThat(fault.reason()).isEqualTo(Reason.CALL_DEPTH);
  }
}
