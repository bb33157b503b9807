package dev.streamfence.internal.simulator.schedule;

import dev.streamfence.internal.driver.CudaDriver.StreamHandle;
import dev.streamfence.internal.simulator.schedule.SubmissionOrder.StreamClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A queue of operations that run in order. Confined to the driver's lock. */
public final class SimulatedStream implements StreamHandle {
  /** Work, a wait for a point, or a point to reach. */
  public sealed interface QueuedOperation {
    /**
     * Work of any kind.
     *
     * @param queuedAt the host's clock when it was queued; {@link Long#MIN_VALUE} if it takes the
     *     device no time
     * @param run runs it, and returns how many nanoseconds it takes the device
     */
    record Work(long queuedAt, LongSupplier run) implements QueuedOperation {}

    /** Waits for a point of another stream. */
    record Wait(Point point) implements QueuedOperation {}

    /**
     * Reaches a point of this stream.
     *
     * @param queuedAt the host's clock when it was queued
     */
    record Reach(long queuedAt, Point point) implements QueuedOperation {}
  }

  /** The point of a stream that a recorded event captures. */
  public static final class Point {
    private final SimulatedStream stream;
    private final long[][] clock;
    private final List<SimulatedStream> waiting = new ArrayList<>();
    private boolean reached;

    /** On the device's clock, when it is reached; work that follows at once may set it on. */
    private long nanos;

    public Point(SimulatedStream stream, long[][] clock) {
      this.stream = stream;
      this.clock = clock;
    }

    /** The clock of everything that comes before it. */
    public long[][] clock() {
      return clock;
    }

    public SimulatedStream stream() {
      return stream;
    }

    public boolean isReached() {
      return reached;
    }

    public long nanos() {
      return nanos;
    }

    /** The streams that the scheduler has set aside until the point is reached. */
    List<SimulatedStream> waiting() {
      return waiting;
    }
  }

  /** Where a scheduler looks for a stream. */
  enum QueuePlace {
    /** Nowhere: its queue is empty. */
    NOWHERE,
    /** Among those that may be ready. */
    CANDIDATES,
    /** At the point that its first operation waits for. */
    POINT
  }

  private final StreamClock clock;

  /**
   * Whether it is a part of a graph: its work begins with what it waits for, since the launch of
   * the graph alone was queued by the host.
   */
  private final boolean isLane;

  private final Deque<QueuedOperation> queue = new ArrayDeque<>();

  /** Points that operations will reach which are not queued yet, in their order. */
  private final Deque<Point> promised = new ArrayDeque<>();

  private QueuePlace place = QueuePlace.NOWHERE;

  /** How many operations were captured; -1 while none is. */
  private int captured = -1;

  /** The device's clock as far as this stream has come. */
  private long now;

  /** Once it has, an event that is recorded later still has the time at which the work ended. */
  private boolean hasWorked;

  /** The point that was reached last; null if anything came after it. */
  private @Nullable Point justReached;

  /** Written by the creator of the stream before it submits anything there. */
  private volatile int number;

  public SimulatedStream(StreamClock clock) {
    this(clock, false);
  }

  private SimulatedStream(StreamClock clock, boolean isLane) {
    this.clock = clock;
    this.isLane = isLane;
    this.number = clock.number();
  }

  /** A stream for a part of a graph, whose work begins with what it waits for. */
  public static SimulatedStream lane(StreamClock clock) {
    return new SimulatedStream(clock, true);
  }

  /**
   * Its number in reports: the runtime's, or the one of its creation if it belongs to no runtime.
   */
  public int number() {
    return number;
  }

  public void setNumber(int number) {
    this.number = number;
  }

  /** Whether what is put on it is captured instead of queued. */
  public boolean isCapturing() {
    return captured >= 0;
  }

  public void beginCapture() {
    captured = 0;
  }

  public void capture() {
    captured++;
  }

  /** Ends the capture, and returns how many operations it has. */
  public int endCapture() {
    int last = captured;
    captured = -1;
    return last;
  }

  QueuePlace place() {
    return place;
  }

  void setPlace(QueuePlace place) {
    this.place = place;
  }

  public StreamClock clock() {
    return clock;
  }

  public void add(QueuedOperation operation) {
    queue.addLast(operation);
  }

  /** Work that takes the device no time. */
  public static QueuedOperation instant(Runnable run) {
    return new QueuedOperation.Work(
        Long.MIN_VALUE,
        () -> {
          run.run();
          return 0;
        });
  }

  /** Reaches a point, whenever it was queued. */
  public static QueuedOperation reach(Point point) {
    return new QueuedOperation.Reach(Long.MIN_VALUE, point);
  }

  /** Puts operations before all that are queued. */
  public void goOnWith(List<QueuedOperation> operations) {
    for (int i = operations.size() - 1; i >= 0; i--) {
      queue.addFirst(operations.get(i));
    }
  }

  /** A point that an operation of this stream will queue. */
  public Point promise() {
    Point point = new Point(this, new long[0][]);
    promised.addLast(point);
    return point;
  }

  /** A point that the stream has reached. */
  public Point here(long[][] reachedClock) {
    Point here = new Point(this, reachedClock);
    here.reached = true;
    here.nanos = now;
    return here;
  }

  public boolean isIdle() {
    return queue.isEmpty();
  }

  /** Whether its first operation can run. */
  boolean isReady() {
    return !queue.isEmpty() && blockedBy() == null;
  }

  /**
   * The point that its first operation waits for; null if it waits for none or the point is
   * reached.
   */
  @Nullable Point blockedBy() {
    return queue.peekFirst() instanceof QueuedOperation.Wait wait && !wait.point().reached
        ? wait.point()
        : null;
  }

  /** Runs the first operation, which is ready; returns the point that it reaches, if any. */
  @Nullable Point step() {
    QueuedOperation first = queue.removeFirst();
    if (first instanceof QueuedOperation.Work work) {
      hasWorked = true;
      comeTo(work.queuedAt());
      if (justReached != null) {
        // An event right before work is reached when the work begins.
        justReached.nanos = now;
        justReached = null;
      }
      now += work.run().getAsLong();
    } else if (first instanceof QueuedOperation.Wait wait) {
      comeAfter(wait.point());
    } else if (first instanceof QueuedOperation.Reach reach) {
      if (!hasWorked) {
        comeTo(reach.queuedAt());
      }
      justReached = reach.point();
      justReached.nanos = now;
      justReached.reached = true;
      promised.remove(justReached);
      return justReached;
    }
    return null;
  }

  /** Sets the clock to at least the time at which the host queued something. */
  private void comeTo(long queuedAt) {
    if (!isLane) {
      now = Math.max(now, queuedAt);
    }
  }

  /** Begins at a time of the device's clock. */
  void begin(long nanos) {
    now = nanos;
  }

  /** The device's clock as far as this stream has come. */
  public long now() {
    return now;
  }

  /** Sets the clock to at least that of a point that is reached. */
  public void comeAfter(Point point) {
    now = Math.max(now, point.nanos);
    justReached = null;
  }

  /**
   * Drops everything queued, as a lost context does, and ends all waits for its points; returns
   * those, of which streams of other devices may be waiting for one.
   */
  List<Point> abandon() {
    List<Point> points = new ArrayList<>(promised);
    for (QueuedOperation operation : queue) {
      if (operation instanceof QueuedOperation.Reach reach) {
        reach.point().nanos = now;
        points.add(reach.point());
      }
    }
    points.forEach(point -> point.reached = true);
    promised.clear();
    queue.clear();
    return points;
  }
}
