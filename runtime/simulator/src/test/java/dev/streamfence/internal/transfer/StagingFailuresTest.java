package dev.streamfence.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.memory.DriverTrap;
import dev.streamfence.internal.memory.SimulatedStreams;
import dev.streamfence.internal.transfer.StagingPool.Chunk;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Failures around staging memory, and the copies that may still use it then. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class StagingFailuresTest {
  private final DriverTrap trap = new DriverTrap();
  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY, trap);
  private final StagingPool pool = new StagingPool(on.driver, on.pool.hostMemory(), 16);

  private final Deque<Chunk> taken = new ArrayDeque<>();

  @AfterEach
  void close() {
    taken.forEach(pool::giveBack);
    pool.destroy(true);
    on.close();
  }

  private Chunk take() {
    Chunk chunk = pool.take();
    taken.add(chunk);
    return chunk;
  }

  private static CudaDriverException failure(String call) {
    return new CudaDriverException(call, 999, "a failure");
  }

  @Test
  void aCopyWhoseEventCannotBeRecordedIsWaitedFor() {
    Chunk chunk = take();
    on.device.failCall(DriverCall.RECORD_EVENT, 1, 999);
    assertThatThrownBy(() -> pool.markCopied(chunk, on.a, on.pool.sticky()))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.getSuppressed()).isEmpty());
    assertThat(on.device.calls(DriverCall.SYNCHRONIZE_STREAM)).isEqualTo(1);
    assertThat(on.pool.sticky().error()).isNull();
  }

  @Test
  void aCopyThatCannotBeWaitedForEitherLosesTheDevice() {
    Chunk chunk = take();
    on.device.failCall(DriverCall.RECORD_EVENT, 1, 999);
    on.device.failCall(DriverCall.SYNCHRONIZE_STREAM, 1, 998);
    assertThatThrownBy(() -> pool.markCopied(chunk, on.a, on.pool.sticky()))
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e ->
                assertThat(e.getSuppressed())
                    .singleElement()
                    .isInstanceOfSatisfying(
                        CudaDriverException.class,
                        unsynchronized -> assertThat(unsynchronized.code()).isEqualTo(998)));
    assertThat(on.pool.sticky().error()).isNotNull();
  }

  @Test
  void theMemoryOfAChunkWithoutAnEventIsUsedAgain() {
    on.device.failCall(DriverCall.CREATE_EVENT, 1, 2);
    assertThatThrownBy(pool::take)
        .isInstanceOfSatisfying(CudaDriverException.class, e -> assertThat(e.code()).isEqualTo(2));
    take();
    assertThat(on.device.calls(DriverCall.ALLOCATE_HOST)).isEqualTo(1);
  }

  @Test
  void theEndGivesEveryChunkBackAndReportsTheFirstFailure() {
    Chunk first = pool.take();
    Chunk second = pool.take();
    pool.giveBack(first);
    pool.giveBack(second);
    trap.after(1, failure("cuEventDestroy"), "destroyEvent");
    assertThatThrownBy(() -> pool.destroy(true))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.call()).isEqualTo("cuEventDestroy"));
    assertThat(on.device.calls(DriverCall.DESTROY_EVENT)).isEqualTo(2);
  }
}
