package dev.streamfence.internal.ptx.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.corpus.Buffers;
import dev.streamfence.internal.ptx.run.machine.GlobalMemory;
import dev.streamfence.internal.ptx.run.machine.Lane;
import dev.streamfence.internal.ptx.run.machine.PtxFault;
import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ThreadSynchronizationTest {
  private static void assertDiverges(int threads, String body) {
    assertThatThrownBy(() -> HandWritten.run(threads, body))
        .isInstanceOfSatisfying(
            PtxFault.class,
            fault -> {
              assertThat(fault.reason()).isEqualTo(Reason.BARRIER_DIVERGENCE);
              assertThat(fault.line()).isGreaterThan(HandWritten.LINES_BEFORE);
            });
  }

  @Test
  void threadsAtDifferentBarriersDeadlock() {
    assertDiverges(
        64,
        """
        setp.lt.u32 %p1, %me, 32;
        @%p1 bar.sync 1;
        @!%p1 bar.sync 2;
        """);
  }

  @Test
  void aBarrierAndAShuffleDoNotMeet() {
    assertDiverges(
        32,
        """
        setp.lt.u32 %p1, %me, 16;
        @%p1 bar.sync 0;
        @!%p1 shfl.sync.idx.b32 %r1, %me, 0, 31, 0xFFFFFFFF;
        """);
  }

  @Test
  void lanesWithDifferentMasksDoNotMeet() {
    assertDiverges(
        32,
        """
        mov.u32 %r1, 0xFFFFFFFF;
        setp.eq.u32 %p1, %me, 5;
        @%p1 mov.u32 %r1, 0x7FFFFFFF;
        shfl.sync.idx.b32 %r2, %me, 0, 31, %r1;
        """);
  }

  @Test
  void differentOperationsDoNotMeet() {
    assertDiverges(
        32,
        """
        setp.lt.u32 %p1, %me, 16;
        @%p1 shfl.sync.up.b32 %r2, %me, 1, 0, 0xFFFFFFFF;
        @!%p1 shfl.sync.down.b32 %r2, %me, 1, 31, 0xFFFFFFFF;
        """);
  }

  @Test
  void oneBarrierHasOneCount() {
    assertDiverges(
        64,
        """
        setp.lt.u32 %p1, %me, 32;
        @%p1 bar.sync 1, 64;
        @!%p1 bar.sync 1;
        """);
  }

  @Test
  void barriersAtDifferentInstructionsMeet() {
    long[] results =
        HandWritten.run(
            64,
            """
            .shared .b32 cell;
            setp.eq.u32 %p1, %me, 63;
            @%p1 bra WRITER;
            bar.sync 0; ld.shared.u32 %r1, [cell]; st.global.u32 [%out], %r1; bra END;
            WRITER: st.shared.u32 [cell], 4711; bar.sync 0;
            END:
            """);

    assertThat(results[0]).isEqualTo(4711);
  }

  @Test
  void exitedThreadsAreNotWaitedFor() {
    long[] results =
        HandWritten.run(
            40,
            """
            setp.gt.u32 %p1, %me, 20;
            @%p1 exit;
            bar.sync 0;
            setp.eq.u32 %p2, 1, 1;
            vote.sync.ballot.b32 %r1, %p2, 0xFFFFFFFF;
            st.global.u32 [%out], %r1;
            """);

    assertThat(results[0]).isEqualTo(0x1F_FFFF);
  }

  @Test
  void aThreadThatExitsLateCompletesABarrier() {
    long[] results =
        HandWritten.run(
            2,
            """
            setp.eq.u32 %p1, %me, 1;
            @%p1 bra LATE;
            bar.sync 0; st.global.u32 [%out], 1; bra END;
            LATE: mov.u32 %r1, 20000;
            LOOP: sub.u32 %r1, %r1, 1; setp.ne.u32 %p2, %r1, 0; @%p2 bra LOOP;
            END: exit;
            """);

    assertThat(results[0]).isEqualTo(1);
  }

  @Test
  void aPartialWarpCountsAsWhole() {
    long[] results =
        HandWritten.run(
            5,
            """
            shfl.sync.down.b32 %r1|%p1, %me, 1, 31, 0xFFFFFFFF;
            st.global.u32 [%out], %r1;
            match.any.sync.b32 %r2, 9, 0xFFFFFFFF;
            st.global.u32 [%out+8], %r2;
            bar.sync 2, 32;
            """);

    assertThat(results[0]).isEqualTo(1);
    assertThat(results[3 * 8]).isEqualTo(4);
    assertThat(results[1]).isEqualTo(0x1F);
  }

  @Test
  void spinningThreadsLetOtherThreadsRun() {
    long[] results =
        HandWritten.run(
            96,
            """
            .shared .b32 turn;
            setp.eq.u32 %p1, %me, 0;
            @%p1 st.shared.u32 [turn], 95;
            bar.sync 0;
            // Each thread waits for all with a higher number: the opposite of the order they run in.
            WAIT: ld.volatile.shared.u32 %r1, [turn]; setp.ne.u32 %p2, %r1, %me; @%p2 bra WAIT;
            sub.u32 %r2, %me, 1; st.volatile.shared.u32 [turn], %r2;
            st.global.u32 [%out], %r1;
            """);

    for (int i = 0; i < 96; i++) {
      assertThat(results[i * 8]).isEqualTo(i);
    }
  }

  @Test
  void sleepingThreadsGiveWay() {
    assertThat(
            HandWritten.run(
                2,
                """
                .shared .b32 flag;
                setp.eq.u32 %p1, %me, 1;
                @%p1 st.shared.u32 [flag], 1;
                WAIT: nanosleep.u32 100; ld.volatile.shared.u32 %r1, [flag];
                setp.ne.u32 %p2, %r1, 1; @%p2 bra WAIT;
                mov.u64 %rd1, %clock64; st.global.u64 [%out], %rd1;
                """)[
                0])
        .as("instructions of the waiting thread")
        .isLessThan(100);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ld.volatile.shared.u32 %r1, [flag];",
        "ld.relaxed.cta.shared.s32 %r1, [flag];",
        "atom.shared.cas.b32 %r1, [flag], 1, 1;",
        "atom.shared.or.b32 %r1, [flag], 0;"
      })
  void threadsThatPollGiveWay(String look) {
    assertThat(
            HandWritten.run(
                2,
                """
                .shared .b32 flag;
                setp.eq.u32 %p1, %me, 0;
                @%p1 st.shared.u32 [flag], 0;
                bar.sync 0;
                setp.eq.u32 %p1, %me, 1;
                @%p1 st.volatile.shared.u32 [flag], 1;
                WAIT: LOOK
                setp.ne.u32 %p2, %r1, 1; @%p2 bra WAIT;
                mov.u64 %rd1, %clock64; st.global.u64 [%out], %rd1;
                """
                    .replace("LOOK", look))[0])
        .as("instructions of the waiting thread")
        .isLessThan(50);
  }

  @Test
  void aThreadThatPollsInVainTakesFewTurns() {
    SimulatedMemory memory = new SimulatedMemory();
    PtxInstance instance =
        memory
            .load(
                HandWritten.kernel(
                    "WAIT: ld.volatile.global.u32 %r1, [%in]; setp.ne.u32 %p1, %r1, 1; @%p1 bra WAIT;"))
            .withInstructionLimit(1 << 20);
    byte[] parameters = new byte[16];
    Buffers.view(parameters).putLong(8, memory.add(new byte[8]));
    AtomicInteger turns = new AtomicInteger();
    GlobalMemory counted =
        new GlobalMemory() {
          @Override
          public void enters(Lane lane) {
            turns.incrementAndGet();
          }

          @Override
          public long load(long address, int bytes) {
            return memory.load(address, bytes);
          }

          @Override
          public void store(long address, int bytes, long value) {
            memory.store(address, bytes, value);
          }
        };

    assertThatThrownBy(
            () -> instance.run("kernel", new PtxGrid(1, 1, 1, 1, 1, 1, 0), parameters, counted))
        .isInstanceOfSatisfying(
            PtxFault.class,
            fault -> assertThat(fault.reason()).isEqualTo(Reason.INSTRUCTION_LIMIT));

    assertThat(turns).hasValueBetween(256, 280);
  }

  @Test
  void aSecondRunDoesTheSameInTheSameOrder() {
    List<String> first = trace();

    assertThat(trace()).isEqualTo(first).hasSizeGreaterThan(200);
  }

  /** Runs a kernel with races and notes each of its accesses. */
  private static List<String> trace() {
    SimulatedMemory memory = new SimulatedMemory();
    PtxInstance instance =
        memory.load(
            HandWritten.kernel(
                """
                atom.global.add.u32 %r1, [%in], 1;
                bar.sync 0;
                shfl.sync.bfly.b32 %r2, %r1, 3, 31, 0xFFFFFFFF;
                mul.wide.u32 %rd1, %r2, 8; add.u64 %rd1, %rd1, %out; st.global.u32 [%out], %r2;
                """));
    List<String> accesses = new ArrayList<>();
    GlobalMemory traced =
        new GlobalMemory() {
          @Override
          public long load(long address, int bytes) {
            accesses.add("load " + address);
            return memory.load(address, bytes);
          }

          @Override
          public void store(long address, int bytes, long value) {
            accesses.add("store " + address + " " + value);
            memory.store(address, bytes, value);
          }
        };
    byte[] parameters = new byte[16];
    Buffers.view(parameters)
        .putLong(0, memory.add(new byte[64 * 64 + 512]))
        .putLong(8, memory.add(new byte[8]));
    instance.run("kernel", new PtxGrid(2, 1, 1, 64, 1, 1, 0), parameters, traced);
    return accesses;
  }
}
