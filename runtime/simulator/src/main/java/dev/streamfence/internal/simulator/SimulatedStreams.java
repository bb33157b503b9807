// Long because the runtime's calls and those of other code work on the same streams and events.
package dev.streamfence.internal.simulator;

import dev.streamfence.CudaDriverException;
import dev.streamfence.internal.driver.CudaDriver.EventHandle;
import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.simulator.schedule.Scheduler;
import dev.streamfence.internal.simulator.schedule.SimulatedStream;
import dev.streamfence.internal.simulator.schedule.SimulatedStream.Point;
import dev.streamfence.internal.simulator.schedule.SimulatedStream.QueuedOperation;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder.SubmissionPoint;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The driver calls for streams and events, and the order that the host learns from them. Confined
 * to the driver's lock.
 */
final class SimulatedStreams {
  private static final class SimulatedEvent implements EventHandle {
    private final long rawHandle;
    private final boolean isTimed;

    /** The events of its device. */
    private final Map<Long, SimulatedEvent> home;

    private @Nullable Point recorded;

    private SimulatedEvent(long rawHandle, boolean isTimed, Map<Long, SimulatedEvent> home) {
      this.rawHandle = rawHandle;
      this.home = home;
      this.isTimed = isTimed;
    }
  }

  /** The legacy default stream, as the driver numbers it. */
  private static final long LEGACY = 1;

  /** Far from each other, and from every address. */
  private static final long FIRST_STREAM = 0x5_0000_0000L;

  private static final long FIRST_EVENT = 0x6_0000_0000L;

  private final DeviceState state;
  private final Scheduler scheduler;
  private final SubmissionOrder order;
  private final Map<Long, SimulatedEvent> events = new HashMap<>();
  private final Map<Long, SimulatedStream> byRawHandle = new HashMap<>();

  /** The clock of all streams that were destroyed since the host last waited for the device. */
  private long[][] destroyed = {};

  private long createdEvents;

  SimulatedStreams(DeviceState state, Scheduler scheduler, SubmissionOrder order) {
    this.state = state;
    this.scheduler = scheduler;
    this.order = order;
  }

  /** The number of existing streams and events that were created. */
  int count() {
    return scheduler.count() + events.size() - (byRawHandle.containsKey(LEGACY) ? 1 : 0);
  }

  StreamHandle createStream() {
    return newStream();
  }

  private SimulatedStream newStream() {
    SimulatedStream stream = new SimulatedStream(order.newStream());
    scheduler.add(stream);
    byRawHandle.put(rawHandle(stream), stream);
    return stream;
  }

  void destroyStream(StreamHandle stream) {
    remove(state.stream(stream));
  }

  /** Destroys a stream, or a lane of a graph. */
  void remove(SimulatedStream stream) {
    scheduler.remove(stream);
    destroyed = SubmissionOrder.later(destroyed, order.reached(stream.clock()));
    byRawHandle.remove(rawHandle(stream));
  }

  long rawHandle(StreamHandle stream) {
    SimulatedStream known = (SimulatedStream) stream;
    return known == byRawHandle.get(LEGACY) ? LEGACY : FIRST_STREAM + known.clock().number();
  }

  long rawHandle(EventHandle event) {
    return ((SimulatedEvent) event).rawHandle;
  }

  /** A stream that other code made, or the legacy default stream. */
  StreamHandle foreignStream(long rawHandle) {
    SimulatedStream known = find(rawHandle);
    if (known == null) {
      throw state.error(
          ResultCode.INVALID_HANDLE,
          "stream 0x" + Long.toHexString(rawHandle) + ", which does not exist here");
    }
    return known;
  }

  boolean isCapturing(StreamHandle stream) {
    return state.capturable(stream).isCapturing();
  }

  /** Ends a capture, and forgets what it has. */
  void discardCapture(StreamHandle stream) {
    state.capturable(stream).endCapture();
  }

  /** An event that other code made; the driver refuses it when it is used if it does not exist. */
  EventHandle foreignEvent(long rawHandle) {
    SimulatedEvent known = events.get(rawHandle);
    return known == null ? new SimulatedEvent(rawHandle, false, events) : known;
  }

