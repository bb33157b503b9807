package dev.streamfence.internal.transfer;

import static dev.streamfence.model.ControlledScheduler.explore;
import static dev.streamfence.model.ControlledScheduler.require;
import static dev.streamfence.model.ControlledScheduler.together;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.driver.HostMemoryPool;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.transfer.StagingPool.Chunk;
import dev.streamfence.model.ClockDriver;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Staging chunks under a scheduler that decides at every access which thread continues. */
final class StagingPoolSchedulingTest {
  @Test
  void noTwoThreadsHoldOneChunkAndAWaitingThreadGetsIt() {
    explore(
        () -> {
          ClockDriver driver = ClockDriver.create();
          StreamHandle stream = driver.createStream(0);
          HostMemoryPool memory = new HostMemoryPool(driver, new StickyError());
          StagingPool pool = new StagingPool(driver, memory, 16);
          Deque<Chunk> taken = new ArrayDeque<>();
          // All but one, so that the threads below compete for the last.
          for (int i = 0; i < 7; i++) {
            taken.add(pool.take());
          }
          AtomicInteger holders = new AtomicInteger();
          Runnable copy =
              () -> {
                Chunk chunk = pool.take();
                require(holders.incrementAndGet() == 1, "two threads hold the last chunk");
                pool.copied(chunk, stream);
                holders.decrementAndGet();
                pool.giveBack(chunk);
              };
          together(copy, copy);
          taken.forEach(pool::giveBack);
          pool.destroy(true);
          memory.drain().forEach(driver::freeHost);
          require(driver.live() == 1, "something besides the stream is left");
        });
  }
}
