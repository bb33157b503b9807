package dev.streamfence.internal.simulator;

import dev.streamfence.DeviceException;
import dev.streamfence.internal.driver.LaunchObserver.Use;
import dev.streamfence.internal.simulator.SimulatedStream.QueuedOperation;
import dev.streamfence.simulation.DriverCall;
import java.util.List;
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

  Submissions(
      DeviceState state,
      Scheduler scheduler,
      SubmissionOrder order,
      @Nullable RaceChecker checker,
      boolean tracing) {
    this.state = state;
    this.scheduler = scheduler;
    this.order = order;
    this.checker = checker;
    this.tracing = tracing;
  }

  /** Gives the next operation of a stream its place. */
  Submitted submit(SimulatedStream stream, DriverCall call, Use... uses) {
    return submit(stream, on(call.function(), stream), 0, List.of(uses), false, null);
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
        what,
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

  /**
   * Queues work, which runs when the schedule selects it. Work that does not complete leaves memory
   * half-changed, and so ends the device.
   */
  void work(SimulatedStream stream, DriverCall call, Submitted op, Runnable run) {
    Runnable whole =
        () -> {
          try {
            if (checker == null) {
              run.run();
            } else {
              checker.host().before(op);
              run.run();
              checker.host().after(op);
            }
          } catch (RuntimeException | Error e) {
            state.breakDown("in " + op.what(), e);
          }
        };
    scheduler.enqueue(stream, new QueuedOperation.Work(whole));
  }

  /** Queues work that may touch memory that does not exist. */
  void access(SimulatedStream stream, DriverCall call, Submitted op, Runnable run) {
    work(
        stream,
        call,
        op,
        () -> {
          try {
            run.run();
          } catch (IllegalAccess e) {
            if (!isExplained(op, e)) {
              state.lose(
                  ResultCode.ILLEGAL_ADDRESS, new DeviceException(op.what() + ": " + e.fact()));
            }
          }
        });
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