  /** The stream of other code with a raw handle. */
  SimulatedStream stream(long rawHandle) {
    SimulatedStream known = find(rawHandle);
    if (known == null) {
      throw new IllegalArgumentException(
          "stream 0x" + Long.toHexString(rawHandle) + " does not exist on the simulated device");
    }
    return known;
  }

  private @Nullable SimulatedStream find(long rawHandle) {
    SimulatedStream known = byRawHandle.get(rawHandle);
    if (known == null && rawHandle == LEGACY) {
      known = new SimulatedStream(order.newStream());
      scheduler.add(known);
      byRawHandle.put(LEGACY, known);
    }
    return known;
  }

  /** Creates a stream for other code. */
  long addStream() {
    return rawHandle(newStream());
  }

  /** Destroys a stream of other code. */
  void removeStream(long rawHandle) {
    remove(stream(rawHandle));
  }

  /** Creates an event for other code. */
  long addEvent() {
    return newEvent(true).rawHandle;
  }

  /** Destroys an event of other code. */
  void removeEvent(long rawHandle) {
    events.remove(rawHandle);
  }

  /** Waits, as other code, for everything queued on a stream. */
  void drain(SimulatedStream stream) {
    scheduler.drain(stream);
    order.hostKnows(order.reached(stream.clock()));
  }

  /** Records an event as other code. */
  void record(long event, SimulatedStream stream) {
    record(event(event), stream);
  }

  /** Queues a wait as other code. */
  void await(SimulatedStream stream, long event) {
    await(stream, event(event).recorded);
  }

  /** Whether what an event captured is done, as other code asks. */
  boolean isDone(long event) {
    Point point = event(event).recorded;
    if (point == null || point.isReached()) {
      if (point != null) {
        order.hostKnows(point.clock());
      }
      return true;
    }
    scheduler.poll(point.stream());
    return false;
  }

  private SimulatedEvent event(long rawHandle) {
    SimulatedEvent known = events.get(rawHandle);
    if (known == null) {
      throw new IllegalArgumentException(
          "event 0x" + Long.toHexString(rawHandle) + " does not exist on the simulated device");
    }
    return known;
  }

  void synchronizeStream(StreamHandle stream) {
    SimulatedStream known = state.stream(stream);
    scheduler.drain(known);
    order.hostKnows(order.reached(known.clock()));
    scheduler.clock().comeTo(known.now());
    state.requireNoFault();
  }

  boolean isStreamIdle(StreamHandle stream) {
    SimulatedStream known = state.stream(stream);
    boolean idle = known.isIdle();
    if (idle) {
      scheduler.clock().comeTo(known.now());
      order.hostKnows(order.reached(known.clock()));
    }
    scheduler.poll(known);
    state.requireNoFault();
    return idle;
  }

  void waitForEvent(StreamHandle stream, EventHandle event) {
    SimulatedStream known = state.stream(stream);
    await(known, require(event).recorded);
  }

  /** Waits for an event of another device of the machine. */
  void waitForPeerEvent(StreamHandle stream, EventHandle event) {
    SimulatedStream known = state.stream(stream);
    await(known, requireAnywhere(event).recorded);
  }

  /** Queues a wait for a point; null for one that was never recorded. */
  void await(SimulatedStream known, @Nullable Point point) {
    if (point != null) {
      order.waited(known.clock(), point.clock());
      if (!point.isReached()) {
        scheduler.enqueue(known, new QueuedOperation.Wait(point));
      } else if (known.isIdle()) {
        known.comeAfter(point);
      } else {
        // Not by the scheduler: it may run at once, and counts for the clock alone.
        known.add(new QueuedOperation.Wait(point));
      }
    }
  }

  /** Creates a stream for the inside of a graph, which has no handle. */
  SimulatedStream addLane() {
    SimulatedStream lane = SimulatedStream.lane(order.newStream());
    scheduler.add(lane);
    return lane;
  }

  /** Creates a stream for the inside of a condition of a graph. */
  SimulatedStream addInnerLane() {
    SimulatedStream lane = SimulatedStream.lane(order.newInnerStream());
    scheduler.add(lane);
    return lane;
  }

  /** The point that a stream, whose operation runs, has reached. */
  Point here(SimulatedStream stream) {
    return stream.here(order.reached(stream.clock()));
  }

