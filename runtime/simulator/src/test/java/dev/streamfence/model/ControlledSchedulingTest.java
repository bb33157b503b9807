package dev.streamfence.model;

import static dev.streamfence.model.ControlledScheduler.explore;
import static dev.streamfence.model.ControlledScheduler.require;
import static dev.streamfence.model.ControlledScheduler.together;

import dev.streamfence.CudaDriverException;
import dev.streamfence.StreamMisuseException;
import dev.streamfence.UseAfterFreeException;
import dev.streamfence.internal.driver.StickyError;
import dev.streamfence.internal.order.HazardLocks;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Submission;
import dev.streamfence.internal.order.Timeline;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * The real classes of the package order, with their locks and volatiles, under a scheduler that
 * decides at every access to shared memory which thread continues. A deadlock, or an error in any
 * thread, fails the test with the interleaving.
 */
final class ControlledSchedulingTest {
  @Test
  void twoThreadsThatUseTwoAllocationsInOppositeOrderAreOrdered() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          Scene.Allocation y = scene.new Allocation(scene.first);
          together(() -> scene.run(scene.first, x, y), () -> scene.run(scene.second, y, x));
        });
  }

  @Test
  void threadsThatShareOneStreamTakeTurns() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          Scene.Allocation y = scene.new Allocation(scene.second);
          together(() -> scene.run(scene.first, x, y), () -> scene.run(scene.first, y, x));
          require(scene.first.submitted() == 3, "a ticket is missing");
        });
  }

  @Test
  void anAllocationThatIsClosedWhileItIsUsedIsFreedOnceAndInOrder() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          Scene.Allocation y = scene.new Allocation(scene.second);
          together(() -> scene.runUnlessClosed(scene.first, x, y), y::close);
          require(y.frees.get() == 1, "not freed once");
        });
  }

  @Test
  void anAllocationThatItsUserClosesBeforeTheCommitIsFreedAfterIt() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          together(
              () -> {
                try (Submission submission = scene.first.begin(scene)) {
                  submission.use(x.hazards, true, false, 0);
                  submission.preflight();
                  x.close();
                  x.cell.use(scene.first.stream(), false);
                  submission.commit();
                } catch (UseAfterFreeException closed) {
                  require(!x.hazards.isOpen(), "an open allocation was refused");
                }
              },
              x::close);
          require(x.frees.get() == 1, "not freed once");
        });
  }

  @Test
  void anAllocationThatTwoThreadsCloseIsFreedOnce() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          together(x::close, x::close);
          require(x.frees.get() == 1, "not freed once");
        });
  }

  @Test
  void anAbandonedLaunchWhoseWaitFailedStillOrdersItsSuccessors() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          Timeline third = scene.pool.acquire(0);
          scene.driver.failNextWait();
          together(
              () -> scene.runUnlessRefused(scene.second, x, x),
              () -> scene.runUnlessRefused(third, x, x));
          scene.read(scene.first, x);
        });
  }

  @Test
  void aWriterIsOrderedAfterReadersOfTwoOtherThreads() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          Timeline third = scene.pool.acquire(0);
          together(
              () -> scene.read(scene.second, x),
              () -> scene.read(third, x),
              () -> scene.run(scene.first, x, x));
        });
  }

  @Test
  void aWriterIsOrderedAfterReadersWithPlacesOfTheirOwn() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          Timeline third = scene.pool.acquire(0);
          HazardLocks.share(x.hazards, scene.second, third);
          together(
              () -> scene.read(scene.second, x),
              () -> scene.read(third, x),
              () -> scene.run(scene.first, x, x));
        });
  }

  @Test
  void anAllocationThatIsClosedBesideReadersWithPlacesOfTheirOwnIsFreedAfterThem() {
    explore(
        () -> {
          Scene scene = new Scene();
          Scene.Allocation x = scene.new Allocation(scene.first);
          HazardLocks.share(x.hazards, scene.first, scene.second);
          together(
              () -> readUnlessClosed(scene, scene.first, x),
              () -> readUnlessClosed(scene, scene.second, x),
              x::close);
          require(x.frees.get() == 1, "not freed once");
        });
  }

  private static void readUnlessClosed(Scene scene, Timeline reader, Scene.Allocation x) {
    try {
      scene.read(reader, x);
    } catch (UseAfterFreeException closed) {
      require(!x.hazards.isOpen(), "an open allocation was refused");
    }
  }

  @Test
  void aStreamIsLentToOneThreadAtATime() {
    explore(
        () -> {
          StreamPool pool = new StreamPool(ClockDriver.create(), 1);
          AtomicInteger holders = new AtomicInteger();
          Runnable borrower =
              () -> {
                try {
                  Timeline lent = pool.acquire(0);
                  require(holders.incrementAndGet() == 1, "lent twice");
                  holders.decrementAndGet();
                  pool.release(lent);
                } catch (StreamMisuseException taken) {
                  require(pool.capacity() == 1, "refused for another reason");
                }
              };
          together(borrower, borrower);
          require(pool.lent() == 0, "still lent");
        });
  }

  @Test
  void theFirstFatalErrorIsKeptAndEveryThreadSeesIt() {
    explore(
        () -> {
          StickyError faults = new StickyError();
          together(() -> fault(faults, 700), () -> fault(faults, 719));
          CudaDriverException fault = faults.error();
          require(fault != null, "no fault was kept");
        });
  }

  private static void fault(StickyError faults, int code) {
    faults.keep(new CudaDriverException("cuLaunchKernel", code, "a fatal error")).during("a test");
    CudaDriverException seen = faults.error();
    try {
      faults.check();
      throw new AssertionError("a lost device was accepted");
    } catch (CudaDriverException refused) {
      require(refused.code() == seen.code(), "not the first fault");
    }
  }
}
