package dev.streamfence.internal.order;

import static dev.streamfence.model.ControlledScheduler.explore;
import static dev.streamfence.model.ControlledScheduler.require;
import static dev.streamfence.model.ControlledScheduler.together;

import dev.streamfence.RuntimeClosedException;
import org.junit.jupiter.api.Test;

/**
 * Operations of several threads beside the end of a runtime, in many interleavings: each operation
 * runs entirely within the runtime's life, or is refused entirely.
 */
final class LifeSchedulingTest {
  /** More than there are threads. */
  private static final int PLACES = 8;

  /** Two threads have to be inside before the third one closes. */
  private static final int MANY = 400;

  /** A runtime that consists of its life and a driver that must not be called after its end. */
  private static final class Runtime {
    final Life life;
    private volatile boolean driverOpen = true;
    private volatile int ends;

    Runtime() {
      this(PLACES);
    }

    Runtime(int places) {
      life = new Life(() -> "a runtime", new Visits(places));
    }

    void callDriver() {
      require(driverOpen, "the driver is called after its end");
    }

    /** Two driver calls, as an allocation makes them, or none. */
    void operate() {
      try {
        life.enter();
      } catch (RuntimeClosedException refused) {
        require(!life.isOpen(), "refused by an open runtime");
        return;
      }
      try {
        callDriver();
        nested();
        callDriver();
      } finally {
        life.leave();
      }
    }

    /** An operation within another one may enter even while the runtime is closing. */
    private void nested() {
      life.enter();
      try {
        callDriver();
      } finally {
        life.leave();
      }
    }

    /** Like the close of an array, does nothing and throws nothing if it comes too late. */
    void operateUnlessClosed() {
      if (life.tryEnter()) {
        try {
          callDriver();
        } finally {
          life.leave();
        }
      }
    }

    void close() {
      try {
        if (life.beginClosing(null)) {
          require(life.awaitAlone(visit -> {}, null), "not alone");
          // The closing thread itself goes on to operate.
          operateUnlessClosed();
          driverOpen = false;
          ends++;
          life.endClosing();
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      require(!driverOpen, "close returned before the end");
    }
  }

  @Test
  void anOperationRunsWithinTheLifeOrIsRefused() {
    explore(
        () -> {
          Runtime runtime = new Runtime();
          together(runtime::operate, runtime::close);
          require(runtime.life.isClosed(), "not closed");
        });
  }

  @Test
  void aCloseOfAnArrayRunsWithinTheLifeOrDoesNothing() {
    explore(
        () -> {
          Runtime runtime = new Runtime();
          together(runtime::operateUnlessClosed, runtime::close);
        });
  }

  @Test
  void twoThreadsThatShareAPlaceAreBothInside() {
    explore(
        MANY,
        () -> {
          Runtime runtime = new Runtime(1);
          together(runtime::operate, runtime::operateUnlessClosed, runtime::close);
        });
  }

  @Test
  void aSecondCloseWaitsForTheFirst() {
    explore(
        () -> {
          Runtime runtime = new Runtime();
          together(runtime::close, runtime::close, runtime::operate);
          require(runtime.ends == 1, "ended " + runtime.ends + " times");
        });
  }

  @Test
  void aPostponedCloseLeavesTheEndToTheNext() {
    explore(
        () -> {
          Runtime runtime = new Runtime();
          together(
              () -> {
                try {
                  if (runtime.life.beginClosing(null)) {
                    runtime.life.pauseClosing();
                  }
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              },
              runtime::close,
              runtime::operate);
          require(runtime.ends == 1, "ended " + runtime.ends + " times");
        });
  }
}
