package dev.streamfence.internal.simulator.schedule;

import dev.streamfence.internal.simulator.schedule.SimulatedStream.Point;
import dev.streamfence.internal.simulator.schedule.SimulatedStream.QueuePlace;
import dev.streamfence.internal.simulator.schedule.SimulatedStream.QueuedOperation;
import dev.streamfence.simulation.Schedule;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decides which stream's next operation runs, and when. Confined to the driver's lock. */
public final class Scheduler {
  /** What the schedulers of several devices share: any of them may run a stream of another. */
  private static final class Turns {
    private final Schedule schedule;
    private final Random random;
    private final SimulatedClock clock = new SimulatedClock();

    /** For the random schedule: every stream that is ready, and some that are not. */
    private final List<SimulatedStream> candidates = new ArrayList<>();

    private boolean isStepping;

    private Turns(Schedule schedule, long seed) {
      this.schedule = schedule;
      this.random = new Random(seed);
    }
  }

  private final Turns turns;
  private final Set<SimulatedStream> streams = new LinkedHashSet<>();

  public Scheduler(Schedule schedule, long seed) {
    this(new Turns(schedule, seed));
  }

  private Scheduler(Turns turns) {
    this.turns = turns;
  }

  /** A scheduler for the streams of another device, which may wait for those of this one. */
  public Scheduler forAnotherDevice() {
    return new Scheduler(turns);
  }

  public void add(SimulatedStream stream) {
    stream.begin(turns.clock.nanoTime());
    streams.add(stream);
  }

  /** Removes a stream after running everything queued on it. */
  public void remove(SimulatedStream stream) {
    drain(stream);
    streams.remove(stream);
  }

  /** The host's clock. */
  public SimulatedClock clock() {
    return turns.clock;
  }

  public boolean has(SimulatedStream stream) {
    return streams.contains(stream);
  }

  public int count() {
    return streams.size();
  }

  public void forEach(Consumer<SimulatedStream> action) {
    streams.forEach(action);
  }

  public void enqueue(SimulatedStream stream, QueuedOperation operation) {
    stream.add(operation);
    if (turns.isStepping) {
      // By the operation that runs, which then waits for it.
      if (stream.place() == QueuePlace.NOWHERE) {
        consider(stream);
      }
      return;
    }
    switch (turns.schedule) {
      // All others are idle: operations that a stream waits for ran when they were queued.
      case EAGER -> drain(stream);
      case LAZY -> {}
      case RANDOM -> {
        if (stream.place() == QueuePlace.NOWHERE) {
          consider(stream);
        }
        runSomeReady();
      }
    }
  }

  /** Lets some work run when the host polls a stream, so that repeated polling ends. */
  public void poll(SimulatedStream stream) {
    switch (turns.schedule) {
      case EAGER -> {}
      case LAZY -> advanceOnce(stream);
      case RANDOM -> runSomeReady();
    }
  }

  /** Runs everything queued on a stream, and the operations it waits for. */
  public void drain(SimulatedStream stream) {
    while (!stream.isIdle()) {
      Point blocker = stream.blockedBy();
      if (blocker == null) {
        step(stream);
      } else {
        reach(blocker);
      }
    }
  }

  public void drainAll() {
    for (SimulatedStream stream : List.copyOf(streams)) {
      drain(stream);
    }
  }

  /** Runs the operations needed to reach a point. */
  public void reach(Point point) {
    Deque<Point> wanted = new ArrayDeque<>();
    wanted.addLast(point);
    while (!wanted.isEmpty()) {
      Point next = wanted.getLast();
      Point blocker = next.stream().blockedBy();
      if (next.isReached()) {
        wanted.removeLast();
      } else if (blocker == null) {
        step(next.stream());
      } else {
        wanted.addLast(blocker);
      }
    }
  }

  public void abandonAll() {
    for (SimulatedStream stream : streams) {
      for (Point point : stream.abandon()) {
        point.waiting().forEach(this::consider);
        point.waiting().clear();
      }
    }
  }

  private void advanceOnce(SimulatedStream stream) {
    // An operation waits only for operations queued before it, so following the waits ends.
    SimulatedStream current = stream;
    Point blocker = current.blockedBy();
    while (blocker != null) {
      current = blocker.stream();
      blocker = current.blockedBy();
    }
    if (!current.isIdle()) {
      step(current);
    }
  }

  private void step(SimulatedStream stream) {
    turns.clock.pause();
    turns.isStepping = true;
    Point reached;
    try {
      reached = stream.step();
    } finally {
      turns.isStepping = false;
      turns.clock.resume();
    }
    if (reached != null) {
      reached.waiting().forEach(this::consider);
      reached.waiting().clear();
    }
  }

  private void consider(SimulatedStream stream) {
    stream.setPlace(QueuePlace.CANDIDATES);
    turns.candidates.add(stream);
  }

  private void runSomeReady() {
    while (turns.random.nextBoolean()) {
      SimulatedStream drawn = drawReady();
      if (drawn == null) {
        return;
      }
      step(drawn);
    }
  }

  /** Draws one of the ready streams, and sets aside candidates that are not ready. */
  private @Nullable SimulatedStream drawReady() {
    while (!turns.candidates.isEmpty()) {
      int index = turns.random.nextInt(turns.candidates.size());
      SimulatedStream drawn = turns.candidates.get(index);
      if (drawn.isReady()) {
        return drawn;
      }
      SimulatedStream last = turns.candidates.remove(turns.candidates.size() - 1);
      if (last != drawn) {
        turns.candidates.set(index, last);
      }
      Point blocker = drawn.blockedBy();
      if (blocker == null) {
        drawn.setPlace(QueuePlace.NOWHERE);
      } else {
        drawn.setPlace(QueuePlace.POINT);
        blocker.waiting().add(drawn);
      }
    }
    return null;
  }
}
