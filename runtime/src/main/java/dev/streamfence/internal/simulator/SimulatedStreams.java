package dev.streamfence.internal.simulator;

import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.simulator.SimulatedStream.Point;
import dev.streamfence.internal.simulator.SimulatedStream.QueuedOperation;
import dev.streamfence.simulation.DriverCall;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The driver calls for streams and events, and the order that the host learns from them. Confined
 * to the driver's lock.
 */
final class SimulatedStreams {
  private static final class SimulatedEvent implements EventHandle {
    private @Nullable Point recorded;
  }

  private final DeviceState state;
  private final Scheduler scheduler;
  private final SubmissionOrder order;
  private final Set<SimulatedEvent> events = new HashSet<>();

  SimulatedStreams(DeviceState state, Scheduler scheduler, SubmissionOrder order) {
    this.state = state;
    this.scheduler = scheduler;
    this.order = order;
  }

  /** The number of existing streams and events. */
  int count() {
    return scheduler.count() + events.size();
  }

  StreamHandle createStream() {
    state.enter(DriverCall.CREATE_STREAM);
    SimulatedStream stream = new SimulatedStream(order.newStream());
    scheduler.add(stream);
    return stream;
  }

  void destroyStream(StreamHandle stream) {
    scheduler.remove(state.enter(DriverCall.DESTROY_STREAM, stream));
  }

  void synchronizeStream(StreamHandle stream) {
    SimulatedStream known = state.enter(DriverCall.SYNCHRONIZE_STREAM, stream);
    scheduler.drain(known);
    order.hostKnows(order.reached(known.clock()));
    state.requireNoFault(DriverCall.SYNCHRONIZE_STREAM);
  }

  boolean isStreamIdle(StreamHandle stream) {
    SimulatedStream known = state.enter(DriverCall.IS_STREAM_IDLE, stream);
    boolean idle = known.isIdle();
    if (idle) {
      order.hostKnows(order.reached(known.clock()));
    }
    scheduler.poll(known);
    state.requireNoFault(DriverCall.IS_STREAM_IDLE);
    return idle;
  }

  void waitForEvent(StreamHandle stream, EventHandle event) {
    SimulatedStream known = state.enter(DriverCall.WAIT_FOR_EVENT, stream);
    Point point = require(DriverCall.WAIT_FOR_EVENT, event).recorded;
    if (point != null) {
      order.waited(known.clock(), point.clock());
      if (!point.isReached()) {
        scheduler.enqueue(known, new QueuedOperation.Wait(point));
      }
    }
  }

  EventHandle createEvent() {
    state.enter(DriverCall.CREATE_EVENT);
    SimulatedEvent event = new SimulatedEvent();
    events.add(event);
    return event;
  }

  void destroyEvent(EventHandle event) {
    state.enter(DriverCall.DESTROY_EVENT);
    events.remove(require(DriverCall.DESTROY_EVENT, event));
  }

  void recordEvent(EventHandle event, StreamHandle stream) {
    SimulatedStream known = state.enter(DriverCall.RECORD_EVENT, stream);
    Point point = new Point(known, order.reached(known.clock()));
    require(DriverCall.RECORD_EVENT, event).recorded = point;
    scheduler.enqueue(known, new QueuedOperation.Reach(point));
  }

  void synchronizeEvent(EventHandle event) {
    state.enter(DriverCall.SYNCHRONIZE_EVENT);
    Point point = require(DriverCall.SYNCHRONIZE_EVENT, event).recorded;
    if (point != null) {
      scheduler.reach(point);
      order.hostKnows(point.clock());
      state.requireNoFault(DriverCall.SYNCHRONIZE_EVENT);
    }
  }

  boolean isEventComplete(EventHandle event) {
    state.enter(DriverCall.IS_EVENT_COMPLETE);
    Point point = require(DriverCall.IS_EVENT_COMPLETE, event).recorded;
    if (point == null || point.isReached()) {
      if (point != null) {
        order.hostKnows(point.clock());
      }
      return true;
    }
    scheduler.poll(point.stream());
    state.requireNoFault(DriverCall.IS_EVENT_COMPLETE);
    return false;
  }

  void synchronizeDevice() {
    state.enter(DriverCall.SYNCHRONIZE_DEVICE);
    scheduler.drainAll();
    scheduler.forEach(stream -> order.hostKnows(order.reached(stream.clock())));
    state.requireNoFault(DriverCall.SYNCHRONIZE_DEVICE);
  }

  private SimulatedEvent require(DriverCall call, EventHandle event) {
    if (event instanceof SimulatedEvent known && events.contains(known)) {
      return known;
    }
    throw DeviceState.error(call, ResultCode.INVALID_HANDLE, "an event that does not exist here");
  }
}
