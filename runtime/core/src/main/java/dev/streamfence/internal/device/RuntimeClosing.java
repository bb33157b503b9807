package dev.streamfence.internal.device;

import dev.streamfence.CudaDriverException;
import dev.streamfence.RuntimeOptions;
import dev.streamfence.internal.LogTopic;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.driver.CudaDriver;
import dev.streamfence.internal.memory.Allocation;
import dev.streamfence.internal.memory.MemoryOwners;
import dev.streamfence.internal.order.Deadline;
import dev.streamfence.internal.order.StreamPool;
import dev.streamfence.internal.order.Teardown;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The close of a runtime, in three steps: frees everything, calls the owners of adopted memory,
 * closes the driver. Owners may call the driver, may close the runtime themselves, and may wait for
 * a thread that does, so this thread is not the closing one while they are called. Thread-safe.
 */
final class RuntimeClosing {
  /** Open arrays that the report at the close names, oldest first: enough to find the place. */
  private static final int NAMED_LEAKS = 10;

  private final TrackedRuntime runtime;
  private final CudaDriver driver;
  private final StreamPool pool;
  private final RuntimeOptions options;
  private final MemoryStack stack;
  private final OpenArrays arrays;
  private final Attachments attachments;
  private final Consumer<Teardown> stopObserving;
  private final Executor callsOfOthers;

  /** Whether nothing but the driver is open. Used only by the closing thread. */
  private boolean isTornDown;

  /** Of calls that have not completed the close. */
  private final AtomicReference<@Nullable Teardown> closeFailures = new AtomicReference<>();

  /**
   * Creates the close of a runtime that is being opened.
   *
   * @param callsOfOthers runs other code, which may block it
   */
  RuntimeClosing(
      TrackedRuntime runtime,
      MemoryStack stack,
      OpenArrays arrays,
      Attachments attachments,
      Consumer<Teardown> stopObserving,
      Executor callsOfOthers) {
    this.runtime = runtime;
    this.driver = runtime.driver();
    this.pool = runtime.pool();
    this.options = runtime.options();
    this.stack = stack;
    this.arrays = arrays;
    this.attachments = attachments;
    this.stopObserving = stopObserving;
    this.callsOfOthers = callsOfOthers;
  }

  /** Closes the runtime, unless that was done. */
  void close() {
    try {
      closeUntil(null);
    } catch (InterruptedException e) {
      throw new AssertionError("a wait without a deadline ends with what it waits for", e);
    }
  }

  /**
   * Closes the runtime.
   *
   * @param deadline null to wait for as long as it takes
   * @return whether the runtime is then closed
   */
  boolean closeUntil(@Nullable Deadline deadline) throws InterruptedException {
    boolean wasLost = driver.sticky().isKnownToCallers();
    Teardown kept = closeFailures.getAndSet(null);
    Teardown failures = kept == null ? new Teardown() : kept;
    boolean isClosed = false;
    try {
      isClosed =
          tearDown(deadline, wasLost, failures)
              && callOwners(deadline, failures)
              && (closeDriver(deadline, failures) || pool.life().isClosed());
    } finally {
      if (!isClosed) {
        // The call that completes the close throws them.
        closeFailures.set(failures);
      }
    }
    if (!isClosed) {
      return false;
    }
    try {
      failures.finish();
    } catch (CudaDriverException e) {
      // On a device lost earlier, each of these calls returns the same error again.
      if (!wasLost) {
        throw e.during("closing " + runtime);
      }
    } catch (Exception e) {
      if (!wasLost) {
        throw e;
      }
    }
    return true;
  }

  /** Frees everything as the closing thread, unless that was done; returns whether it was. */
  private boolean tearDown(@Nullable Deadline deadline, boolean wasLost, Teardown failures)
      throws InterruptedException {
    if (!pool.life().beginClosing(deadline)) {
      return pool.life().isClosed();
    }
    boolean isInside = false;
    try {
      // What is logged meanwhile waits until this thread is no longer the closing one.
      pool.life().enter();
      isInside = true;
      if (!isTornDown && awaitQuiet(deadline, failures)) {
        isTornDown = true;
        tearDownAlone(wasLost, failures);
      }
      return isTornDown;
    } finally {
      pool.life().pauseClosing();
      if (isInside) {
        failures.step(pool.life()::leave);
      }
    }
  }

  /** Waits for other threads and, if there is a deadline, for the device as well. */
  private boolean awaitQuiet(@Nullable Deadline deadline, Teardown failures)
      throws InterruptedException {
    if (!pool.awaitAlone(
        options.abandonedLaunchTimeout(),
        open -> runtime.warn(LogTopic.LAUNCHES, open),
        failures,
        deadline)) {
      return false;
    }
    try {
      return deadline == null || driver.sticky().error() != null || pool.synchronizeAll(deadline);
    } catch (CudaDriverException e) {
      // Closing meets the error again, and throws it when everything else is closed.
      return true;
    }
  }

