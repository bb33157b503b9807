package dev.streamfence.internal.ptx.run.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.streamfence.corpus.Buffers;
import dev.streamfence.internal.ptx.run.HandWritten;
import dev.streamfence.internal.ptx.run.PtxInstance;
import dev.streamfence.internal.ptx.run.SimulatedMemory;
import dev.streamfence.internal.ptx.run.machine.PtxFault.Reason;
import dev.streamfence.internal.ptx.syntax.PtxGrid;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The instructions that a launch may run, and the interrupt that ends it earlier. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LaunchBudgetTest {
  /** Each thread counts its rounds of two instructions in the first word of the input. */
  private static final String ENDLESS =
      HandWritten.kernel("AGAIN: atom.global.add.u64 %rd1, [%in], 1;\nbra AGAIN;");

  /** Each thread runs some 20,000 instructions. */
  private static final String LONG =
      HandWritten.kernel(
          """
          mov.u32 %r1, 0;
          AGAIN: add.u32 %r1, %r1, 1;
          setp.lo.u32 %p1, %r1, 6600;
          @%p1 bra AGAIN;
          """);

  private static final int LIMIT = 1_000_000;

  /** The instructions that a lane runs at a time: a launch exceeds its budget by no more. */
  private static final int SHARE = ThreadBlock.QUANTUM;

  private final SimulatedMemory memory = new SimulatedMemory();
  private final byte[] rounds = new byte[8];

  @AfterEach
  void noTestLeavesAnInterruption() {
    assertThat(Thread.interrupted()).isFalse();
  }

  private static PtxGrid grid(int blocks, int threads) {
    return new PtxGrid(blocks, 1, 1, threads, 1, 1, 0);
  }

  private PtxFault faultOf(PtxInstance instance, PtxGrid grid, boolean together) {
    byte[] out = new byte[64 * 1024];
    return catchThrowableOfType(
        PtxFault.class,
        () -> {
          if (together) {
            memory.runTogether(instance, "kernel", grid, out, rounds);
          } else {
            memory.run(instance, "kernel", grid, out, rounds);
          }
        });
  }

  @Test
  void allThreadsOfALaunchShareOneBudget() {
    PtxInstance instance = memory.load(ENDLESS).withInstructionLimit(LIMIT);
    PtxFault fault = faultOf(instance, grid(1, 256), false);

    assertThat(fault.reason()).isEqualTo(Reason.INSTRUCTION_LIMIT);
    assertThat(2 * Buffers.longs(rounds)[0]).isBetween(LIMIT / 2L, LIMIT + (long) SHARE);
  }

  @Test
  void theBlocksOfACooperativeLaunchShareOneBudget() {
    PtxInstance instance = memory.load(ENDLESS).withInstructionLimit(LIMIT);
    PtxFault fault = faultOf(instance, grid(4, 64), true);

    assertThat(fault.reason()).isEqualTo(Reason.INSTRUCTION_LIMIT);
    assertThat(2 * Buffers.longs(rounds)[0]).isBetween(LIMIT / 2L, LIMIT + (long) SHARE);
  }

  @Test
  void consecutiveBlocksShareTheBudgetAndTheOneThatExceedsItIsNamed() {
    PtxInstance instance = memory.load(LONG).withInstructionLimit(50_000);
    PtxFault fault = faultOf(instance, grid(4, 1), false);

    assertThat(fault.reason()).isEqualTo(Reason.INSTRUCTION_LIMIT);
    assertThat(fault.blockX()).isEqualTo(2);
    assertThat(fault.line()).isBetween(HandWritten.LINES_BEFORE + 2, HandWritten.LINES_BEFORE + 4);
    assertThat(fault)
        .hasMessageStartingWith("kernel: thread (0,0,0) of block (2,0,0) ")
        .hasMessageContaining("50000 instructions")
        .hasMessageContaining("in line " + fault.line() + " of the PTX");
  }

  @Test
  void eachLaunchHasABudgetOfItsOwn() {
    PtxInstance instance = memory.load(LONG).withInstructionLimit(30_000);
    for (int i = 0; i < 4; i++) {
      assertThat(faultOf(instance, grid(1, 1), false)).isNull();
    }
  }

  @Test
  void anInterruptEndsALongLaunchAndTheThreadStaysInterrupted() {
    PtxInstance instance = memory.load(ENDLESS);
    byte[] parameters = new byte[instance.parameterSpaceSize("kernel")];
    Buffers.view(parameters).putLong(8, memory.add(rounds));
    int[] stores = {0};
    GlobalMemory interrupting =
        new GlobalMemory() {
          @Override
          public long load(long address, int bytes) {
            return memory.load(address, bytes);
          }

          @Override
          public void store(long address, int bytes, long value) {
            memory.store(address, bytes, value);
            if (++stores[0] == 2 * LaunchBudget.UNINTERRUPTED) {
              Thread.currentThread().interrupt();
            }
          }
        };
    PtxFault fault =
        catchThrowableOfType(
            PtxFault.class, () -> instance.run("kernel", grid(1, 2), parameters, interrupting));

    assertThat(Thread.interrupted()).as("the thread is still interrupted").isTrue();
    assertThat(fault.reason()).isEqualTo(Reason.INTERRUPTED);
    assertThat(fault)
        .hasMessageStartingWith("kernel: thread (")
        .hasMessageContaining("'" + Thread.currentThread().getName() + "'")
        .hasMessageContaining("interrupted");
    assertThat(stores[0]).isLessThan((int) (2 * LaunchBudget.UNINTERRUPTED) + SHARE);
  }

  @Test
  void aThreadThatIsInterruptedStillRunsShortLaunches() {
    PtxInstance instance = memory.load(LONG);
    Thread.currentThread().interrupt();
    assertThatCode(() -> assertThat(faultOf(instance, grid(1, 32), false)).isNull())
        .doesNotThrowAnyException();
    assertThat(Thread.interrupted()).isTrue();
  }

  /** Some ten million instructions: as in a launch over an array of half a million elements. */
  @Test
  void aThreadThatIsInterruptedStillRunsLaunchesOfManyShortThreads() {
    PtxInstance instance = memory.load(LONG);
    Thread.currentThread().interrupt();
    PtxFault fault = faultOf(instance, grid(2, 256), false);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(fault).isNull();
  }
}
