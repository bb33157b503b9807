package dev.streamfence.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.memory.StagingPool.Chunk;
import dev.streamfence.simulation.DriverCall;
import dev.streamfence.simulation.Schedule;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Failures around staging memory, and the copies that may still use it then. */
final class StagingFailuresTest {
  private final DriverTrap trap = new DriverTrap();
  private final SimulatedStreams on = new SimulatedStreams(Schedule.LAZY, trap);
  private final StagingPool pool = new StagingPool(on.driver, 16);

  @AfterEach
  void close() {
    pool.destroy(true);
    on.close();
  }

  private static CudaDriverException failure(String call) {
    return new CudaDriverException(call, 999, "a failure");
  }

  @Test
  void aCopyWhoseEventCannotBeRecordedIsWaitedFor() {
    Chunk chunk = pool.take();
    on.device.failCall(DriverCall.RECORD_EVENT, 1, 999);
    assertThatThrownBy(() -> pool.markCopied(chunk, on.a, on.pool.sticky()))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.getSuppressed()).isEmpty());
    assertThat(on.device.calls(DriverCall.SYNCHRONIZE_STREAM)).isEqualTo(1);
    assertThat(on.pool.sticky().error()).isNull();
    pool.giveBack(chunk);
  }

  @Test
  void aCopyThatCannotBeWaitedForEitherLosesTheDevice() {
    Chunk chunk = pool.take();
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
    pool.giveBack(chunk);
  }

  @Test
  void aChunkWithoutAnEventIsFreedAndAFailureOfThatIsKept() {
    on.device.failCall(DriverCall.CREATE_EVENT, 1, 2);
    trap.after(1, failure("cuMemFreeHost"), "freeHost");
    assertThatThrownBy(pool::take)
        .isInstanceOfSatisfying(
            CudaDriverException.class,
            e -> {
              assertThat(e.code()).isEqualTo(2);
              assertThat(e.getSuppressed())
                  .singleElement()
                  .isInstanceOfSatisfying(
                      CudaDriverException.class,
                      unfreed -> assertThat(unfreed.call()).isEqualTo("cuMemFreeHost"));
            });
    assertThat(on.device.calls(DriverCall.FREE_HOST)).isEqualTo(1);
  }

  @Test
  void theEndFreesEveryChunkAndReportsTheFirstFailure() {
    Chunk first = pool.take();
    Chunk second = pool.take();
    pool.giveBack(first);
    pool.giveBack(second);
    trap.after(1, failure("cuEventDestroy"), "destroyEvent");
    assertThatThrownBy(() -> pool.destroy(true))
        .isInstanceOfSatisfying(
            CudaDriverException.class, e -> assertThat(e.call()).isEqualTo("cuEventDestroy"));
    assertThat(on.device.calls(DriverCall.FREE_HOST)).isEqualTo(2);
  }
}
