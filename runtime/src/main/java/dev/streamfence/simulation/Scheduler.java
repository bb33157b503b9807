package dev.streamfence.simulation;

import dev.streamfence.simulation.SimulatedStream.Operation;
import dev.streamfence.simulation.SimulatedStream.Place;
import dev.streamfence.simulation.SimulatedStream.Point;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides which stream's next operation is carried out, and when. Confined to the driver's lock.
 */
final class Scheduler {
  private final Schedule schedule;
  private final Random random;
  private final Set<SimulatedStream> streams = new LinkedHashSet<>();

  /** Of the random schedule: every stream that is ready, and some that are not. */
  private final List<SimulatedStream> candidates = new ArrayList<>();

  Scheduler(Schedule schedule, long seed) {
    this.schedule = schedule;
    this.random = new Random(seed);
  }

  void add(SimulatedStream stream) {
    streams.add(stream);
  }

  /** Removes a stream after carrying out what is queued on it. */
  void remove(SimulatedStream stream) {
    drain(stream);
    streams.remove(stream);
  }

  boolean has(SimulatedStream stream) {
    return streams.contains(stream);
  }

  int count() {
    return streams.size();
  }

  void forEach(Consumer<SimulatedStream> action) {
    streams.forEach(action);
  }

  void enqueue(SimulatedStream stream, Operation operation) {
    stream.add(operation);
    switch (schedule) {
      // All others are idle: what a stream waits for was carried out when it was queued.
      case EAGER -> drain(stream);
      case LAZY -> {}
      case RANDOM -> {
        if (stream.place() == Place.NOWHERE) {
          consider(stream);
        }
        runSomeReady();
      }
    }
  }

  /**
   * Lets some time pass for a stream that the host asks after, so that asking again and again gets
   * an end.
   */
  void poll(SimulatedStream stream) {
    switch (schedule) {
      case EAGER -> {}
      case LAZY -> advanceOnce(stream);
      case RANDOM -> runSomeReady();
    }
  }

  /** Carries out everything that is queued on a stream, and what it waits for. */
  void drain(SimulatedStream stream) {
    while (!stream.isIdle()) {
      Point blocker = stream.blockedBy();
      if (blocker == null) {
        step(stream);
      } else {
        reach(blocker);
      }
    }
  }

  void drainAll() {
    for (SimulatedStream stream : List.copyOf(streams)) {
      drain(stream);
    }
  }

  /** Carries out what has to be done for a point to be reached. */
  void reach(Point point) {
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

  void abandonAll() {
    streams.forEach(SimulatedStream::abandon);
  }

  private void advanceOnce(SimulatedStream stream) {
    // A wait is only ever for something that was queued before it, so that following waits comes to
    // an end.
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
    Point reached = stream.step();
    if (reached != null) {
      reached.waiting().forEach(this::consider);
      reached.waiting().clear();
    }
  }

  private void consider(SimulatedStream stream) {
    stream.setPlace(Place.CANDIDATES);
    candidates.add(stream);
  }

  private void runSomeReady() {
    while (random.nextBoolean()) {
      SimulatedStream drawn = drawReady();
      if (drawn == null) {
        return;
      }
      step(drawn);
    }
  }

  /** Draws one of the streams that are ready; those that turn out not to be are set aside. */
  private @Nullable SimulatedStream drawReady() {
    while (!candidates.isEmpty()) {
      int index = random.nextInt(candidates.size());
      SimulatedStream drawn = candidates.get(index);
      if (drawn.isReady()) {
        return drawn;
      }
      SimulatedStream last = candidates.remove(candidates.size() - 1);
      if (last != drawn) {
        candidates.set(index, last);
      }
      Point blocker = drawn.blockedBy();
      if (blocker == null) {
        drawn.setPlace(Place.NOWHERE);
      } else {
        drawn.setPlace(Place.POINT);
        blocker.waiting().add(drawn);
      }
    }
    return null;
  }
}
