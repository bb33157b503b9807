package dev.streamfence.internal.simulator;

import dev.streamfence.DeviceException;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.simulator.schedule.Scheduler;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import dev.streamfence.internal.simulator.schedule.SimulatedStream.QueuedOperation;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives each operation that the host submits its place in the order, and queues it. Ends the device
 * if the operation touches memory that does not exist and the race checker cannot explain why.
 * Confined to the driver's lock.
 */
final class Submissions {
  private final DeviceState state;
  private final Scheduler scheduler;
  private final SubmissionOrder order;
  private final @Nullable RaceChecker checker;
  private final boolean tracing;

  /** The device, for reports; empty if there is only one. */
  private final String where;

  Submissions(
      DeviceState state,
      Scheduler scheduler,
      SubmissionOrder order,
      @Nullable RaceChecker checker,
      boolean tracing,
      String where) {
    this.state = state;
    this.scheduler = scheduler;
    this.order = order;
    this.checker = checker;
    this.tracing = tracing;
    this.where = where;
  }

  /** Gives the next operation of a stream its place: that of the call that is made. */
  Submitted submit(SimulatedStream stream, Use... uses) {
    return submit(stream, on(state.call().function(), stream), 0, List.of(uses), false, null);
  }

  /**
   * Gives the next operation of a stream its place.
   *
   * @param declared whether {@code uses} is everything that it may touch
   * @param sites collects where a launch accesses memory; null for other work
   */
  Submitted submit(
      SimulatedStream stream,
      String what,
      long ticket,
      List<Use> uses,
      boolean declared,
      @Nullable LaunchSites sites) {
    return new Submitted(
        what + where,
        stream.number(),
        order.submit(stream.clock()),
        ticket,
        uses,
        declared,
        submittedAt(what),
        sites);
  }

  /** Names work on a stream as the runtime does. */
  static String on(String what, SimulatedStream stream) {
    return what + " on stream " + stream.number();
  }

  /** Gives a place to something that the host does at this moment. */
  Submitted onHost(String what, Use... uses) {
    return new Submitted(
        what, Submitted.HOST, order.onHost(), 0, List.of(uses), false, submittedAt(what), null);
  }

  /** Queues work that takes the device no time, see {@link #work}. */
  void instant(SimulatedStream stream, Submitted op, Runnable run) {
    enqueue(stream, Long.MIN_VALUE, op, taking(0, run));
  }

  /**
   * Queues work, which runs when the schedule selects it. Work that does not complete leaves memory
   * half-changed, and so ends the device.
   *
   * @param run runs it, and returns how many nanoseconds it takes
   */
  void work(SimulatedStream stream, Submitted op, LongSupplier run) {
    enqueue(stream, scheduler.clock().nanoTime(), op, run);
  }

  private void enqueue(SimulatedStream stream, long queuedAt, Submitted op, LongSupplier run) {
    scheduler.enqueue(stream, new QueuedOperation.Work(queuedAt, () -> carryOut(op, run)));
  }

  private long carryOut(Submitted op, LongSupplier run) {
    try {
      if (checker == null) {
        return run.getAsLong();
      }
      checker.host().before(op);
      long nanos = run.getAsLong();
      checker.host().after(op);
      return nanos;
    } catch (Throwable e) {
      state.breakDown("in " + op.what(), e);
      return 0;
    }
  }

  private static LongSupplier taking(long nanos, Runnable run) {
    return () -> {
      run.run();
      return nanos;
    };
  }

  /**
   * Queues work that may touch memory that does not exist.
   *
   * @param nanos how long it takes
   */
  void access(SimulatedStream stream, Submitted op, long nanos, Runnable run) {
    work(stream, op, accessing(op, nanos, run));
  }

  /** Carries such work out at once, as a part of what runs. */
  void accessNow(Submitted op, Runnable run) {
    carryOut(op, accessing(op, 0, run));
  }

  private LongSupplier accessing(Submitted op, long nanos, Runnable run) {
    return () -> {
      try {
        run.run();
      } catch (IllegalAccess e) {
        if (!isExplained(op, e)) {
          state.lose(ResultCode.ILLEGAL_ADDRESS, new DeviceException(op.what() + ": " + e.fact()));
        }
      }
      return nanos;
    };
  }

  /**
   * Whether the memory does not exist because the operation runs before its allocation or after its
   * free.
   */
  boolean isExplained(Submitted op, IllegalAccess refusal) {
    return checker != null && checker.explains(op, refusal.address());
  }

  private @Nullable Throwable submittedAt(String what) {
    return tracing ? new Submitted.Here(what) : null;
  }
}