  /** Lets an operation that runs be followed by a wait, before what is queued on its stream. */
  QueuedOperation waitNext(SimulatedStream stream, Point point) {
    order.waited(stream.clock(), point.clock());
    return new QueuedOperation.Wait(point);
  }

  /**
   * Queues an operation whose parts run on an inner lane.
   *
   * @param begin the first part, which lets the end be reached
   */
  void submitParts(
      SimulatedStream stream, SimulatedStream inner, BiConsumer<SubmissionPoint, Point> begin) {
    SubmissionPoint whole = order.submit(stream.clock());
    Point start = mark(stream);
    Point end = inner.promise();
    scheduler.enqueue(inner, new QueuedOperation.Wait(start));
    scheduler.enqueue(inner, SimulatedStream.instant(() -> begin.accept(whole, end)));
    scheduler.enqueue(stream, new QueuedOperation.Wait(end));
  }

  /** Says that work begins which takes its time on other streams. */
  void begin(SimulatedStream stream) {
    scheduler.enqueue(stream, new QueuedOperation.Work(scheduler.clock().nanoTime(), () -> 0));
  }

  /** Queues a point that is reached after everything queued on a stream so far. */
  Point mark(SimulatedStream stream) {
    Point point = new Point(stream, order.reached(stream.clock()));
    scheduler.enqueue(stream, new QueuedOperation.Reach(scheduler.clock().nanoTime(), point));
    return point;
  }

  EventHandle createEvent(boolean timed) {
    return newEvent(timed);
  }

  private SimulatedEvent newEvent(boolean timed) {
    SimulatedEvent event = new SimulatedEvent(FIRST_EVENT + ++createdEvents, timed, events);
    events.put(event.rawHandle, event);
    return event;
  }

  void destroyEvent(EventHandle event) {
    events.remove(require(event).rawHandle);
  }

  void recordEvent(EventHandle event, StreamHandle stream) {
    SimulatedStream known = state.stream(stream);
    record(require(event), known);
  }

  private void record(SimulatedEvent event, SimulatedStream known) {
    event.recorded = mark(known);
  }

  void synchronizeEvent(EventHandle event) {
    Point point = require(event).recorded;
    if (point != null) {
      scheduler.reach(point);
      scheduler.clock().comeTo(point.nanos());
      order.hostKnows(point.clock());
      state.requireNoFault();
    }
  }

  boolean isEventComplete(EventHandle event) {
    Point point = require(event).recorded;
    if (point == null || point.isReached()) {
      if (point != null) {
        scheduler.clock().comeTo(point.nanos());
        order.hostKnows(point.clock());
      }
      return true;
    }
    scheduler.poll(point.stream());
    state.requireNoFault();
    return false;
  }

  float elapsedMillis(EventHandle from, EventHandle to) {
    return (float) ((time(to) - time(from)) / 1e6);
  }

  private long time(EventHandle event) {
    SimulatedEvent known = require(event);
    if (!known.isTimed || known.recorded == null) {
      throw state.error(ResultCode.INVALID_HANDLE, "an event without a time");
    }
    if (!known.recorded.isReached()) {
      throw state.error(ResultCode.NOT_READY, "an event that is not reached");
    }
    return known.recorded.nanos();
  }

  void synchronizeDevice() {
    scheduler.forEach(stream -> state.stream(stream));
    scheduler.drainAll();
    scheduler.forEach(stream -> order.hostKnows(order.reached(stream.clock())));
    scheduler.forEach(stream -> scheduler.clock().comeTo(stream.now()));
    order.hostKnows(destroyed);
    destroyed = new long[0][];
    state.requireNoFault();
  }

  private SimulatedEvent require(EventHandle event) {
    SimulatedEvent known = requireAnywhere(event);
    if (known.home == events) {
      return known;
    }
    throw unknown();
  }

  private SimulatedEvent requireAnywhere(EventHandle event) {
    if (event instanceof SimulatedEvent known && known.home.get(known.rawHandle) == known) {
      return known;
    }
    throw unknown();
  }

  private CudaDriverException unknown() {
    return state.error(ResultCode.INVALID_HANDLE, "an event that does not exist here");
  }
}