  /**
   * Frees everything.
   *
   * @param wasLost whether a caller has had the error that lost the device
   */
  private void tearDownAlone(boolean wasLost, Teardown teardown) {
    Teardown waiting = new Teardown();
    if (!wasLost) {
      waiting.step(() -> pool.synchronizeAll("closing " + runtime));
    }
    boolean isDeviceDone = !waiting.hasFailed();
    teardown.step(waiting::finish);
    teardown.step(this::reportLeaks);
    teardown.step(() -> attachments.close(teardown));
    teardown.step(() -> runtime.spills().closeFiles(teardown));
    teardown.step(() -> runtime.adopted().giveBackAll(teardown));
    teardown.step(
        () -> stack.open().forEach(allocation -> teardown.step(() -> arrays.free(allocation))));
    teardown.step(stack::close);
    teardown.step(() -> runtime.copies().destroy(isDeviceDone));
    teardown.step(() -> runtime.pinned().freeAll(teardown, isDeviceDone));
    stopObserving.accept(teardown);
    teardown.step(() -> runtime.downloads().end(driver.sticky().error() != null, teardown));
    teardown.step(pool::destroy);
  }

  /**
   * Calls the owners of adopted memory that were not, in this thread unless there is a deadline,
   * and waits for the calls of other threads; without a deadline, no longer than for an abandoned
   * launch.
   *
   * @return whether the deadline has not passed
   */
  private boolean callOwners(@Nullable Deadline deadline, Teardown failures)
      throws InterruptedException {
    MemoryOwners owners = runtime.adopted().owners();
    if (deadline != null) {
      return owners.callAll(callsOfOthers, deadline);
    }
    Deadline patience = Deadline.after(options.abandonedLaunchTimeout());
    boolean interrupted = false;
    try {
      while (true) {
        try {
          if (!owners.callAll(Runnable::run, patience)) {
            // The other code may be waiting for this thread.
            for (String call : owners.runningCalls()) {
              String fact = call + " goes on after " + runtime + " is closed";
              failures.step(() -> runtime.warn(LogTopic.CALLBACKS, fact));
            }
          }
          return true;
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Closes the driver as the closing thread; returns whether it did. */
  private boolean closeDriver(@Nullable Deadline deadline, Teardown failures)
      throws InterruptedException {
    if (!pool.life().beginClosing(deadline)) {
      return false;
    }
    try {
      failures.step(driver::close);
    } finally {
      pool.life().endClosing();
    }
    return true;
  }

  private void reportLeaks() {
    List<OpenArray> leaked = new ArrayList<>();
    Stream.concat(stack.open().stream(), runtime.adopted().live().stream())
        .filter(Allocation::isOpen)
        .filter(Allocation::isHeld)
        .sorted(Comparator.comparingLong(Allocation::generation))
        .forEach(each -> leaked.add(new OpenArray(each.toString(), each.allocatedAt())));
    runtime
        .spills()
        .outside()
        .forEach(each -> leaked.add(new OpenArray(each.description(), each.allocatedAt())));
    runtime
        .pinned()
        .open()
        .forEach(each -> leaked.add(new OpenArray(each.description(), each.allocatedAt())));
    if (!leaked.isEmpty()) {
      List<String> inWords = leaked.stream().map(OpenArray::inWords).toList();
      String fact =
          runtime + " is closed with " + leaked.size() + " open arrays: " + first(inWords);
      Leaks leaks =
          options.traceAllocations()
              ? new Leaks(leaked.stream().map(OpenArray::allocatedAt))
              : null;
      pool.life().callOutside(() -> LogTopic.LEAKS.warn(fact, leaks));
    }
    long reserved = stack.budget().snapshot().promised();
    if (reserved > 0) {
      runtime.warn(
          LogTopic.LEAKS, runtime + " is closed with " + reserved + " bytes reserved and not used");
    }
    List<String> open = runtime.tasks().open();
    if (!open.isEmpty()) {
      runtime.warn(
          LogTopic.LEAKS,
          runtime + " is closed with " + open.size() + " open tasks: " + first(open));
    }
  }

  /** An array of which the report at the close says where it was allocated, if that is traced. */
  private record OpenArray(String inWords, @Nullable Throwable allocatedAt) {}

  /** Where the arrays that a report names were allocated: never thrown. */
  private static final class Leaks extends Throwable {
    private static final long serialVersionUID = 1L;

    private Leaks(Stream<@Nullable Throwable> sites) {
      super("where they were allocated", null, true, false);
      sites.limit(NAMED_LEAKS).filter(Objects::nonNull).forEach(each -> Suppressed.add(this, each));
    }
  }

  private static String first(List<String> all) {
    String named = String.join(", ", all.subList(0, Math.min(NAMED_LEAKS, all.size())));
    return all.size() <= NAMED_LEAKS
        ? named
        : named + " and " + (all.size() - NAMED_LEAKS) + " more";
  }
}
