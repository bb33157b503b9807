package dev.streamfence.internal.order;

import static dev.streamfence.model.ControlledScheduler.explore;
import static dev.streamfence.model.ControlledScheduler.require;
import static dev.streamfence.model.ControlledScheduler.together;

import dev.streamfence.internal.device.Inside;
import dev.streamfence.simulation.SimulatedDevice;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The lock alone, in many interleavings of streams that read and of threads that need it for
 * themselves: they keep each other out, and no read is lost.
 */
final class HazardLockSchedulingTest {
  /** Made once: of a stream, the lock needs the number alone. */
  private static final StreamPool POOL =
      new StreamPool(Inside.open(SimulatedDevice.builder().build()), 2);

  private static final Timeline FIRST = POOL.acquire();
  private static final Timeline SECOND = POOL.acquire();

  private static final class Lock extends HazardLock {
    final UseHistory uses = new UseHistory();
    private final AtomicInteger reading = new AtomicInteger();
    private final AtomicInteger writing = new AtomicInteger();

    Lock(Timeline... readers) {
      for (Timeline reader : readers) {
        share(reader);
      }
    }

    @Override
    boolean isShareable() {
      return true;
    }

    @Override
    UseHistory history() {
      return uses;
    }

    void read(Timeline reader) {
      SharedRead share = lockToRead(reader);
      reading.incrementAndGet();
      require(writing.get() == 0, "reads beside a writer");
      if (share == null) {
        require(reading.get() == 1, "reads beside a reader without a place");
        uses.makeRoom();
        uses.add(reader, 1, false);
      } else {
        share.register(1);
      }
      reading.decrementAndGet();
      if (share == null) {
        unlock();
      } else {
        share.end();
      }
    }

    /** Returns how many streams have read since the last write. */
    int write() {
      lock();
      require(writing.incrementAndGet() == 1, "two writers");
      require(reading.get() == 0, "writes beside a reader");
      int reads = uses.size();
      writing.decrementAndGet();
      unlock();
      return reads;
    }
  }

  @AfterAll
  static void close() {
    POOL.destroy();
  }

  @Test
  void oneThreadHoldsItAtATime() {
    explore(
        () -> {
          Lock lock = new Lock();
          together(lock::write, lock::write, () -> lock.read(FIRST));
          require(lock.write() == 1, "a read is lost");
        });
  }

  @Test
  void readersWithPlacesOfTheirOwnAndAWriterKeepEachOtherOut() {
    explore(
        () -> {
          Lock lock = new Lock(FIRST, SECOND);
          together(() -> lock.read(FIRST), () -> lock.read(SECOND), lock::write);
          require(lock.write() == 2, "a read is lost");
        });
  }

  @Test
  void aReaderWithAPlaceAndOneWithoutKeepEachOtherOut() {
    explore(
        () -> {
          Lock lock = new Lock(FIRST);
          together(() -> lock.read(FIRST), () -> lock.read(SECOND));
          require(lock.write() == 2, "a read is lost");
        });
  }
}
